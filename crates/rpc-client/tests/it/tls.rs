//! The certificates in `tls/` are valid from 2000 to 2100 and worth nothing: their authority's key was thrown away.

use std::time::Duration;

use test_toy::{Toy, v1::bindings::GetMyThing};
use tokio::net::TcpListener;
use tonic::{
    Code,
    transport::{Certificate, Identity, Server, ServerTlsConfig, server::TcpIncoming},
};

use crate::core::{settings, thing, within};

const CA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/ca.pem");
const CERT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/edge.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/edge.key");

/// A core that wants to see its callers' certificates.
async fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    let tls = ServerTlsConfig::new()
        .identity(Identity::from_pem(
            include_str!("tls/core.pem"),
            include_str!("tls/core.key"),
        ))
        .client_ca_root(Certificate::from_pem(include_str!("tls/ca.pem")));
    let server = Server::builder()
        .tls_config(tls)
        .unwrap()
        .add_routes(Toy::default().routes());
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    url
}

#[tokio::test]
async fn both_sides_show_certificates() {
    let url = start().await;
    let core = settings(&[
        "--core-url",
        &url,
        "--core-ca",
        CA,
        "--core-cert",
        CERT,
        "--core-key",
        KEY,
    ]);
    let (answer, _) = core
        .client()
        .unwrap()
        .call::<GetMyThing>(thing("x"), &within(Duration::from_secs(5)))
        .await
        .unwrap();
    assert_eq!(answer.thing.unwrap().id, "x");
}

#[tokio::test]
async fn an_edge_without_a_certificate_is_turned_away() {
    let url = start().await;
    let core = settings(&["--core-url", &url, "--core-ca", CA])
        .client()
        .unwrap();
    let status = core
        .call::<GetMyThing>(thing("x"), &within(Duration::from_secs(5)))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
}

#[tokio::test]
async fn a_core_whose_certificate_is_not_trusted_is_not_called() {
    let url = start().await;
    let core = settings(&["--core-url", &url, "--core-ca", CERT])
        .client()
        .unwrap();
    let status = core
        .call::<GetMyThing>(thing("x"), &within(Duration::from_secs(5)))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
}
