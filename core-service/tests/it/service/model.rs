//! Events against a model that fits on a page: whatever is done in whatever order, every list and every detail agree.
//!
//! The model of the whole system (`tests/tests/it/model.rs`) knows more, strangers among it, but asks over the network and
//! so plays a fifth of the commands in five times the time. A quota that is forgotten when an event is moved into the future
//! escaped it in each of three runs, and this one in none.

mod command;
mod play;
mod world;

use std::sync::atomic::{AtomicU32, Ordering};

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use test_postgres::Database;

use self::{
    command::{CASE_LENGTH, Command, command},
    play::Case,
};
use super::Desk;
use crate::fixtures::{HOUR, migrate};

/// Some seconds' worth; `PROPTEST_CASES=1000` plays more.
const CASES: u32 = 40;

async fn the_service_agrees_with_the_model(database: Database) {
    let desk = Desk::open(&database).await;
    let cases = AtomicU32::new(0);
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let mut runner = TestRunner::new(config);
    let run = |commands: Vec<Command>| {
        // The next case begins when everything of the last is long over and gone from the catalogue.
        desk.clock.advance_seconds(1_000 * HOUR);
        let number = cases.fetch_add(1, Ordering::Relaxed);
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let mut case = Case::begin(&desk, number).await;
                for command in commands {
                    case.run(command).await;
                    case.compare().await;
                }
            });
        });
        Ok(())
    };
    let commands = prop::collection::vec(command(), CASE_LENGTH);
    runner.run(&commands, run).unwrap();
}

test_postgres::on_both_engines!(prepare: migrate; the_service_agrees_with_the_model);
