//! What holds when many act at once, each with a control that shows the race when its guard is off.

use std::sync::Arc;

use core_service::{
    domain::{event::Event, job::JobKind, registration::Status},
    storage::{Error, Store},
};
use test_postgres::Database;
use tokio::{sync::Barrier, task::JoinSet};

use crate::fixtures::{NOW, Rows, add_account, add_event, add_registrations, migrate, open};

const QUOTA: i64 = 3;

/// What the use case does: lock, count, insert. False when the quota is reached. Who waits too long for a connection, behind
/// those who wait for the lock, comes again.
async fn create_within_quota(store: Store, event: Event) -> bool {
    let mut tx = loop {
        match store.begin().await {
            Err(Error::Unavailable(_)) => {}
            begun => break begun.unwrap(),
        }
    };
    tx.lock_account(event.account_id).await.unwrap().unwrap();
    if tx.count_active_events(event.account_id, NOW).await.unwrap() >= QUOTA {
        return false;
    }
    assert!(tx.insert_event(&event, true).await.unwrap());
    tx.commit().await.unwrap();
    true
}

async fn sixty_four_creates_at_once_leave_exactly_the_quota(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let mut creates = JoinSet::new();
    for _ in 0..64 {
        creates.spawn(create_within_quota(store.clone(), rows.event(account, 1)));
    }
    let made = creates
        .join_all()
        .await
        .into_iter()
        .filter(|made| *made)
        .count();
    assert_eq!(made, 3);
    assert_eq!(
        store.count_active_events(account, NOW).await.unwrap(),
        QUOTA
    );
    assert_eq!(store.count_live_events(NOW).await.unwrap(), QUOTA);
}

/// The control: all count before any inserts. SQLite cannot show it, since there a transaction is the only one.
async fn without_the_account_lock_the_quota_is_oversold(database: Database) {
    const CREATES: usize = 8;
    if !database.is_postgres() {
        return;
    }
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let counted = Arc::new(Barrier::new(CREATES));
    let mut creates = JoinSet::new();
    for _ in 0..CREATES {
        let (store, event, counted) = (store.clone(), rows.event(account, 1), counted.clone());
        creates.spawn(async move {
            let mut tx = store.begin().await.unwrap();
            let count = tx.count_active_events(account, NOW).await.unwrap();
            counted.wait().await;
            if count < QUOTA {
                assert!(tx.insert_event(&event, true).await.unwrap());
            }
            tx.commit().await.unwrap();
        });
    }
    creates.join_all().await;
    assert_eq!(store.count_active_events(account, NOW).await.unwrap(), 8);
}

async fn cancelling_at_once_schedules_mail_once(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let event = rows.event(add_account(&store, &rows).await.id, 1);
    add_event(&store, &event).await;
    let statuses = [
        Status::Confirmed,
        Status::Cancelled,
        Status::Waitlisted,
        Status::Pending,
    ];
    add_registrations(&store, &rows, event.id, &statuses).await;

    let mut cancels = JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        cancels.spawn(async move {
            let mut tx = store.begin().await.unwrap();
            tx.lock_counters(event.id).await.unwrap().unwrap();
            if !tx.mark_cancelled(event.id, None, NOW).await.unwrap() {
                return 0;
            }
            let scheduled = tx.schedule_cancellation_mails(event.id, NOW).await.unwrap();
            tx.commit().await.unwrap();
            scheduled
        });
    }
    let mut scheduled = cancels.join_all().await;
    scheduled.sort_unstable();
    assert_eq!(scheduled, [0, 0, 0, 0, 0, 0, 0, 3]);
    assert_eq!(
        store
            .list_jobs(JobKind::CancellationMail, 10)
            .await
            .unwrap()
            .len(),
        3
    );

    // The control: without the comparison in `mark_cancelled` the second would schedule again, and fail on the jobs' keys.
    let mut tx = store.begin().await.unwrap();
    let again = tx.schedule_cancellation_mails(event.id, NOW).await;
    assert!(matches!(again, Err(Error::Duplicate { .. })), "{again:?}");
}

test_postgres::on_both_engines!(
    prepare: migrate;
    sixty_four_creates_at_once_leave_exactly_the_quota,
    without_the_account_lock_the_quota_is_oversold,
    cancelling_at_once_schedules_mail_once,
);
