//! Owners' searches from memory, beside a look at each text by the database.

use core_service::{
    domain::{
        catalogue::Starts,
        change::Change,
        cursor::Place,
        entropy::Entropy,
        event::{Event, EventPatch, NewEvent},
        ids::EventId,
        plan::Plan,
        schedule::ScheduleChange,
    },
    service::{EventFilter, Events, MyEventsFilter, OwnSearches, Principal, SearchedPage},
};
use test_postgres::Database;

use super::{Instance, new_event};
use crate::fixtures::{HOUR, NOW, Rows, add_event, migrate};

const TITLES: [&str; 6] = [
    "Rust Abend",
    "Straße",
    "rusty",
    "東京都 Abend",
    "Abendrot",
    "STRASSENFEST",
];
const TEXTS: [&str; 9] = [
    "rust", "s", "strasse", "abend r", "京", "hall", "nowhere", "t ", "\u{301}",
];

/// The texts of every account are kept.
fn keeping(instance: &Instance) -> (Events, OwnSearches) {
    let searches = OwnSearches::of_accounts_with(1);
    (
        instance.events.clone().with_searches(searches.clone()),
        searches,
    )
}

fn containing(text: &str, status: EventFilter) -> MyEventsFilter {
    MyEventsFilter {
        text: Some(text.to_owned()),
        ..status.into()
    }
}

fn all(text: &str) -> MyEventsFilter {
    containing(text, EventFilter::All)
}

async fn titles(events: &Events, caller: &Principal, filter: &MyEventsFilter) -> Vec<String> {
    let found = events.list(caller, filter, None, 100).await.unwrap();
    found.events.into_iter().map(|event| event.title).collect()
}

/// A random account's life.
struct Life<'i> {
    instance: &'i Instance,
    owner: Principal,
    entropy: Entropy,
    /// Drafts and others that may be cancelled, with those that are gone.
    events: Vec<EventId>,
}

impl Life<'_> {
    fn below(&self, most: usize) -> usize {
        usize::try_from(self.entropy.below(most as u64)).unwrap()
    }

    fn some<T: Clone>(&self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// Before, while and after it is [`NOW`], for up to eight days.
    fn new_event(&self) -> NewEvent {
        let at = |hours| NOW.plus_seconds(hours * HOUR).to_utc().to_string() + "Z";
        let start = i64::try_from(self.below(200)).unwrap() - 100;
        let length = self.some(&[0, 5, 72, 73, 200]);
        NewEvent {
            start_date: at(start),
            end_date: Some(at(start + length)),
            city: self.some(&[None, Some("Köln".to_owned())]),
            ..new_event(self.some(&TITLES))
        }
    }

    /// Does something. What is refused changes nothing.
    async fn go_on(&mut self) {
        let events = &self.instance.events;
        let what = self.below(10);
        if what < 4 || self.events.is_empty() {
            let new = self.new_event();
            self.events
                .push(events.create(&self.owner, new).await.unwrap().id);
            return;
        }
        let id = self.some(&self.events);
        let new = self.new_event();
        let patch = match what {
            4 => {
                let _ = events.cancel(&self.owner, id, None).await;
                return;
            }
            5 | 6 => {
                let _ = events.delete(&self.owner, id).await;
                return;
            }
            7 => EventPatch {
                title: Change::Set(new.title),
                ..EventPatch::default()
            },
            _ => EventPatch {
                schedule: ScheduleChange {
                    start_date: Change::Set(new.start_date),
                    end_date: Change::Set(new.end_date.unwrap()),
                    ..ScheduleChange::default()
                },
                ..EventPatch::default()
            },
        };
        let _ = events.update(&self.owner, id, patch).await;
    }

    fn filter(&self) -> MyEventsFilter {
        let hours = |hours: i64| NOW.plus_seconds(hours * HOUR);
        let any = Starts::default();
        let starts = [
            any,
            any,
            Starts {
                from_at: hours(-30),
                before_at: hours(60),
                ..any
            },
            Starts {
                from_local: hours(-10),
                ..any
            },
            Starts {
                from_at: hours(1),
                before_at: hours(-1),
                ..any
            },
        ];
        let statuses = [EventFilter::Active, EventFilter::Past, EventFilter::All];
        MyEventsFilter {
            starts: self.some(&starts),
            ..containing(self.some(&TEXTS), self.some(&statuses))
        }
    }
}

