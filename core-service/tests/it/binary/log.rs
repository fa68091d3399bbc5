//! What core logs of calls.

use std::process::Command;

use muster_api::v1::ListUseCasesRequest;
use test_postgres::Database;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::{CatalogueServiceClient, Running, TIMEOUT};
use crate::fixtures::migrate;

#[tokio::test]
async fn a_call_without_an_id_is_logged_with_the_one_that_it_answers() {
    let database = Database::sqlite(migrate).await;
    let running = Running::start(database.url()).await;
    let mut catalogue = CatalogueServiceClient::new(running.channel().await);
    let answer = catalogue.list_use_cases(ListUseCasesRequest {}).await;
    let answer = answer.unwrap();
    let id = answer.metadata().get("x-request-id").unwrap();
    running.await_log(&format!("request_id={}", id.to_str().unwrap()));
}

#[tokio::test]
async fn health_checks_are_not_logged() {
    let database = Database::sqlite(migrate).await;
    let running = Running::start(database.url()).await;
    let mut health = HealthClient::new(running.channel().await);
    health.check(HealthCheckRequest::default()).await.unwrap();
    let mut catalogue = CatalogueServiceClient::new(running.channel().await);
    catalogue
        .list_use_cases(ListUseCasesRequest {})
        .await
        .unwrap();
    loop {
        let line = running.log.recv_timeout(TIMEOUT).unwrap();
        assert!(!line.contains("grpc.health"), "{line}");
        if line.contains("ListUseCases") {
            break;
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_core_whose_log_cannot_be_written_answers_all_the_same() {
    let database = Database::sqlite(migrate).await;
    let mut command = Command::new("sh");
    command
        .args(["-c", "exec \"$0\" \"$@\" 2>/dev/full"])
        .arg(env!("CARGO_BIN_EXE_core-service"));
    let running = Running::start_by(command, database.url());
    let mut catalogue = CatalogueServiceClient::new(running.channel().await);
    for _ in 0..3 {
        let answer = catalogue.list_use_cases(ListUseCasesRequest {}).await;
        answer.unwrap();
    }
}

/// A pipe is full after 64 kB; a thousand lines at the level `trace` are more.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_core_whose_log_nobody_reads_answers_and_stops_all_the_same() {
    let database = Database::sqlite(migrate).await;
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command
        .env("PIPE", folder.path().join("log"))
        .args([
            "-c",
            "mkfifo $PIPE && exec 3<>$PIPE && exec \"$0\" \"$@\" 2>$PIPE",
        ])
        .arg(env!("CARGO_BIN_EXE_core-service"));
    let mut running = Running::spawn(command, folder, database.url(), &["--log", "trace"]);
    let mut catalogue = CatalogueServiceClient::new(running.channel().await);
    for _ in 0..200 {
        let answer = catalogue.list_use_cases(ListUseCasesRequest {}).await;
        answer.unwrap();
    }
    running.terminate();
    assert!(running.ended().success());
}
