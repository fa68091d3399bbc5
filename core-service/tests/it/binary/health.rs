//! The command `health`, by which platforms ask whether a core serves.

use std::{net::TcpListener, path::PathBuf, process::Output};

use test_postgres::{Database, Server};

use super::{Running, TIMEOUT, core, output, socket};
use crate::fixtures::migrate;

/// What `health` says with these arguments.
fn health(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = core(arguments);
    command.arg("health");
    let Output { status, stderr, .. } = output(command);
    (status.code(), String::from_utf8(stderr).unwrap())
}

fn address(running: &Running) -> String {
    format!("unix://{}", socket(running.folder.path()).display())
}

fn free_port() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    port.local_addr().unwrap().to_string()
}

/// See the certificates' own words in crates/rpc-client/tests/it/tls.rs.
fn shared(file: &str) -> String {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/rpc-client/tests/it/tls"
    );
    PathBuf::from(folder).join(file).display().to_string()
}

#[tokio::test]
async fn a_core_that_serves_is_healthy_until_it_stops() {
    let database = Database::sqlite(migrate).await;
    let mut running = Running::start_with(database.url(), &["--stop-wait-seconds", "300"]).await;
    let arguments = ["--grpc-addr", &address(&running)];
    assert_eq!(health(&arguments), (Some(0), String::new()));

    // It goes on answering while load balancers learn that it stops.
    running.terminate();
    running.await_log("stopping");
    let until = std::time::Instant::now() + TIMEOUT;
    let (code, said) = loop {
        let (code, said) = health(&arguments);
        if code != Some(0) {
            break (code, said);
        }
        assert!(std::time::Instant::now() < until);
    };
    assert_eq!(code, Some(1));
    assert!(said.contains("does not serve: it stops, or"), "{said}");
    running.channel().await;

    running.terminate();
    running.ended();
    let (code, said) = health(&arguments);
    assert_eq!(code, Some(1));
    assert!(
        said.starts_with("error: nothing answers on unix://"),
        "{said}"
    );
}

#[tokio::test]
async fn a_core_is_asked_over_tls_by_its_own_certificate() {
    let database = Database::sqlite(migrate).await;
    let (address, certificate, key, authority) = (
        free_port(),
        shared("core.pem"),
        shared("core.key"),
        shared("ca.pem"),
    );
    let tls = [
        "--grpc-addr",
        &address,
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
    ];
    let mutual = [&tls[..], &["--tls-client-ca", &authority]].concat();
    for arguments in [&tls[..], &mutual] {
        let serving = [arguments, &["--database-url", database.url()]].concat();
        let running = Running::spawn_in(tempfile::tempdir().unwrap(), core(&serving));
        running.await_log("serving gRPC");
        assert_eq!(health(arguments), (Some(0), String::new()));
        let (code, said) = health(&["--grpc-addr", &address]);
        assert_eq!(code, Some(1), "{said}");
    }
}

#[tokio::test]
async fn the_start_waits_for_a_database_that_is_not_there_yet() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    server.stop();
    let folder = tempfile::tempdir().unwrap();
    let mut running =
        Running::start_in(folder, database.url(), &["--database-wait-seconds", "600"]);
    running.await_log("waiting for the database");
    server.start_again();
    running.channel().await;
    assert_eq!(health(&["--grpc-addr", &address(&running)]).0, Some(0));
    running.terminate();
    assert!(running.ended().success());
}

#[tokio::test]
async fn a_wrong_database_is_said_at_once() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    let (place, host) = database.url().split_once('?').unwrap();
    let wrong = format!("{place}_not?{host}");
    let arguments = ["--grpc-addr", "127.0.0.1:0", "--database-url", &wrong];
    let output = output(core(&arguments));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("does not exist"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
