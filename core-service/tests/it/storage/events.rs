//! Events, their counters and registrations.

use domain::{
    event::{CustomField, FieldId, FieldType, Reminders},
    ids::{AccountId, EventId},
    person::Reach,
    registration::{Counters, Status},
};
use storage::{Error, EventFilter};
use test_postgres::Database;
use uuid::Uuid;

use crate::fixtures::{
    HOUR, NOW, Rows, add_account, add_event, add_registrations, event_time, migrate, open,
};

async fn an_event_comes_back_as_it_was_stored(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let mut event = rows.event(account, 1);
    event.schedule.end = Some(event_time(NOW.plus_seconds(2 * HOUR)));
    event.image_query = Some("party".to_owned());
    event.organizer_name = Some("Größe e.V.".to_owned());
    event.contact_email = Some("hello@example.org".to_owned());
    event.published_start = Some(NOW.plus_seconds(HOUR));
    event.reminders = Reminders::new(vec![24, 2]);
    event.reminders_missed = Reminders::new(vec![24]);
    event.custom_fields = vec![CustomField {
        id: Some(FieldId::of_label("Diet")),
        label: "Diet".to_owned(),
        field_type: FieldType::Select,
        required: true,
        options: vec!["none".to_owned(), "vegan".to_owned()],
    }];
    add_event(&store, &event).await;
    let mut sparse = rows.event(account, 3);
    sparse.city = None;
    sparse.is_published = false;
    add_event(&store, &sparse).await;

    for event in [event, sparse] {
        let found = store
            .find_account_event(account, Reach::Account, event.id)
            .await
            .unwrap();
        assert_eq!(found, Some((event.clone(), Counters::default())));
        let found = store.find_event_by_slug(&event.slug).await.unwrap();
        assert_eq!(found, Some(event));
    }
}

async fn an_event_is_nobody_elses(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let owner = add_account(&store, &rows).await.id;
    let other = add_account(&store, &rows).await.id;
    let event = rows.event(owner, 1);
    add_event(&store, &event).await;

    assert_eq!(
        store
            .find_account_event(other, Reach::Account, event.id)
            .await
            .unwrap(),
        None
    );
    let nil = EventId::new(Uuid::nil());
    assert_eq!(
        store
            .find_account_event(owner, Reach::Account, nil)
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        store
            .count_account_events(other, &EventFilter::All.into(), NOW, i64::MAX)
            .await
            .unwrap(),
        0
    );
    let tx = store.begin().await.unwrap();
    assert_eq!(
        tx.find_account_event(other, Reach::Account, event.id)
            .await
            .unwrap(),
        None
    );
    assert!(
        tx.find_account_event(owner, Reach::Account, event.id)
            .await
            .unwrap()
            .is_some()
    );
}

async fn a_taken_slug_leaves_the_transaction_usable(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let first = rows.event(account, 1);
    add_event(&store, &first).await;
    let mut second = rows.event(account, 1);
    second.slug.clone_from(&first.slug);

    let mut tx = store.begin().await.unwrap();
    assert!(!tx.insert_event(&second, true).await.unwrap());
    second.slug.push_str("-2");
    assert!(tx.insert_event(&second, true).await.unwrap());
    tx.commit().await.unwrap();

    assert_eq!(store.count_live_events(NOW).await.unwrap(), 2);
    assert_eq!(
        store.find_event_by_slug(&second.slug).await.unwrap(),
        Some(second)
    );
}

async fn an_update_leaves_owner_slug_and_cancellation_alone(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let stored = rows.event(account, 1);
    add_event(&store, &stored).await;

    let mut changed = rows.event(AccountId::new(Uuid::nil()), 5);
    changed.id = stored.id;
    changed.title = String::from("Other");
    changed.schedule.end = Some(event_time(NOW.plus_seconds(7 * HOUR)));
    changed.schedule.timezone = String::from("Asia/Tokyo");
    changed.max_capacity = 5;
    changed.is_published = false;
    changed.is_cancelled = true;
    changed.image_query = Some("sea".to_owned());
    changed.organizer_name = Some("Sea".to_owned());
    changed.contact_email = Some("sea@example.org".to_owned());
    changed.published_start = Some(NOW);
    changed.sequence = 1;
    changed.updated_at = NOW.plus_seconds(1);
    let mut tx = store.begin().await.unwrap();
    tx.update_event(&changed, false).await.unwrap();
    tx.commit().await.unwrap();

    let mut expected = changed.clone();
    expected.account_id = account;
    expected.slug = stored.slug;
    expected.is_cancelled = false;
    let (found, _) = store
        .find_account_event(account, Reach::Account, stored.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found, expected);

    changed.id = EventId::new(Uuid::nil());
    let mut tx = store.begin().await.unwrap();
    let missing = tx.update_event(&changed, false).await;
    assert!(
        matches!(missing, Err(Error::Missing("event"))),
        "{missing:?}"
    );
}

