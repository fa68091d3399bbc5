//! How core's port stops: not later for clients that hold on.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use core_service::grpc::port::TlsSettings;
use server::{
    CancellationToken,
    serve::{Address, Limits, Listener},
};
use tests::TestApp;
use tokio::{io::AsyncWriteExt, net::TcpStream, task::JoinHandle};
use tonic::transport::Endpoint;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::bounds::{TIMEOUT, header, patient, until_closed, until_said};

const DRAIN: Duration = Duration::from_millis(200);

/// A port with these limits: its address, what stops it, and what serves it.
async fn start(
    app: &TestApp,
    limits: Limits,
) -> (
    String,
    CancellationToken,
    JoinHandle<Result<(), server::Failure>>,
) {
    let any_port = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
    let listener = Listener::bind(&any_port).await.unwrap();
    let address = listener.address().unwrap().to_string();
    let core = app.core.clone().with_port_limits(limits);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let serving =
        tokio::spawn(async move { core.serve(listener, &TlsSettings::default(), stopped).await });
    (address, stop, serving)
}

async fn neither_a_call_without_end_nor_a_silent_connection_keeps_core_from_stopping(
    app: Arc<TestApp>,
) {
    let limits = Limits {
        drain: DRAIN,
        ..Limits::grpc()
    };
    let (address, stop, serving) = start(&app, limits).await;

    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let mut health = HealthClient::new(endpoint.connect_lazy());
    let watch = health.watch(HealthCheckRequest::default()).await;
    let mut watch = watch.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());
    let _silent = TcpStream::connect(&address).await.unwrap();

    stop.cancel();
    let served = tokio::time::timeout(TIMEOUT, serving).await;
    served.expect("core stops").unwrap().unwrap();
}

/// Browsers speak HTTP/1.1, and keep their connections.
async fn a_call_over_http1_that_comes_while_core_stops_is_answered_and_its_connection_closed(
    app: Arc<TestApp>,
) {
    const PATH: &str = "/muster.v1.CatalogueService/ListUseCases";
    let limits = Limits {
        linger: TIMEOUT,
        ..patient()
    };
    let (address, stop, serving) = start(&app, limits).await;
    let call = [header(PATH, "", 5).as_bytes(), &[0; 5]].concat();
    let mut used = TcpStream::connect(&address).await.unwrap();
    used.write_all(&call).await.unwrap();
    let said = until_said(&mut used, "grpc-status:0").await;
    assert!(!said.contains("connection: close"), "{said}");

    stop.cancel();
    let new = TcpStream::connect(&address).await.unwrap();
    for mut connection in [used, new] {
        connection.write_all(&call).await.unwrap();
        let said = until_said(&mut connection, "grpc-status:0").await;
        assert!(said.contains("connection: close"), "{said}");
        until_closed(&mut connection).await;
    }
    serving.abort();
}

async fn a_call_over_http2_that_comes_while_core_stops_is_answered(app: Arc<TestApp>) {
    let limits = Limits {
        linger: TIMEOUT,
        ..patient()
    };
    let (address, stop, serving) = start(&app, limits).await;
    stop.cancel();
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let mut health = HealthClient::new(endpoint.connect_lazy());
    let answer = health.check(HealthCheckRequest::default()).await;
    answer.unwrap();
    serving.abort();
}

tests::on_both_engines!(
    a_call_over_http1_that_comes_while_core_stops_is_answered_and_its_connection_closed,
    a_call_over_http2_that_comes_while_core_stops_is_answered,
    neither_a_call_without_end_nor_a_silent_connection_keeps_core_from_stopping
);
