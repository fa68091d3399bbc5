//! The quota of active events.

use core_service::{
    domain::{
        change::Change,
        event::{EventPatch, NewEvent},
        plan::Plan,
        schedule::ScheduleChange,
    },
    service::Error,
};
use test_postgres::Database;
use tokio::task::JoinSet;

use super::{Desk, new_event, public_event, until_served};
use crate::fixtures::{HOUR, Rows, migrate};

fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, Error>) {
    let quota = Error::QuotaExceeded {
        plan: Plan::Free,
        limit: 3,
    };
    assert_eq!(outcome.unwrap_err().to_string(), quota.to_string());
}

async fn drafts_and_public_events_count_until_cancelled_or_over(database: Database) {
    let desk = Desk::open(&database).await;
    let fay = desk.caller("fay@example.org", Plan::Free).await;
    let first = desk.create(&fay, new_event("One")).await;
    desk.create(&fay, public_event("Two")).await;
    desk.create(&fay, public_event("Three")).await;
    assert_refused(desk.events.create(&fay, new_event("Four")).await);
    let account = desk.accounts.get(&fay).await.unwrap();
    assert_eq!(account.active_events, 3);
    assert_eq!(account.active_events_left(), Some(0));

    desk.events.cancel(&fay, first.id, None).await.unwrap();
    desk.create(&fay, new_event("Four")).await;
    assert_refused(desk.events.create(&fay, new_event("Five")).await);
    desk.clock.advance_seconds(2 * HOUR);
    let later = NewEvent {
        start_date: "2030-02-01T00:00Z".to_owned(),
        end_date: None,
        ..new_event("Five")
    };
    for _ in 0..3 {
        desk.create(&fay, later.clone()).await;
    }
    assert_refused(desk.events.create(&fay, later).await);
}

async fn what_is_over_already_does_not_count(database: Database) {
    let desk = Desk::open(&database).await;
    let fay = desk.caller("fay@example.org", Plan::Free).await;
    let past = NewEvent {
        start_date: "2029-01-01T00:00Z".to_owned(),
        end_date: None,
        ..new_event("Past")
    };
    for _ in 0..5 {
        desk.create(&fay, past.clone()).await;
    }
    assert_eq!(desk.accounts.get(&fay).await.unwrap().active_events, 0);
}

async fn moving_a_draft_from_the_past_into_the_future_counts(database: Database) {
    let desk = Desk::open(&database).await;
    let fay = desk.caller("fay@example.org", Plan::Free).await;
    let past = NewEvent {
        start_date: "2029-01-01T00:00Z".to_owned(),
        end_date: None,
        ..new_event("Past")
    };
    let past = desk.create(&fay, past).await;
    let mut active = Vec::new();
    for _ in 0..3 {
        active.push(desk.create(&fay, new_event("Active")).await);
    }
    let starting = |text: &str| EventPatch {
        schedule: ScheduleChange {
            start_date: Change::Set(text.to_owned()),
            ..ScheduleChange::default()
        },
        ..EventPatch::default()
    };
    let into_future = starting("2030-06-01T00:00Z");
    assert_refused(desk.events.update(&fay, past.id, into_future.clone()).await);
    // What counts already may be moved about.
    let earlier = starting("2030-01-01T00:30Z");
    let moved = desk.events.update(&fay, active[0].id, earlier).await;
    assert!(moved.is_ok(), "{moved:?}");
    desk.events.cancel(&fay, active[0].id, None).await.unwrap();
    let moved = desk.events.update(&fay, past.id, into_future).await;
    assert!(moved.is_ok(), "{moved:?}");
}

async fn of_many_creates_at_once_three_succeed_on_the_free_plan(database: Database) {
    let desk = Desk::open(&database).await;
    let fay = desk.caller("fay@example.org", Plan::Free).await;
    let mut calls = JoinSet::new();
    for _ in 0..64 {
        let use_cases = desk.use_cases.clone();
        calls.spawn(async move {
            until_served(|| use_cases.events.create(&fay, new_event("Rush"))).await
        });
    }
    let answers = calls.join_all().await;
    assert_eq!(answers.iter().filter(|one| one.is_ok()).count(), 3);
    for refused in answers.into_iter().filter(Result::is_err) {
        assert_refused(refused);
    }
    assert_eq!(desk.accounts.get(&fay).await.unwrap().active_events, 3);
}

/// The negative control: without the account's lock two transactions count before either adds. On SQLite the one writer
/// is the lock, so there is nothing to leave out.
async fn without_the_lock_two_creates_pass_one_free_place(database: Database) {
    if !database.is_postgres() {
        return;
    }
    let desk = Desk::open(&database).await;
    let fay = desk.caller("fay@example.org", Plan::Free).await.account_id;
    let now = desk.clock.now();
    let rows = Rows::new();
    let mut one = desk.store.begin().await.unwrap();
    let mut other = desk.store.begin().await.unwrap();
    for tx in [&mut one, &mut other] {
        assert_eq!(tx.count_active_events(fay, now).await.unwrap(), 0);
    }
    for mut tx in [one, other] {
        let event = rows.event(fay, 1);
        assert!(tx.insert_event(&event, false).await.unwrap());
        tx.commit().await.unwrap();
    }
    let active = desk.store.count_active_events(fay, now).await.unwrap();
    assert_eq!(active, 2, "both had counted none");
}

test_postgres::on_both_engines!(prepare: migrate;
    drafts_and_public_events_count_until_cancelled_or_over,
    what_is_over_already_does_not_count,
    moving_a_draft_from_the_past_into_the_future_counts,
    of_many_creates_at_once_three_succeed_on_the_free_plan,
    without_the_lock_two_creates_pass_one_free_place,
);
