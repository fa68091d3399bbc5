//! The limit of open files, which a program raises as far as it may.

use std::process::Command;

use test_postgres::Database;

use super::Running;
use crate::fixtures::migrate;

/// The soft limit of open files of a running process.
fn soft_limit(running: &Running) -> u64 {
    let path = format!("/proc/{}/limits", running.child.id());
    let limits = std::fs::read_to_string(path).unwrap();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.unwrap().split_whitespace().next().unwrap();
    soft.parse().unwrap()
}

/// A shell that lowers the limit of open files and becomes core.
fn limited(by: &str) -> Command {
    let mut shell = Command::new("sh");
    let script = format!("ulimit {by} 300 && exec \"$0\" \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_core-service")]);
    shell
}

#[tokio::test]
async fn a_low_soft_limit_of_open_files_is_raised() {
    let database = Database::sqlite(migrate).await;
    let running = Running::start_by(limited("-Sn"), database.url());
    running.channel().await;
    assert!(soft_limit(&running) > 300);
}

#[tokio::test]
async fn a_low_hard_limit_is_reported_and_core_serves_within_it() {
    let database = Database::sqlite(migrate).await;
    let running = Running::start_by(limited("-n"), database.url());
    running.await_log("the limit of open files is low");
    running.channel().await;
    assert_eq!(soft_limit(&running), 300);
}
