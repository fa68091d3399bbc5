//! Cores are replaced one after the other, as in a rolling update, and no call of an edge fails.

use std::{
    net::{SocketAddr, TcpListener},
    process::Command,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Instant,
};

use futures_util::future::join_all;
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use muster_api::v1::{
    ListEventsRequest,
    bindings::{CreateEvent, ListEvents},
};
use rpc_client::{Context, Core, CoreSettings};
use server::observe::RequestId;
use test_postgres::Database;

use super::{POLL, Running, TIMEOUT, configured, key, public_event};
use crate::fixtures::migrate;

const CLIENTS: usize = 8;

/// How many calls are answered before each change, at least.
const BETWEEN: usize = 50;

fn free_port() -> SocketAddr {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    port.local_addr().unwrap()
}

/// An edge's client of cores at these addresses.
fn client(addresses: &[SocketAddr]) -> Core {
    let urls: Vec<_> = addresses
        .iter()
        .map(|address| format!("http://{address}"))
        .collect();
    let settings = CoreSettings {
        core_url: urls.join(",").parse().unwrap(),
        core_ca: None,
        core_cert: None,
        core_key: None,
        edge_token: None,
    };
    settings.client().unwrap()
}

/// Starts a core on a port and waits until it answers.
async fn start(address: SocketAddr, database: &Database) -> Running {
    start_with(address, database, &[]).await
}

async fn start_with(address: SocketAddr, database: &Database, more: &[&str]) -> Running {
    let binary = Command::new(env!("CARGO_BIN_EXE_core-service"));
    let address = address.to_string();
    let settings = ["--grpc-addr", &address, "--database-url", database.url()];
    let settings = [&settings, more].concat();
    let running = Running::spawn_in(tempfile::tempdir().unwrap(), configured(binary, &settings));
    let core = client(&[address.parse().unwrap()]);
    until(async || core.is_serving(&RequestId::fresh()).await.is_ok()).await;
    running
}

async fn until(mut condition: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !condition().await {
        assert!(start.elapsed() < TIMEOUT);
        tokio::time::sleep(POLL).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_fails_while_cores_are_replaced() {
    let Some(database) = Database::postgres(migrate).await else {
        return;
    };
    let credential = format!("Bearer {}", key(database.url()).await);
    let headers =
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::try_from(credential).unwrap())]);
    let addresses = [free_port(), free_port()];
    let mut cores = [
        start(addresses[0], &database).await,
        start(addresses[1], &database).await,
    ];
    let edge = client(&addresses);
    let (answered, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let call = async |number: usize| {
        let mut created = 0;
        while !done.load(Ordering::Relaxed) {
            let context = Context::from_headers(&headers, &RequestId::fresh(), TIMEOUT);
            if number.is_multiple_of(2) {
                created += 1;
                let event = public_event(format!("Client {number}, event {created}"));
                edge.call::<CreateEvent>(event, &context).await.unwrap();
            } else {
                let request = ListEventsRequest::default();
                edge.call::<ListEvents>(request, &context).await.unwrap();
            }
            answered.fetch_add(1, Ordering::Relaxed);
        }
    };
    let more = async || {
        let enough = answered.load(Ordering::Relaxed) + BETWEEN;
        until(async || answered.load(Ordering::Relaxed) >= enough).await;
    };
    let replace = async {
        for (core, address) in cores.iter_mut().zip(addresses) {
            more().await;
            core.terminate();
            until(async || core.child.try_wait().unwrap().is_some()).await;
            assert!(core.ended().success());
            more().await;
            *core = start(address, &database).await;
        }
        more().await;
        done.store(true, Ordering::Relaxed);
    };
    tokio::join!(replace, join_all((0..CLIENTS).map(call)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edge_is_ready_while_one_of_its_cores_is_about_to_stop() {
    let Some(database) = Database::postgres(migrate).await else {
        return;
    };
    let addresses = [free_port(), free_port()];
    let leaving = start_with(addresses[0], &database, &["--stop-wait-seconds", "300"]).await;
    let _staying = start(addresses[1], &database).await;
    leaving.terminate();
    let alone = client(&addresses[..1]);
    until(async || alone.is_serving(&RequestId::fresh()).await.is_err()).await;
    let both = client(&addresses);
    for _ in 0..BETWEEN {
        both.is_serving(&RequestId::fresh()).await.unwrap();
    }
}