async fn searches_find_what_the_database_finds_while_events_change(database: Database) {
    let instance = Instance::open(&database).await;
    for seed in 0..4 {
        let owner = instance
            .caller(&format!("owner-{seed}@example.org"), Plan::Business)
            .await;
        let account = owner.account;
        let mut life = Life {
            instance: &instance,
            owner,
            entropy: Entropy::seeded(seed),
            events: Vec::new(),
        };
        for _ in 0..20 {
            life.go_on().await;
        }
        // Two cores that keep the same, of which each misses what happens between its searches.
        let cores = [keeping(&instance), keeping(&instance)];
        for (_, searches) in &cores {
            assert!(searches.read(&instance.store, account).await.unwrap());
        }
        for step in 0..60 {
            life.go_on().await;
            let (events, searches) = life.some(&cores);
            let filter = life.filter();
            let looked = &instance.events;
            let (mut after, limit) = (None::<Place>, 1 + step % 7);
            loop {
                let found = events.list(&life.owner, &filter, after, limit).await;
                let expected = looked.list(&life.owner, &filter, after, limit).await;
                let (found, mut expected) = (found.unwrap(), expected.unwrap());
                // What is found in memory is not kept once more.
                expected.holds = None;
                assert_eq!(found, expected, "seed {seed}, step {step}: {filter:?}");
                after = found.next;
                if after.is_none() {
                    break;
                }
            }
            let page = SearchedPage {
                after: None,
                limit: 3,
                most: 2,
            };
            let store = &instance.store;
            let found = searches.find(store, account, &filter, NOW, page).await;
            let found = found.unwrap().expect("it is kept");
            let counted = store.count_account_events(account, &filter, NOW, 2).await;
            assert_eq!(found.count, counted.unwrap());
        }
    }
}

async fn a_change_that_is_committed_late_is_found(database: Database) {
    if !database.is_postgres() {
        // Changes are committed in the order in which they begin.
        return;
    }
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let (events, searches) = keeping(&instance);
    instance.create(&olga, new_event("Rust first")).await;
    assert!(searches.read(&instance.store, olga.account).await.unwrap());

    let (rows, mut late) = (Rows::seeded(3), Vec::new());
    // Of many events some have the same shard.
    for number in 0..8 {
        let mut event = rows.event(olga.account, 1);
        event.title = format!("Rust late {number}");
        let mut tx = instance.store.begin().await.unwrap();
        assert!(tx.insert_event(&event, false).await.unwrap());
        let mut other = rows.event(olga.account, 2);
        other.title = format!("Rust soon {number}");
        let shard = |event: &Event| event.id.uuid().as_bytes()[15] % 16;
        if shard(&event) != shard(&other) {
            add_event(&instance.store, &other).await;
        }
        late.push(titles(&events, &olga, &all("rust late")).await.len());
        tx.commit().await.unwrap();
        assert_eq!(
            titles(&events, &olga, &all("rust")).await,
            titles(&instance.events, &olga, &all("rust")).await
        );
    }
    assert_eq!(late, [0, 1, 2, 3, 4, 5, 6, 7]);
}

async fn texts_of_small_accounts_are_not_kept_and_large_ones_are_read_in_the_background(
    database: Database,
) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let searches = OwnSearches::of_accounts_with(3);
    let events = instance.events.clone().with_searches(searches.clone());
    let store = &instance.store;
    for number in 0..2 {
        let title = format!("Rust {number}");
        instance.create(&olga, new_event(&title)).await;
    }
    assert!(!searches.read(store, olga.account).await.unwrap());
    assert_eq!(titles(&events, &olga, &all("rust")).await.len(), 2);

    instance.create(&olga, new_event("Rust 2")).await;
    let anew = OwnSearches::of_accounts_with(3);
    let page = SearchedPage {
        after: None,
        limit: 10,
        most: 10,
    };
    let rust = all("rust");
    let find = async || {
        let found = anew.find(store, olga.account, &rust, NOW, page);
        found.await.unwrap()
    };
    assert_eq!(find().await, None, "the first search begins to read");
    let read = async {
        while find().await.is_none() {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(std::time::Duration::from_secs(20), read).await;
    in_time.expect("the texts are kept soon");
    assert_eq!(find().await.unwrap().count, 3);
}

async fn deleted_drafts_are_forgotten_after_a_day(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, new_event("Rust")).await;
    let since = instance.store.list_latest_changes().await.unwrap();
    instance.events.delete(&olga, event.id).await.unwrap();
    let changes = async || {
        let changes = instance.store.list_event_changes(olga.account, &since);
        changes.await.unwrap()
    };
    instance.maintain().await;
    let [change] = &changes().await[..] else {
        panic!("one draft was deleted");
    };
    assert_eq!((change.event, &change.now), (event.id, &None));
    instance.clock.advance_seconds(25 * HOUR);
    instance.maintain().await;
    assert_eq!(changes().await, []);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    searches_find_what_the_database_finds_while_events_change,
    a_change_that_is_committed_late_is_found,
    texts_of_small_accounts_are_not_kept_and_large_ones_are_read_in_the_background,
    deleted_drafts_are_forgotten_after_a_day,
);
