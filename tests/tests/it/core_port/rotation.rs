//! How clients are moved to other connections: no call notices it.

use std::{
    error::Error as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use core_service::grpc::port::TlsSettings;
use http::uri::PathAndQuery;
use hyper_util::rt::TokioIo;
use muster_api::v1::{
    ListUseCasesRequest, StaticItemList, bindings::ListUseCases,
    catalogue_service_client::CatalogueServiceClient,
};
use rpc_client::Context;
use server::{observe::RequestId, serve::Limits};
use tests::{TestApp, core_at};
use tokio::{net::TcpStream, sync::oneshot, time::Instant};
use tonic::{
    Request, Status,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_prost::ProstCodec;

use super::bounds::port;

/// Far more than anything here takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

const AGE: Duration = Duration::from_millis(300);

/// A client of a new port, and how often it has connected.
async fn client(app: &TestApp, limits: Limits) -> (Channel, Arc<AtomicUsize>) {
    let address = port(app, TlsSettings::default(), limits).await;
    let connects = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connects);
    let connector = tower::service_fn(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move { TcpStream::connect(address).await.map(TokioIo::new) }
    });
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    (endpoint.connect_with_connector_lazy(connector), connects)
}

/// Whether the client found the connection closing before it sent the call, which can be repeated.
fn is_unsent(status: &Status) -> bool {
    let causes = std::iter::successors(status.source(), |cause| (*cause).source());
    let mut hyper = causes.filter_map(|cause| cause.downcast_ref::<hyper::Error>());
    hyper.any(hyper::Error::is_canceled)
}

async fn a_call_under_way_ends_well_and_later_ones_use_another_connection(app: Arc<TestApp>) {
    let limits = Limits {
        age: Some(AGE),
        grace: 2 * TIMEOUT,
        ..Limits::grpc()
    };
    let (channel, connects) = client(&app, limits).await;
    // Its message is sent only when the connection is old.
    let (send, message) = oneshot::channel();
    let slow = channel.clone();
    let slow = tokio::spawn(async move {
        let mut grpc = tonic::client::Grpc::new(slow);
        grpc.ready().await.unwrap();
        let path = PathAndQuery::from_static("/muster.v1.CatalogueService/ListUseCases");
        let codec = ProstCodec::<ListUseCasesRequest, StaticItemList>::default();
        let message = futures_util::stream::once(async { message.await.unwrap() });
        grpc.client_streaming(Request::new(message), path, codec)
            .await
    });
    let mut catalogue = CatalogueServiceClient::new(channel);
    let moved = async {
        while connects.load(Ordering::Relaxed) < 2 {
            let answer = catalogue.list_use_cases(ListUseCasesRequest {}).await;
            assert!(answer.as_ref().err().is_none_or(is_unsent), "{answer:?}");
        }
    };
    let moved = tokio::time::timeout(TIMEOUT, moved).await;
    moved.expect("the client uses another connection");
    assert!(!slow.is_finished());
    send.send(ListUseCasesRequest {}).unwrap();
    let answer = tokio::time::timeout(TIMEOUT, slow).await.unwrap().unwrap();
    answer.unwrap();
}

async fn no_call_of_an_edge_fails_while_its_connections_are_replaced(app: Arc<TestApp>) {
    let limits = Limits {
        age: Some(AGE),
        ..Limits::grpc()
    };
    let address = port(&app, TlsSettings::default(), limits).await;
    let edge = core_at(&format!("http://{address}")).client().unwrap();
    let until = Instant::now() + 8 * AGE;
    let calls = async || {
        while Instant::now() < until {
            let context = Context::anonymous(&RequestId::fresh(), TIMEOUT);
            let request = ListUseCasesRequest {};
            edge.call::<ListUseCases>(request, &context).await.unwrap();
        }
    };
    futures_util::future::join_all((0..8).map(|_| calls())).await;
}

async fn a_call_without_end_does_not_keep_an_old_connection(app: Arc<TestApp>) {
    let limits = Limits {
        age: Some(AGE),
        grace: AGE,
        ..Limits::grpc()
    };
    let (channel, _) = client(&app, limits).await;
    let mut health = HealthClient::new(channel);
    let watch = health.watch(HealthCheckRequest::default()).await;
    let mut watch = watch.unwrap().into_inner();
    let end = async { while let Ok(Some(_)) = watch.message().await {} };
    tokio::time::timeout(TIMEOUT, end)
        .await
        .expect("it is cut off");
}

tests::on_both_engines!(
    a_call_under_way_ends_well_and_later_ones_use_another_connection,
    no_call_of_an_edge_fails_while_its_connections_are_replaced,
    a_call_without_end_does_not_keep_an_old_connection,
);
