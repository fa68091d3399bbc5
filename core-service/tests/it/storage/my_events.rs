//! Lists of an account's events beside a look at each event.

use domain::{
    catalogue::Starts,
    event::{Event, ListedEvent},
    ids::{AccountId, EventId},
    instant::Instant,
    person::Reach,
    registration::Counters,
};
use storage::{EventFilter, MyEventsFilter, Store};
use test_postgres::Database;

use crate::fixtures::{HOUR, NOW, Rows, add_account, add_event, event_time, migrate, open};

/// Events over, under way and to come: of no length, of a few hours, and of about three days, which is where long ones begin.
fn all_kinds(rows: &Rows, events: &mut Vec<Event>, account: AccountId) {
    let lengths = [
        None,
        Some(1),
        Some(30),
        Some(71),
        Some(72),
        Some(73),
        Some(500),
    ];
    for start in [-600, -400, -100, -73, -72, -71, -30, -1, 0, 1, 72, 100] {
        for length in lengths {
            let mut event = rows.event(account, start);
            let end = length.map(|length| NOW.plus_seconds((start + length) * HOUR));
            event.schedule.end = end.map(event_time);
            event.is_cancelled = events.len() % 5 == 4;
            event.is_published = !event.is_cancelled;
            ["Straße", "Wald"][events.len() % 2].clone_into(&mut event.title);
            events.push(event);
        }
    }
}

fn matches(filter: &MyEventsFilter, event: &Event) -> bool {
    let ended = event.schedule.effective_end() <= NOW;
    let of_status = match filter.status {
        EventFilter::Active => !event.is_cancelled && !ended,
        EventFilter::Past => ended,
        EventFilter::All => true,
    };
    let start = &event.schedule.start;
    let local = Instant::from_utc(start.local);
    let Starts {
        from_at,
        before_at,
        from_local,
        before_local,
    } = filter.starts;
    of_status
        && (from_at..before_at).contains(&start.at)
        && (from_local..before_local).contains(&local)
        && filter
            .text
            .as_deref()
            .is_none_or(|_| event.title == "Straße")
}

fn expected(events: &[Event], filter: &MyEventsFilter) -> Vec<EventId> {
    let found = events.iter().filter(|event| matches(filter, event));
    let mut found: Vec<_> = found
        .map(|event| (event.schedule.start.at, event.id))
        .collect();
    found.sort_unstable();
    if filter.status != EventFilter::Active {
        found.reverse();
    }
    found.into_iter().map(|(_, id)| id).collect()
}

/// What lists show of an event.
fn shown((event, counters): &(Event, Counters)) -> ListedEvent {
    ListedEvent {
        id: event.id,
        slug: event.slug.clone(),
        title: event.title.clone(),
        schedule: event.schedule.clone(),
        max_capacity: event.max_capacity,
        is_published: event.is_published,
        is_cancelled: event.is_cancelled,
        registrations: counters.people(),
        confirmed: counters.confirmed,
        seats_taken: counters.seated(),
        waitlisted: counters.waitlisted,
    }
}

/// Reads page after page.
async fn listed(store: &Store, account: AccountId, filter: &MyEventsFilter) -> Vec<EventId> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = store.list_account_events(account, filter, NOW, after, 7);
        let page = page.await.unwrap();
        let Some(last) = page.last() else {
            return all;
        };
        after = Some(last.place());
        all.extend(page.iter().map(|event| event.id));
    }
}

async fn lists_have_what_a_look_at_each_event_finds(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let other = add_account(&store, &rows).await.id;
    let (mut events, mut others) = (Vec::new(), Vec::new());
    all_kinds(&rows, &mut events, account);
    all_kinds(&rows, &mut others, other);
    for event in events.iter().chain(&others) {
        add_event(&store, event).await;
    }
    let hours = |hours: i64| NOW.plus_seconds(hours * HOUR);
    let (any, (from, to)) = (Starts::default(), (hours(-100), hours(73)));
    let from_then = Starts {
        from_at: from,
        ..any
    };
    let before_then = Starts {
        before_at: to,
        ..any
    };
    let both = Starts {
        from_at: from,
        ..before_then
    };
    let wall_time = Starts {
        from_local: from,
        before_local: to,
        ..any
    };
    let long_over = Starts {
        before_at: hours(-399),
        ..any
    };
    for status in [EventFilter::Active, EventFilter::Past, EventFilter::All] {
        for starts in [any, from_then, before_then, both, wall_time, long_over] {
            for text in [None, Some("strasse")] {
                let text = text.map(str::to_owned);
                let filter = MyEventsFilter {
                    series: None,
                    status,
                    text,
                    starts,
                    reach: Reach::Account,
                };
                let expected = expected(&events, &filter);
                assert_eq!(
                    listed(&store, account, &filter).await,
                    expected,
                    "{filter:?}"
                );
                let count = i64::try_from(expected.len()).unwrap();
                for most in [1, 5, i64::MAX] {
                    let counted = store.count_account_events(account, &filter, NOW, most);
                    assert_eq!(counted.await.unwrap(), count.min(most), "{filter:?}");
                    let both = store.list_and_count_account_events(account, &filter, NOW, 3, most);
                    let found = both.await.unwrap();
                    let first: Vec<_> = found.events.iter().map(|event| event.id).collect();
                    assert_eq!(first, expected[..expected.len().min(3)], "{filter:?}");
                    assert_eq!(found.count, count.min(most), "{filter:?}");
                }
            }
        }
    }
    let all = EventFilter::All.into();
    let listed = store.list_account_events(account, &all, NOW, None, 1_000);
    let whole = store.list_whole_events(account, NOW, None, 1_000);
    let whole: Vec<_> = whole.await.unwrap().iter().map(shown).collect();
    assert_eq!(listed.await.unwrap(), whole);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    lists_have_what_a_look_at_each_event_finds,
);
