//! Maintenance, one round at a time.

use core_service::{
    jobs::Maintenance,
    service::{Commands, Error},
};
use domain::{
    audit::AuditEntry,
    clock::Clock,
    entropy::Entropy,
    job::{Destination, Job, JobKind, Task},
    registration::{Details, NewDetails, Status},
    retention::Retention,
};
use server::CancellationToken;
use storage::{KeyUses, Store};
use test_postgres::Database;

use crate::fixtures::{HOUR, NOW, Rows, add_account, add_event, execute, migrate, open};

fn maintenance_of(store: &Store, clock: &Clock, uses: KeyUses) -> Maintenance {
    let commands = Commands::new(store.clone(), clock.clone(), Entropy::seeded(1));
    Maintenance::new(commands, uses)
}

async fn a_round_sweeps_and_writes_down_uses_of_keys(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    add_event(&store, &rows.event(account, 1)).await;
    let key = rows.key(account);
    let mut tx = store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    tx.commit().await.unwrap();

    let uses = KeyUses::default();
    let maintenance = maintenance_of(&store, &clock, uses.clone());
    uses.record(key.id, NOW);
    uses.record(key.id, NOW.plus_seconds(1));
    clock.advance_seconds(2 * HOUR);
    maintenance.maintain_once().await.unwrap();

    let (found, _) = store.find_key(key.id).await.unwrap().unwrap();
    assert_eq!(found.last_used_at, Some(NOW.plus_seconds(1)));
    assert!(uses.take().is_empty());
    // At its old time the event would still be live, had it not been swept.
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 0);
}

async fn uses_are_stored_once_the_database_is_there_again(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let uses = KeyUses::default();
    let key = Rows::new()
        .key(add_account(&store, &Rows::new()).await.id)
        .id;
    uses.record(key, NOW);
    store.close().await;
    let maintenance = maintenance_of(&store, &clock, uses.clone());
    assert!(maintenance.maintain_once().await.is_err());
    assert_eq!(uses.take(), [(key, NOW)]);
}

async fn stopping_writes_down_the_last_uses(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let key = rows.key(add_account(&store, &rows).await.id);
    let mut tx = store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    tx.commit().await.unwrap();

    let (uses, stop) = (KeyUses::default(), CancellationToken::new());
    uses.record(key.id, NOW);
    stop.cancel();
    maintenance_of(&store, &clock, uses).run(stop).await;
    let (found, _) = store.find_key(key.id).await.unwrap().unwrap();
    assert_eq!(found.last_used_at, Some(NOW));
}

async fn what_is_old_is_deleted(database: Database) {
    const DAY: i64 = 24 * HOUR;
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let account = add_account(&store, &rows).await;
    let (subject, ids) = (account.id.uuid(), Entropy::system());
    let entry = |at| AuditEntry {
        person_id: None,
        grant_id: None,
        id: ids.uuid_v7(at),
        at,
        account_id: Some(account.id),
        actor: "system",
        key_id: None,
        action: "event.create",
        subject_id: subject,
        event_id: None,
        before: None,
        after: None,
        reason: None,
        is_counted: false,
    };
    let job = |occasion| Job {
        task: Task::StockCover,
        subject_id: subject,
        occasion,
        destination: Destination::COVERS,
        trace_parent: None,
    };
    let mut tx = store.begin().await.unwrap();
    for days in [0, 1, 2] {
        tx.insert_audits(&[entry(NOW.plus_seconds(days * DAY))])
            .await
            .unwrap();
    }
    let added = tx.insert_jobs(&[0, 1, 2].map(job), NOW).await.unwrap();
    assert_eq!(added, 3);
    let until = NOW.plus_seconds(60);
    let claimed = tx
        .claim_jobs(&Destination::COVERS, JobKind::StockCover, NOW, until, 2)
        .await
        .unwrap();
    tx.fail_job(&claimed[0], NOW, "refused").await.unwrap();
    let later = NOW.plus_seconds(DAY);
    tx.fail_job(&claimed[1], later, "refused").await.unwrap();
    tx.commit().await.unwrap();

    let retention = Retention {
        audit_days: 1,
        failed_job_days: 2,
        ..Retention::default()
    };
    let maintenance = maintenance_of(&store, &clock, KeyUses::default());
    let maintenance = maintenance.with_retention(retention);
    clock.advance_seconds(2 * DAY + 1);
    maintenance.maintain_once().await.unwrap();
    let kept = store.list_audit(subject, 10).await.unwrap();
    assert_eq!(kept.len(), 1);
    let jobs = store.list_jobs(JobKind::StockCover, 10).await.unwrap();
    let failed: Vec<_> = jobs.iter().filter_map(|job| job.failed_at).collect();
    // The third was never tried: what waits is not deleted, however old it is.
    assert_eq!((jobs.len(), failed), (2, vec![later]));
}

async fn a_step_that_fails_stops_no_other(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    add_event(&store, &rows.event(account, 1)).await;
    let job = Job {
        task: Task::StockCover,
        subject_id: account.uuid(),
        occasion: 0,
        destination: Destination::COVERS,
        trace_parent: None,
    };
    let mut tx = store.begin().await.unwrap();
    tx.insert_jobs(&[job], NOW).await.unwrap();
    tx.commit().await.unwrap();
    let old = "UPDATE events SET indexed_as_of = 0; UPDATE jobs SET failed_at = 0";
    execute(&database, old).await;
    let away = "ALTER TABLE audit_log RENAME TO elsewhere";
    execute(&database, away).await;
    let maintenance = maintenance_of(&store, &clock, KeyUses::default());
    let failure = maintenance.maintain_once().await.unwrap_err();
    assert!(matches!(failure, Error::Internal(_)), "{failure:?}");
    let jobs = store.list_jobs(JobKind::StockCover, 10).await.unwrap();
    assert_eq!(jobs, []);
    assert!(!store.has_events_to_index().await.unwrap());
}

async fn details_that_nobody_took_over_are_deleted(database: Database) {
    const OCCASION: i32 = 7;
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let event = rows.event(account, 1);
    add_event(&store, &event).await;
    let registration = rows.registration(event.id, 1, Status::Confirmed);
    let details = Details {
        name: "Someone else".to_owned(),
        answers: Vec::new(),
    };
    let offered = NewDetails::offered(registration.id, OCCASION, details.clone(), NOW);
    let mut tx = store.begin().await.unwrap();
    tx.insert_registration(&registration).await.unwrap();
    tx.insert_new_details(&[offered]).await.unwrap();
    tx.commit().await.unwrap();
    // As they would be found at their own time, had they not been deleted.
    let left = async || {
        let found = store.find_new_details(registration.id, OCCASION, NOW).await;
        found.unwrap().map(|(new, _)| new)
    };
    let maintenance = maintenance_of(&store, &clock, KeyUses::default());
    clock.advance_seconds(24 * HOUR - 1);
    maintenance.maintain_once().await.unwrap();
    assert_eq!(left().await, Some(details));
    clock.advance_seconds(1);
    maintenance.maintain_once().await.unwrap();
    assert_eq!(left().await, None);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_round_sweeps_and_writes_down_uses_of_keys,
    stopping_writes_down_the_last_uses,
    uses_are_stored_once_the_database_is_there_again,
    what_is_old_is_deleted,
    a_step_that_fails_stops_no_other,
    details_that_nobody_took_over_are_deleted,
);
