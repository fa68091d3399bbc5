//! What core tells Prometheus.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Instant,
};

use domain::{
    clock::Clock,
    ids::EventId,
    job::{Destination, Job, JobKind},
};
use muster_api::v1::{
    CreateWebhookRequest, GetEventRequest, ListUseCasesRequest, ListWebhooksRequest,
    webhook_service_client::WebhookServiceClient,
};
use test_postgres::Database;
use tonic::transport::Channel;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use uuid::Uuid;

use super::{
    CatalogueServiceClient, EventServiceClient, POLL, Running, TIMEOUT, key, public_event,
    receiver::Receiver, with_key,
};
use crate::fixtures::{HOUR, migrate, open};

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
            r#"muster_rpc_permits{kind="write"} 512.0"#,
            "muster_database_up{} 1.0",
            r#"muster_database_wait_seconds_count{pool="read",outcome="got"}"#,
            r#"muster_database_connections_limit{pool="write"}"#,
            "muster_registration_queue{} 0.0",
            // Whoever reads this page is not counted.
            "muster_http_requests_in_flight{} 0.0",
            "process_start_time_seconds",
        ],
    );
    assert!(!page.contains("grpc.health"), "{page}");
    assert!(!page.contains("secret") && !page.contains(&key), "{page}");
}

/// Two jobs that are due for an hour, and one that has failed. This core has no provider of photographs, so that they wait.
async fn add_jobs(database: &Database) {
    let store = open(database).await;
    let made_at = Clock::system().now().plus_seconds(-HOUR);
    let job = |number| Job::stock_cover(EventId::new(Uuid::from_u128(number)), made_at);
    let mut tx = store.begin().await.unwrap();
    tx.insert_jobs(&[1, 2, 3].map(job), made_at).await.unwrap();
    let (covers, kind) = (Destination::COVERS, JobKind::StockCover);
    let claimed = tx.claim_jobs(&covers, kind, made_at, made_at.plus_seconds(60), 1);
    let claimed = claimed.await.unwrap();
    tx.fail_job(&claimed[0], made_at, "refused").await.unwrap();
    tx.commit().await.unwrap();
    store.close().await;
}

async fn jobs_of_the_database_are_measured(database: Database) {
    add_jobs(&database).await;
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--metrics-addr", "127.0.0.1:0"];
    let running = Running::start_in(folder, database.url(), &arguments);
    let oldest = r#"muster_jobs_oldest_due_seconds{kind="stock_cover"} "#;
    let page = await_samples(
        &address(&running),
        &[
            r#"muster_jobs_due{kind="stock_cover"} 2.0"#,
            r#"muster_jobs_dead{kind="stock_cover"} 1.0"#,
            oldest,
        ],
    );
    let line = page.lines().find_map(|line| line.strip_prefix(oldest));
    let seconds: f64 = line.unwrap().parse().unwrap();
    let longest = 3_600.0 + TIMEOUT.as_secs_f64();
    assert!((3_600.0..longest).contains(&seconds), "{seconds}");
}

async fn webhooks_are_measured(database: Database) {
    let key = key(database.url()).await;
    let secret = "07".repeat(32);
    let arguments = [
        "--metrics-addr",
        "127.0.0.1:0",
        "--webhook-networks",
        "127.0.0.0/8",
        "--secret-key",
        &secret,
    ];
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start_in(folder, database.url(), &arguments);
    let first = address(&running);
    let channel = running.channel().await;
    let mut webhooks = WebhookServiceClient::new(channel.clone());
    let urls = [
        Receiver::start("204 No Content"),
        Receiver::start("500 Internal Server Error\r\nretry-after: 3600"),
        Receiver::start("410 Gone"),
    ]
    .map(|receiver| receiver.url);
    for url in &urls {
        let webhook = CreateWebhookRequest {
            url: Some(url.clone()),
            ..CreateWebhookRequest::default()
        };
        let created = webhooks.create_webhook(with_key(&key, webhook));
        created.await.unwrap();
    }
    let mut events = EventServiceClient::new(channel);
    let event = public_event("A secret title".to_owned());
    events.create_event(with_key(&key, event)).await.unwrap();
    let posted = await_samples(
        &first,
        &[
            r#"muster_webhook_deliveries_total{outcome="delivered"} 1"#,
            r#"muster_webhook_deliveries_total{outcome="refused"}"#,
            r#"muster_webhook_deliveries_total{outcome="busy"} 1"#,
        ],
    );
    assert!(!posted.contains("127.0.0.1"), "{posted}");

    await_attempts(&mut webhooks, &key).await;

    // A core looks at the database as soon as it is there, so another one does not wait for the time to look again.
    drop(running);
    let folder = tempfile::tempdir().unwrap();
    let other = Running::start_in(folder, database.url(), &arguments);
    // What waits for its next attempt is not late.
    await_samples(
        &address(&other),
        &[
            r#"muster_webhooks{state="working"} 1"#,
            r#"muster_webhooks{state="failing"} 1"#,
            r#"muster_webhooks{state="paused"} 0"#,
            r#"muster_webhooks{state="disabled"} 1"#,
            r#"muster_webhook_oldest_undelivered_seconds{state="working"} 0.0"#,
            r#"muster_webhook_oldest_undelivered_seconds{state="failing"} 0.0"#,
        ],
    );
}

/// Waits until the first attempt of each webhook is recorded.
async fn await_attempts(webhooks: &mut WebhookServiceClient<Channel>, key: &str) {
    let until = Instant::now() + TIMEOUT;
    loop {
        let asked = with_key(key, ListWebhooksRequest {});
        let listed = webhooks.list_webhooks(asked).await.unwrap().into_inner();
        let mut all = listed.items.iter();
        if all.all(|one| one.failing_since.is_some() || one.last_success_at.is_some()) {
            return;
        }
        assert!(Instant::now() < until, "{listed:?}");
        tokio::time::sleep(POLL).await;
    }
}

test_postgres::on_both_engines!(
    prepare: migrate;
    core_is_measured,
    webhooks_are_measured,
    jobs_of_the_database_are_measured,
);

#[tokio::test]
async fn a_core_without_a_port_for_metrics_measures_nothing() {
    let database = Database::sqlite(migrate).await;
    let running = Running::start(database.url()).await;
    let logged = running.logged().join("\n");
    assert!(!logged.contains("metrics"), "{logged}");
}
