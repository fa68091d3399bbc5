//! The runner with several destinations: each has its own slots, its own pause and its time slice.

use std::time::Duration;

use core_service::jobs::{LaneLimits, Limits, Runner};
use domain::{
    clock::Clock,
    job::{Destination, Job},
};
use server::CancellationToken;
use storage::JobRecord;
use test_postgres::Database;

use super::{Behaviour, Scripted, add_jobs, job, jobs, runner};
use crate::fixtures::{NOW, migrate, open};

fn endpoint(name: &str) -> Destination {
    Destination::new(format!("https://{name}.example"))
}

/// Limits with few slots, for tests of a runner that works by itself.
fn few_slots() -> Limits {
    Limits {
        other: LaneLimits {
            slots: 2,
            ..LaneLimits::OTHER
        },
        poll_interval: Duration::from_millis(10),
        ..Limits::default()
    }
}

async fn a_destination_that_hangs_holds_no_slot_of_another(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..20, &endpoint("quick")).await;
    add_jobs(&store, 100..120, &endpoint("hangs")).await;
    let handler = Scripted::with_other(Behaviour::Succeed, 100, Behaviour::Hang);
    let (stop, runner) = (CancellationToken::new(), runner(&store, &clock, &handler));
    let running = tokio::spawn(runner.with_limits(few_slots()).run(stop.clone()));

    handler.started.acquire_many(20 + 2).await.unwrap().forget();
    // Jobs that come while it hangs are done, too.
    add_jobs(&store, 20..40, &endpoint("quick")).await;
    handler.started.acquire_many(20).await.unwrap().forget();
    stop.cancel();
    handler.released.add_permits(2);
    running.await.unwrap();
    assert_eq!(handler.tries(), 42);
    assert_eq!(jobs(&store).await.len(), 18);
}

async fn a_destination_that_does_not_work_pauses_no_other(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..20, &endpoint("works")).await;
    add_jobs(&store, 100..140, &endpoint("away")).await;
    let handler = Scripted::with_other(Behaviour::Succeed, 100, Behaviour::FindNobody);
    let runner = runner(&store, &clock, &handler);
    assert_eq!(runner.drain().await.unwrap(), 20 + 16);
    add_jobs(&store, 20..40, &endpoint("works")).await;
    assert_eq!(runner.drain().await.unwrap(), 20);
    assert_eq!(jobs(&store).await.len(), 40);
    clock.advance_seconds(6);
    assert_eq!(runner.drain().await.unwrap(), 1);
}

/// More of them than are looked at in one query, and more than are worked for at a time.
async fn every_destination_is_served(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let jobs_of_all: Vec<Job> = (0..300)
        .map(|number| job(number, &Destination::new(format!("webhook:{number}"))))
        .collect();
    let mut tx = store.begin().await.unwrap();
    tx.insert_jobs(&jobs_of_all, NOW).await.unwrap();
    tx.commit().await.unwrap();
    let handler = Scripted::new(Behaviour::Succeed);
    let (stop, runner) = (CancellationToken::new(), runner(&store, &clock, &handler));
    let running = tokio::spawn(runner.with_limits(few_slots()).run(stop.clone()));
    handler.started.acquire_many(300).await.unwrap().forget();
    stop.cancel();
    running.await.unwrap();
    assert!(jobs(&store).await.is_empty());

    let mut tx = store.begin().await.unwrap();
    tx.insert_jobs(&jobs_of_all, NOW).await.unwrap();
    tx.commit().await.unwrap();
    let again = Runner::new(store.clone(), clock, vec![handler.clone()]);
    assert_eq!(again.drain().await.unwrap(), 300);
    assert_eq!(handler.tries(), 600);
}

async fn slow_receivers_yield_their_lanes_to_those_that_wait(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    for (name, jobs) in [("a", 100..120), ("b", 120..140), ("z", 0..4)] {
        let receiver = Destination::new(format!("webhook:{name}"));
        add_jobs(&store, jobs, &receiver).await;
    }
    let handler = Scripted::with_other(Behaviour::Succeed, 100, Behaviour::Hang);
    let limits = Limits {
        webhook: LaneLimits {
            slots: 1,
            ..LaneLimits::WEBHOOK
        },
        webhook_lanes: 2,
        webhook_time_slice: Duration::ZERO,
        ..few_slots()
    };
    let (stop, runner) = (CancellationToken::new(), runner(&store, &clock, &handler));
    let running = tokio::spawn(runner.with_limits(limits).run(stop.clone()));
    handler.started.acquire_many(2).await.unwrap().forget();
    let first_slow = job(100, &endpoint("a")).subject_id;
    let quick_tries = || {
        let tries = handler.tries.lock().unwrap();
        tries
            .keys()
            .filter(|subject| **subject < first_slow)
            .count()
    };
    let quick_ones_are_done = async {
        while quick_tries() < 4 {
            // A slow one ends its try, and whoever waits begins one.
            handler.released.add_permits(1);
            handler.started.acquire().await.unwrap().forget();
        }
    };
    let done = tokio::time::timeout(Duration::from_mins(1), quick_ones_are_done);
    assert!(done.await.is_ok(), "the slow ones keep both lanes");
    stop.cancel();
    handler.released.add_permits(2);
    running.await.unwrap();
    let left = jobs(&store).await;
    assert!(left.len() >= 40 - 20, "{}", left.len());
    let is_slow = |left: &JobRecord| left.key.subject_id >= first_slow;
    assert!(left.iter().all(is_slow));
    // What was claimed and did not begin is due at once, with all its tries.
    let is_untried = |left: &JobRecord| left.tries == 0 && left.due_at <= NOW;
    assert!(left.iter().all(is_untried));
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_destination_that_hangs_holds_no_slot_of_another,
    a_destination_that_does_not_work_pauses_no_other,
    every_destination_is_served,
    slow_receivers_yield_their_lanes_to_those_that_wait,
);
