//! The public catalogue and its total.

use domain::{event::Event, instant::Instant};
use storage::Store;
use test_postgres::Database;

use crate::fixtures::{HOUR, NOW, Rows, add_account, add_event, migrate, open};

pub(super) async fn list(store: &Store, now: Instant, limit: i64, offset: i64) -> Vec<Event> {
    let found = store.list_live_events(now, limit, offset).await;
    let found = found.unwrap().into_iter();
    found.map(|(event, _)| event).collect()
}

async fn the_catalogue_is_paged_by_start_then_id(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let mut events: Vec<_> = [3, 1, 2, 2, -1]
        .iter()
        .map(|hours| rows.event(account, *hours))
        .collect();
    for event in &events {
        add_event(&store, event).await;
    }
    let mut draft = rows.event(account, 1);
    draft.is_published = false;
    add_event(&store, &draft).await;

    events.pop();
    events.sort_by_key(|event| (event.schedule.start.at, event.id));
    assert_eq!(list(&store, NOW, 100, 0).await, events);
    assert_eq!(list(&store, NOW, 2, 1).await, events[1..3].to_vec());
    assert!(list(&store, NOW, 2, 4).await.is_empty());
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 4);
}

async fn an_event_leaves_the_catalogue_when_it_ends_and_the_sweeper_only_tidies(
    database: Database,
) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    for hours in 1..=20 {
        add_event(&store, &rows.event(account, hours)).await;
    }

    let later = NOW.plus_seconds(15 * HOUR);
    assert_eq!(store.count_live_events(later).await.unwrap(), 5);
    assert_eq!(list(&store, later, 100, 0).await.len(), 5);
    let mut swept = Vec::new();
    for _ in 0..3 {
        let mut tx = store.begin().await.unwrap();
        swept.push(tx.unlist_ended_events(later, 10).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(store.count_live_events(later).await.unwrap(), 5);
    }
    assert_eq!(swept, [10, 5, 0]);
    assert_eq!(list(&store, later, 100, 0).await.len(), 5);
    // Swept for good: what has ended does not come back when a clock is wrong.
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 5);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    the_catalogue_is_paged_by_start_then_id,
    an_event_leaves_the_catalogue_when_it_ends_and_the_sweeper_only_tidies,
);
