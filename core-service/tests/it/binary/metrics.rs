//! What core tells Prometheus.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Instant,
};

use muster_api::v1::{GetEventRequest, ListUseCasesRequest};
use test_postgres::Database;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::{
    CatalogueServiceClient, EventServiceClient, POLL, Running, TIMEOUT, key, public_event, with_key,
};
use crate::fixtures::migrate;

/// The address that a core has logged for its metrics.
fn address(running: &Running) -> String {
    loop {
        let line = running.log.recv_timeout(TIMEOUT).unwrap();
        if line.contains("serving metrics") {
            let address = line.split("address=").nth(1).unwrap();
            return address.trim().to_owned();
        }
    }
}

fn page(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

/// Reads the page until it has all of these samples.
fn await_samples(address: &str, samples: &[&str]) -> String {
    let until = Instant::now() + TIMEOUT;
    loop {
        let page = page(address);
        let missing = samples.iter().find(|sample| !page.contains(**sample));
        let Some(missing) = missing else {
            return page;
        };
        assert!(Instant::now() < until, "{missing} is not in {page}");
        std::thread::sleep(POLL);
    }
}

async fn core_is_measured(database: Database) {
    let key = key(database.url()).await;
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--metrics-addr", "127.0.0.1:0"];
    let running = Running::start_in(folder, database.url(), &arguments);
    let address = address(&running);
    let channel = running.channel().await;
    let mut health = HealthClient::new(channel.clone());
    health.check(HealthCheckRequest::default()).await.unwrap();
    let mut catalogue = CatalogueServiceClient::new(channel.clone());
    let asked = ListUseCasesRequest {};
    catalogue.list_use_cases(asked).await.unwrap();
    let slug = "a-secret-slug".to_owned();
    let missing = GetEventRequest { slug };
    catalogue.get_event(missing).await.unwrap_err();
    let mut events = EventServiceClient::new(channel);
    let event = public_event("A secret title".to_owned());
    events.create_event(with_key(&key, event)).await.unwrap();

    let page = await_samples(
        &address,
        &[
            r#"muster_rpc_duration_seconds_count{rpc="muster.v1.CatalogueService/ListUseCases",code="OK"} 1"#,
            r#"muster_rpc_duration_seconds_count{rpc="muster.v1.CatalogueService/GetEvent",code="NOT_FOUND"} 1"#,
            r#"muster_rpc_duration_seconds_count{rpc="muster.v1.EventService/CreateEvent",code="OK"} 1"#,
            r#"muster_rpc_places{kind="write"} 512.0"#,
            "muster_database_up{} 1.0",
            r#"muster_database_wait_seconds_count{pool="read",outcome="got"}"#,
            r#"muster_database_connections_limit{pool="write"}"#,
            "muster_registration_queue{} 0.0",
            "process_start_time_seconds",
        ],
    );
    assert!(!page.contains("grpc.health"), "{page}");
    assert!(!page.contains("secret") && !page.contains(&key), "{page}");
}

#[tokio::test]
async fn core_is_measured_on_sqlite() {
    core_is_measured(Database::sqlite(migrate).await).await;
}

#[tokio::test]
async fn core_is_measured_on_postgres() {
    if let Some(database) = Database::postgres(migrate).await {
        core_is_measured(database).await;
    }
}

#[tokio::test]
async fn a_core_without_a_port_for_metrics_measures_nothing() {
    let database = Database::sqlite(migrate).await;
    let running = Running::start(database.url()).await;
    let logged = running.logged().join("\n");
    assert!(!logged.contains("metrics"), "{logged}");
}
