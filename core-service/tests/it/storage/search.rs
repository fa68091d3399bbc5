//! The catalogue's search.

use std::collections::BTreeSet;

use core_service::service::{EventFilter, MyEventsFilter};
use domain::{
    catalogue::{CatalogueEntry, CatalogueFilter, FilterTexts, MAX_MATCHES},
    event::Event,
    ids::{AccountId, EventId},
};
use sqlx::Connection as _;
use storage::Store;
use test_postgres::Database;

use crate::fixtures::{HOUR, NOW, Rows, add_account, add_event, event_time, migrate, open};

fn filter(texts: FilterTexts) -> CatalogueFilter {
    CatalogueFilter::read(texts).unwrap().unwrap()
}

fn words(q: &str) -> CatalogueFilter {
    filter(FilterTexts {
        q: Some(q),
        ..FilterTexts::default()
    })
}

/// The ids of the first page, and the number of matches.
async fn found(store: &Store, filter: &CatalogueFilter) -> (Vec<EventId>, i64) {
    let page = store.search_catalogue(filter, NOW, 100, 0).await.unwrap();
    let ids = page.events.iter().map(|(event, _)| event.id).collect();
    (ids, page.matches)
}

/// Whether a search matches an event, by looking at it alone.
fn matches(filter: &CatalogueFilter, event: &Event) -> bool {
    let entry = CatalogueEntry::of(event);
    let starts = filter.starts;
    let has = |text: &str, is_prefix: bool| {
        let begins = |word: &String| word.starts_with(text);
        entry.words.contains(text) || is_prefix && entry.words.iter().any(begins)
    };
    filter
        .terms
        .iter()
        .all(|term| has(&term.text, term.is_prefix))
        && (filter.city.is_none() || filter.city == entry.city)
        && (starts.from_at..starts.before_at).contains(&entry.start_at)
        && (starts.from_local..starts.before_local).contains(&entry.start_local)
}

async fn the_index_finds_what_looking_at_each_event_finds(database: Database) {
    const TITLES: [&str; 6] = ["Rust", "Rüst Abend", "東京都", "Rus", "Abendrot", "ab 東"];
    const CITIES: [Option<&str>; 4] = [None, Some("Köln"), Some("Bad Köln"), Some("東京")];
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let mut events = Vec::new();
    for (number, (title, city)) in TITLES
        .iter()
        .flat_map(|title| CITIES.map(|city| (title, city)))
        .enumerate()
    {
        let hours = i64::try_from(number).unwrap();
        let mut event = rows.event(account, hours % 5 + 1);
        event.title = format!("{title} no {number}");
        event.city = city.map(str::to_owned);
        // Ahead of UTC, so that it is a day later there.
        event.schedule.start.local = event_time(NOW.plus_seconds(hours * HOUR)).local;
        add_event(&store, &event).await;
        events.push(event);
    }
    events.sort_by_key(|event| (event.schedule.start.at, event.id));
    let queries = [
        "", "rust", "r", "ru", "rus", "rust n", "ab", "abend no", "京", "東京", "東 n", "no 1",
        "koln", "3",
    ];
    let cities = ["", "köln", "bad koln", "東京"];
    let bounds = ["", "2030-01-01", "2030-01-01T02:00Z"];
    for q in queries {
        for city in cities {
            for (from, to) in bounds.iter().flat_map(|from| bounds.map(|to| (*from, to))) {
                let texts = FilterTexts {
                    q: Some(q),
                    city: Some(city),
                    from: Some(from),
                    to: Some(to),
                    ..FilterTexts::default()
                };
                let Some(filter) = CatalogueFilter::read(texts).unwrap() else {
                    continue;
                };
                let matching = events.iter().filter(|event| matches(&filter, event));
                let expected: Vec<EventId> = matching.map(|event| event.id).collect();
                let count = i64::try_from(expected.len()).unwrap();
                assert_eq!(found(&store, &filter).await, (expected, count), "{texts:?}");
            }
        }
    }
}

/// Adds live events as an older version does, which knows nothing of the index. The first starts a day before [`NOW`], the others
/// 10 hours after each other, and they end after 40 years.
pub(crate) async fn add_by_an_older_version(database: &Database, account: AccountId, count: i64) {
    const COLUMNS: &str = "INSERT INTO events (id, account_id, slug, title, description, location, start_at, start_local, \
        end_at, end_local, timezone, effective_end, max_capacity, is_published, is_listed, is_cancelled, live, custom_fields, sequence, \
        created_at, updated_at)";
    const COUNTERS: &str = "INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) \
        SELECT id, 0, 0, 0, 0, 1 FROM events WHERE slug LIKE 'old-%'";
    let (start, end) = (
        NOW.plus_seconds(-24 * HOUR).micros(),
        NOW.plus_seconds(350_640 * HOUR).micros(),
    );
    let step = 10 * HOUR * 1_000_000;
    let values = format!(
        "$1, 'old-' || n, 'Old event ' || n, 'Of before', 'Here', {start} + n * {step}, '2030-01-01T00:00:00', {end}, '2070-01-01T00:00:00', 'UTC', {end}, 100, \
         TRUE, TRUE, FALSE, TRUE, '[]', 0, 1, 2"
    );
    let total = format!("UPDATE catalogue_totals SET live = live + {count} WHERE shard = 0");
    let counted = || sqlx::raw_sql(sqlx::AssertSqlSafe(format!("{COUNTERS}; {total}")));
    let last = count - 1;
    if database.is_postgres() {
        let text = format!(
            "{COLUMNS} SELECT gen_random_uuid(), {values} FROM generate_series(0, {last}) AS n"
        );
        let mut connection = sqlx::PgConnection::connect(database.url()).await.unwrap();
        let query = sqlx::query(sqlx::AssertSqlSafe(text)).bind(account.uuid());
        query.execute(&mut connection).await.unwrap();
        counted().execute(&mut connection).await.unwrap();
    } else {
        let text = format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) \
             {COLUMNS} SELECT randomblob(16), {values} FROM numbers"
        );
        let mut connection = sqlx::SqliteConnection::connect(database.url())
            .await
            .unwrap();
        let query = sqlx::query(sqlx::AssertSqlSafe(text)).bind(account.uuid());
        query.execute(&mut connection).await.unwrap();
        counted().execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}

