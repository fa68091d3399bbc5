//! How core's port stops: not later for clients that hold on.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use core_service::grpc::server::{Address, Limits, Listener, TlsSettings};
use process::CancellationToken;
use tests::TestApp;
use tokio::net::TcpStream;
use tonic::transport::Endpoint;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

/// Far more than stopping takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

const DRAIN: Duration = Duration::from_millis(200);

async fn neither_a_call_without_end_nor_a_silent_connection_keeps_core_from_stopping(
    app: Arc<TestApp>,
) {
    let any_port = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
    let listener = Listener::bind(&any_port).await.unwrap();
    let address = listener.address().unwrap().to_string();
    let core = app.core.clone().with_port_limits(Limits {
        drain: DRAIN,
        ..Limits::default()
    });
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let serving =
        tokio::spawn(async move { core.serve(listener, &TlsSettings::default(), stopped).await });

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

tests::on_both_engines!(
    neither_a_call_without_end_nor_a_silent_connection_keeps_core_from_stopping
);
