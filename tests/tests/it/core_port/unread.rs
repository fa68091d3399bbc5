//! A client that does not read its answers does not hold them for ever.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use core_service::grpc::port::TlsSettings;
use http::{Method, Request, Version};
use server::serve::Limits;
use tests::TestApp;
use tokio::net::TcpStream;
use tonic::transport::Endpoint;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::bounds::{SHORT, TIMEOUT, patient, port};

/// A port that waits for so long until a client reads.
async fn port_that_waits(app: &TestApp, unread: Duration) -> SocketAddr {
    let limits = Limits {
        stall: unread,
        ..patient()
    };
    port(app, TlsSettings::default(), limits).await
}

async fn a_client_that_does_not_read_its_answer_is_disconnected(app: Arc<TestApp>) {
    let address = port_that_waits(&app, SHORT).await;
    let stream = TcpStream::connect(address).await.unwrap();
    // It has room for no byte of an answer.
    let mut client = h2::client::Builder::new();
    let client = client.initial_window_size(0).handshake::<_, Bytes>(stream);
    let (mut calls, connection) = client.await.unwrap();
    let ended = tokio::spawn(connection);
    let request = Request::builder()
        .method(Method::POST)
        .version(Version::HTTP_2)
        .uri("http://core/muster.v1.CatalogueService/ListUseCases")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .unwrap();
    let (answer, mut message) = calls.send_request(request, false).unwrap();
    message
        .send_data(Bytes::from_static(&[0; 5]), true)
        .unwrap();
    let _unread = answer.await.unwrap().into_body();
    let ended = tokio::time::timeout(TIMEOUT, ended).await;
    let _broken = ended.expect("the port closes the connection").unwrap();
}

async fn a_client_that_waits_for_more_stays(app: Arc<TestApp>) {
    let address = port_that_waits(&app, SHORT).await;
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let mut health = HealthClient::new(endpoint.connect_lazy());
    let watch = health.watch(HealthCheckRequest::default()).await;
    let mut watch = watch.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());
    let silence = tokio::time::timeout(3 * SHORT, watch.message()).await;
    assert!(silence.is_err(), "{silence:?}");
}

tests::on_both_engines!(
    a_client_that_does_not_read_its_answer_is_disconnected,
    a_client_that_waits_for_more_stays,
);