async fn the_filters_split_an_accounts_events_and_list_active_ones_with_the_next_start_first(
    database: Database,
) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let starts = [-2, -1, 0, 1, 2, 3, 3];
    let mut events: Vec<_> = starts
        .iter()
        .map(|hours| rows.event(account, *hours))
        .collect();
    for event in &events {
        add_event(&store, event).await;
    }
    let cancelled = events[3].id;
    let mut tx = store.begin().await.unwrap();
    assert!(tx.mark_cancelled(cancelled, None, NOW).await.unwrap());
    tx.commit().await.unwrap();

    events.sort_by_key(|event| std::cmp::Reverse((event.schedule.start.at, event.id)));
    let all: Vec<_> = events.iter().map(|event| event.id).collect();
    let past: Vec<_> = all[4..].to_vec();
    let active: Vec<_> = all[..3].iter().rev().copied().collect();
    for (filter, expected) in [
        (EventFilter::All, all),
        (EventFilter::Past, past),
        (EventFilter::Active, active),
    ] {
        let listed = store
            .list_account_events(account, &filter.into(), NOW, None, 100)
            .await
            .unwrap();
        let listed: Vec<_> = listed.into_iter().map(|event| event.id).collect();
        assert_eq!(listed, expected, "{filter:?}");
        let count = store
            .count_account_events(account, &filter.into(), NOW, i64::MAX)
            .await
            .unwrap();
        assert_eq!(count, i64::try_from(expected.len()).unwrap(), "{filter:?}");
        let first = store
            .list_account_events(account, &filter.into(), NOW, None, 1)
            .await
            .unwrap();
        assert_eq!(first.len(), 1, "{filter:?}");
    }
    assert_eq!(store.count_active_events(account, NOW, 9).await.unwrap(), 3);
    let tx = store.begin().await.unwrap();
    assert_eq!(tx.count_active_events(account, NOW, 2).await.unwrap(), 2);
}

async fn registrations_are_counted_by_status_and_listed_in_order(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let event = rows.event(account, 1);
    add_event(&store, &event).await;
    let registrations = add_registrations(
        &store,
        &rows,
        event.id,
        &[
            Status::Confirmed,
            Status::Cancelled,
            Status::Pending,
            Status::Confirmed,
            Status::Waitlisted,
        ],
    )
    .await;

    assert_eq!(
        store.list_registrations(event.id, 0, 100).await.unwrap(),
        registrations
    );
    assert_eq!(
        store.list_registrations(event.id, 0, 2).await.unwrap(),
        registrations[..2].to_vec()
    );
    let counters = Counters {
        confirmed: 2,
        pending: 1,
        waitlisted: 1,
        cancelled: 1,
        checked_in: 2,
        ..Counters::default()
    };
    let (_, found) = store
        .find_account_event(account, Reach::Account, event.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found, counters);
    let mut tx = store.begin().await.unwrap();
    assert_eq!(tx.lock_counters(event.id).await.unwrap(), Some(counters));
    assert_eq!(
        tx.lock_counters(EventId::new(Uuid::nil())).await.unwrap(),
        None
    );
}

async fn an_address_registers_once_unless_it_cancelled(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let event = rows.event(account, 1);
    add_event(&store, &event).await;
    add_registrations(
        &store,
        &rows,
        event.id,
        &[Status::Cancelled, Status::Confirmed],
    )
    .await;

    let mut again = rows.registration(event.id, 3, Status::Pending);
    again.email = String::from("guest1@EXAMPLE.org");
    let mut tx = store.begin().await.unwrap();
    tx.insert_registration(&again).await.unwrap();
    tx.commit().await.unwrap();

    again = rows.registration(event.id, 4, Status::Pending);
    again.email = String::from("guest2@EXAMPLE.org");
    let mut tx = store.begin().await.unwrap();
    let taken = tx.insert_registration(&again).await;
    assert!(matches!(taken, Err(Error::Duplicate { .. })), "{taken:?}");
}

async fn cancelling_keeps_the_first_reason(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let event = rows.event(account, 1);
    add_event(&store, &event).await;

    let mut tx = store.begin().await.unwrap();
    assert!(
        tx.mark_cancelled(event.id, Some("rain"), NOW)
            .await
            .unwrap()
    );
    let later = NOW.plus_seconds(1);
    assert!(
        !tx.mark_cancelled(event.id, Some("snow"), later)
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();

    let (found, _) = store
        .find_account_event(account, Reach::Account, event.id)
        .await
        .unwrap()
        .unwrap();
    assert!(found.is_cancelled);
    assert_eq!(found.cancel_reason.as_deref(), Some("rain"));
    assert_eq!(found.cancelled_at, Some(NOW));
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 0);
}

async fn what_is_not_committed_leaves_nothing(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let event = rows.event(account, 1);
    let mut tx = store.begin().await.unwrap();
    assert!(tx.insert_event(&event, true).await.unwrap());
    drop(tx);

    assert_eq!(store.find_event_by_slug(&event.slug).await.unwrap(), None);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 0);
    add_event(&store, &event).await;
}

test_postgres::on_both_engines!(
    prepare: migrate;
    an_event_comes_back_as_it_was_stored,
    an_event_is_nobody_elses,
    a_taken_slug_leaves_the_transaction_usable,
    an_update_leaves_owner_slug_and_cancellation_alone,
    the_filters_split_an_accounts_events_and_list_active_ones_with_the_next_start_first,
    registrations_are_counted_by_status_and_listed_in_order,
    an_address_registers_once_unless_it_cancelled,
    cancelling_keeps_the_first_reason,
    what_is_not_committed_leaves_nothing,
);
