//! The gRPC port as its clients see it.

use std::net::SocketAddr;

use muster_api::v1::{
    account_service_client::AccountServiceClient, catalogue_service_client::CatalogueServiceClient,
    cover_service_client::CoverServiceClient, event_service_client::EventServiceClient,
    registration_service_client::RegistrationServiceClient,
};
use tonic::{
    Request, Status,
    metadata::AsciiMetadataValue,
    service::{Interceptor, interceptor::InterceptedService},
    transport::{Channel, Endpoint},
};

/// Typed clients over one real connection.
#[derive(Debug, Clone)]
pub struct Grpc {
    address: SocketAddr,
    channel: Channel,
}

/// Puts `authorization: Bearer <key>` into every call, or nothing.
#[derive(Debug, Clone)]
pub struct Bearer(Option<AsciiMetadataValue>);

impl Bearer {
    /// With this key, or without one.
    pub fn new(key: Option<&str>) -> Self {
        Self(key.map(|key| format!("Bearer {key}").parse().unwrap()))
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            let metadata = request.metadata_mut();
            metadata.insert("authorization", value.clone());
        }
        Ok(request)
    }
}

type Authorized = InterceptedService<Channel, Bearer>;

impl Grpc {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        let channel = endpoint.connect_lazy();
        Self { address, channel }
    }

    /// Where the port is.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The connection itself; it is made with the first call, and again when it was lost.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// The catalogue, which needs no key.
    pub fn catalogue(&self) -> CatalogueServiceClient<Channel> {
        CatalogueServiceClient::new(self.channel())
    }

    /// The events of the account whose key it is.
    pub fn events(&self, key: &str) -> EventServiceClient<Authorized> {
        EventServiceClient::with_interceptor(self.channel(), Bearer::new(Some(key)))
    }

    /// The registrations for the events of the account whose key it is.
    pub fn registrations(&self, key: &str) -> RegistrationServiceClient<Authorized> {
        RegistrationServiceClient::with_interceptor(self.channel(), Bearer::new(Some(key)))
    }

    /// The covers of the events of the account whose key it is.
    pub fn covers(&self, key: &str) -> CoverServiceClient<Authorized> {
        CoverServiceClient::with_interceptor(self.channel(), Bearer::new(Some(key)))
    }

    /// The account whose key it is.
    pub fn account(&self, key: &str) -> AccountServiceClient<Authorized> {
        AccountServiceClient::with_interceptor(self.channel(), Bearer::new(Some(key)))
    }
}