async fn index(store: &Store, limit: i64) -> u64 {
    let mut tx = store.begin().await.unwrap();
    let indexed = tx.index_events(limit).await.unwrap();
    tx.commit().await.unwrap();
    indexed
}

async fn events_of_an_older_version_are_indexed_in_batches(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    assert!(!store.has_events_to_index().await.unwrap());
    add_event(&store, &rows.event(account, 1)).await;
    assert!(!store.has_events_to_index().await.unwrap());
    add_by_an_older_version(&database, account, 25).await;

    let mut batches = Vec::new();
    while store.has_events_to_index().await.unwrap() {
        batches.push(index(&store, 10).await);
    }
    assert_eq!(batches, [10, 10, 5]);
    assert_eq!(index(&store, 10).await, 0);
    assert_eq!(found(&store, &words("old event")).await.1, 25);
    assert_eq!(found(&store, &words("größe")).await.1, 1);
}

/// Changes an event past core.
async fn change(database: &Database, event: EventId, statement: &'static str) {
    if database.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(database.url()).await.unwrap();
        let query = sqlx::query(statement).bind(event.uuid());
        query.execute(&mut connection).await.unwrap();
    } else {
        let mut connection = sqlx::SqliteConnection::connect(database.url())
            .await
            .unwrap();
        let query = sqlx::query(statement).bind(event.uuid());
        query.execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}

async fn what_an_older_version_changes_is_indexed_again(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let events: Vec<Event> = [1, 2].map(|hour| rows.event(account, hour)).into();
    for event in &events {
        add_event(&store, event).await;
    }
    let statements = [
        "UPDATE events SET title = 'Zebra', updated_at = updated_at + 1 WHERE id = $1",
        "UPDATE events SET live = FALSE, is_published = FALSE, updated_at = updated_at + 1 WHERE id = $1",
    ];
    for (event, statement) in events.iter().zip(statements) {
        change(&database, event.id, statement).await;
    }
    assert!(store.has_events_to_index().await.unwrap());
    assert_eq!(index(&store, 10).await, 2);
    assert_eq!(found(&store, &words("größe")).await.1, 0);
    assert_eq!(found(&store, &words("zebra")).await.0, [events[0].id]);
    // The owner's search knows it as well.
    let mine = MyEventsFilter {
        text: Some("zebra".to_owned()),
        ..EventFilter::All.into()
    };
    let count = store
        .count_account_events(account, &mine, NOW, i64::MAX)
        .await;
    assert_eq!(count.unwrap(), 1);
}

async fn events_of_the_same_second_are_indexed_together(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let mut all = Vec::new();
    for _ in 0..3 {
        for hour in [1, 2] {
            let event = rows.event(account, hour);
            add_event(&store, &event).await;
            all.push((event.schedule.start.at, event.id));
        }
    }
    all.sort();
    let ids: Vec<EventId> = all.iter().map(|(_, id)| *id).collect();
    // All but the first, whose entry stays where it is.
    for id in &ids[1..] {
        let statement = "UPDATE events SET indexed_as_of = 0 WHERE id = $1";
        change(&database, *id, statement).await;
    }
    assert_eq!(index(&store, 10).await, 5);
    assert_eq!(found(&store, &words("größe")).await, (ids, 6));
}

async fn up_to_10_000_matches_are_counted_and_paged_in_order(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let most = i64::from(MAX_MATCHES);
    add_by_an_older_version(&database, account, most).await;
    while index(&store, 50).await > 0 {}
    let by_start = filter(FilterTexts {
        from: Some("2029-12-01"),
        ..FilterTexts::default()
    });
    let searches = [words("old"), words("before event ol"), by_start];
    for search in &searches {
        assert_eq!(found(&store, search).await.1, most);
    }
    // One more is one too many to count.
    let mut last = rows.event(account, 1);
    last.title = String::from("Old event of before");
    last.schedule.end = Some(event_time(NOW.plus_seconds(9 * HOUR)));
    add_event(&store, &last).await;
    for search in &searches {
        let mut seen = BTreeSet::new();
        for offset in [
            0,
            1,
            77,
            5_000,
            most - 100,
            most - 30,
            most - 1,
            most,
            most + 1,
        ] {
            let page = store
                .search_catalogue(search, NOW, 100, offset)
                .await
                .unwrap();
            assert_eq!(page.matches, most + 1);
            let length = usize::try_from((most - offset).clamp(0, 100)).unwrap();
            let mut expected = super::catalogue::list(&store, NOW, 100, offset).await;
            expected.truncate(length);
            let events: Vec<_> = page.events.into_iter().map(|(event, _)| event).collect();
            assert_eq!(events.len(), length);
            assert!(events == expected, "{search:?} from {offset}");
            seen.extend(events.iter().map(|event| event.id));
        }
        assert!(seen.contains(&last.id));
    }
}

test_postgres::on_both_engines!(
    prepare: migrate;
    the_index_finds_what_looking_at_each_event_finds,
    events_of_an_older_version_are_indexed_in_batches,
    what_an_older_version_changes_is_indexed_again,
    events_of_the_same_second_are_indexed_together,
    up_to_10_000_matches_are_counted_and_paged_in_order,
);
