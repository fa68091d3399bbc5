//! Clients of a toy core.

use std::{net::SocketAddr, time::Duration};

use clap::Parser;
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use rpc_client::{Context, Core, CoreSettings};
use server::observe::RequestId;
use test_toy::{
    GOOD,
    v1::{CreateThingRequest, GetThingRequest},
};
use tokio::net::TcpListener;

#[derive(Parser)]
struct Settings {
    #[command(flatten)]
    core: CoreSettings,
}

pub(crate) fn settings(arguments: &[&str]) -> CoreSettings {
    Settings::parse_from(std::iter::once(&"edge").chain(arguments)).core
}

/// A client of the replicas at these addresses.
pub(crate) fn client(addresses: &[SocketAddr]) -> Core {
    let urls: Vec<String> = addresses
        .iter()
        .map(|address| format!("http://{address}"))
        .collect();
    settings(&["--core-url", &urls.join(",")]).client().unwrap()
}

/// A call that takes at most so long, with the credential that core takes.
pub(crate) fn within(time: Duration) -> Context {
    let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(GOOD))]);
    Context::from_headers(&headers, &RequestId::parse("test").unwrap(), time)
}

/// An address where nothing listens.
pub(crate) async fn dead() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
}

pub(crate) fn thing(id: &str) -> GetThingRequest {
    GetThingRequest { id: id.to_owned() }
}

pub(crate) fn new_thing(id: &str) -> CreateThingRequest {
    CreateThingRequest {
        id: id.to_owned(),
        title: Some("new".to_owned()),
        ..CreateThingRequest::default()
    }
}
