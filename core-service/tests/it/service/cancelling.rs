//! Cancelling events.

use core_service::domain::{job::JobKind, registration::Status};
use serde_json::json;
use test_postgres::Database;
use tokio::task::JoinSet;

use super::{Desk, public_event};
use crate::fixtures::{HOUR, migrate};

const ONE_OF_EACH: [Status; 4] = Status::ALL;

async fn cancelling_schedules_a_mail_to_each_active_registrant(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, public_event("Rust Meetup")).await;
    desk.register(event.id, &ONE_OF_EACH).await;

    let flood = Some("flood".to_owned());
    let first = desk.events.cancel(&olga, event.id, flood.clone());
    let first = first.await.unwrap();
    assert_eq!(first.registrants_notified, 3);
    assert_eq!(first.reason, flood);
    super::assert_no_event(desk.catalogue.get(&event.slug).await);
    assert_eq!(desk.catalogue.list(50, 0).await.unwrap().count, 0);
    let (_, counters) = desk.events.get(&olga, event.id).await.unwrap();
    assert_eq!(counters.active(), 3);

    let audit = desk.audit(event.id.uuid()).await;
    let expected = json!({
        "actor": "key",
        "action": "event.cancel",
        "before": {"is_cancelled": false},
        "after": {"is_cancelled": true},
        "reason": "flood",
    });
    assert_eq!(audit[1..], [expected]);
}

async fn a_second_cancellation_changes_nothing(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let id = desk.create(&olga, public_event("Rust Meetup")).await.id;
    desk.register(id, &ONE_OF_EACH).await;
    desk.events.cancel(&olga, id, None).await.unwrap();
    desk.clock.advance_seconds(60);
    let again = desk.events.cancel(&olga, id, Some("storm".to_owned()));
    let again = again.await.unwrap();
    assert_eq!((again.reason, again.registrants_notified), (None, 0));
    assert_eq!(desk.audit(id.uuid()).await.len(), 2);
    assert_eq!(
        desk.store
            .list_jobs(JobKind::CancellationMail, 100)
            .await
            .unwrap()
            .len(),
        3
    );
}

async fn nobody_is_told_that_what_is_over_is_cancelled(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let id = desk.create(&olga, public_event("Rust Meetup")).await.id;
    desk.register(id, &ONE_OF_EACH).await;
    desk.clock.advance_seconds(2 * HOUR);
    let late = desk.events.cancel(&olga, id, None).await.unwrap();
    assert_eq!(late.registrants_notified, 0);
    let (event, _) = desk.events.get(&olga, id).await.unwrap();
    assert!(event.is_cancelled);
    let jobs = desk
        .store
        .list_jobs(JobKind::CancellationMail, 100)
        .await
        .unwrap();
    assert!(jobs.is_empty());
}

async fn many_cancellations_at_once_schedule_mail_once(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let id = desk.create(&olga, public_event("Rust Meetup")).await.id;
    desk.register(id, &ONE_OF_EACH).await;
    let mut calls = JoinSet::new();
    for number in 0..16 {
        let use_cases = desk.use_cases.clone();
        calls.spawn(async move {
            let reason = Some(format!("reason {number}"));
            use_cases.events.cancel(&olga, id, reason).await.unwrap()
        });
    }
    let answers = calls.join_all().await;
    let notified: i32 = answers.iter().map(|one| one.registrants_notified).sum();
    assert_eq!(notified, 3);
    assert!(answers.iter().all(|one| one.reason == answers[0].reason));
    assert_eq!(
        desk.store
            .list_jobs(JobKind::CancellationMail, 100)
            .await
            .unwrap()
            .len(),
        3
    );
}

test_postgres::on_both_engines!(prepare: migrate;
    cancelling_schedules_a_mail_to_each_active_registrant,
    a_second_cancellation_changes_nothing,
    nobody_is_told_that_what_is_over_is_cancelled,
    many_cancellations_at_once_schedule_mail_once,
);
