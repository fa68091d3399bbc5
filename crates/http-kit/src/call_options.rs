//! How the requests of a surface are read, and which calls to core they become.

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use http::request::Parts;
use rpc_client::Context;
use server::{
    budget::Budget,
    networks::{Networks, subscriber},
    observe::{ClientNetwork, RequestId},
    serve::Peer,
};
use tokio::time::Instant;

use crate::{Problem, ResponseCache, body, client_address::client_address};

/// Options of the calls that a surface makes for a request.
#[derive(Debug, Clone)]
pub struct CallOptions {
    /// The time limit of a request.
    pub request_time: Duration,
    /// The proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Networks,
    /// The memory of bodies while they are read.
    pub body_budget: Arc<Budget<IpAddr>>,
    /// The cache in front of the surface, if any.
    pub cache: Option<ResponseCache>,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            request_time: Duration::from_secs(30),
            trusted_proxies: Networks::default(),
            body_budget: body::budget(),
            cache: None,
        }
    }
}

impl CallOptions {
    /// The context of a call for this request.
    pub fn context(&self, request: &Parts) -> Context {
        let id = RequestId::in_extensions(&request.extensions);
        let context = Context::from_headers(&request.headers, &id, self.request_time);
        match self.client(request) {
            Some(client) => {
                if let Some(network) = request.extensions.get::<ClientNetwork>() {
                    network.note(client);
                }
                context.for_client(client)
            }
            None => context,
        }
    }

    /// Reads the whole body of this request before the deadline.
    ///
    /// # Errors
    /// A problem: 413 if it is too large, 408 if it is too slow, 400 if it is incomplete, 503 if too many are being read.
    pub async fn read_body(
        &self,
        request: &Parts,
        body: Body,
        deadline: Instant,
    ) -> Result<Bytes, Problem> {
        self.read_file(request, body, body::MAX_BYTES, deadline)
            .await
    }

    /// The same for a body of another size at most.
    ///
    /// # Errors
    /// As [`CallOptions::read_body`].
    pub async fn read_file(
        &self,
        request: &Parts,
        body: Body,
        max_bytes: usize,
        deadline: Instant,
    ) -> Result<Bytes, Problem> {
        let held = self.body_budget.hold(self.client(request).map(subscriber));
        body::read(&request.headers, body, held, max_bytes, deadline).await
    }

    /// The address of the client, over a network.
    fn client(&self, request: &Parts) -> Option<IpAddr> {
        let peer = request.extensions.get::<Peer>()?.address?.ip();
        Some(client_address(
            &self.trusted_proxies,
            peer,
            &request.headers,
        ))
    }
}
