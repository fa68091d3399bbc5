//! The public catalogue and its total.

use core_service::{
    domain::{cursor::Place, event::Event, instant::Instant},
    storage::Store,
};
use test_postgres::Database;

use crate::fixtures::{HOUR, NOW, Rows, add_account, add_event, migrate, open};

pub(super) async fn list(
    store: &Store,
    now: Instant,
    after: Option<Place>,
    limit: i64,
    offset: i64,
) -> Vec<Event> {
    let found = store.list_live_events(now, after, limit, offset).await;
    let found = found.unwrap().into_iter();
    found.map(|(event, _)| event).collect()
}

async fn marks_lead_to_the_pages_that_offsets_lead_to(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    for number in 0..25 {
        // Some start at the same time.
        add_event(&store, &rows.event(account, number % 9 - 1)).await;
    }
    let all = list(&store, NOW, None, 100, 0).await;
    let mut marks: Vec<Place> = Vec::new();
    while let Some(mark) = store
        .find_mark(NOW, marks.last().copied(), 4)
        .await
        .unwrap()
    {
        marks.push(mark);
    }
    assert_eq!(marks.len(), all.len() / 4);
    for (number, mark) in (1..).zip(marks) {
        assert_eq!(mark.id, all[number * 4 - 1].id.uuid());
        let page = list(&store, NOW, Some(mark), 3, 1).await;
        let expected: Vec<_> = all.iter().skip(number * 4 + 1).take(3).cloned().collect();
        assert_eq!(page, expected);
    }
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
    assert_eq!(list(&store, NOW, None, 100, 0).await, events);
    assert_eq!(list(&store, NOW, None, 2, 1).await, events[1..3].to_vec());
    assert!(list(&store, NOW, None, 2, 4).await.is_empty());
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
    assert_eq!(list(&store, later, None, 100, 0).await.len(), 5);
    let mut swept = Vec::new();
    for _ in 0..3 {
        let mut tx = store.begin().await.unwrap();
        swept.push(tx.unlist_ended_events(later, 10).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(store.count_live_events(later).await.unwrap(), 5);
    }
    assert_eq!(swept, [10, 5, 0]);
    assert_eq!(list(&store, later, None, 100, 0).await.len(), 5);
    // Swept for good: what has ended does not come back when a clock is wrong.
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 5);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    marks_lead_to_the_pages_that_offsets_lead_to,
    the_catalogue_is_paged_by_start_then_id,
    an_event_leaves_the_catalogue_when_it_ends_and_the_sweeper_only_tidies,
);
