//! The service against a model of it that fits on a page: whatever is done in whatever order, every list and every detail
//! agree.

use std::sync::atomic::{AtomicU32, Ordering};

use core_service::{
    domain::{
        change::Change,
        event::{EventPatch, NewEvent},
        ids::EventId,
        instant::Instant,
        plan::Plan,
        schedule::ScheduleChange,
    },
    service::{Caller, Error},
    storage::EventFilter,
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use test_postgres::Database;

use super::{Desk, new_event};
use crate::fixtures::{HOUR, migrate};

const CASES: u32 = 40;
const CASE_LENGTH: std::ops::Range<usize> = 10..50;
/// The free plan's.
const QUOTA: usize = 3;

/// Times are hours from the present. The first owner is on the free plan, the second has no quota.
#[derive(Debug, Clone)]
enum Command {
    Create {
        owner: usize,
        start: i64,
        duration: Option<i64>,
        is_public: bool,
        is_listed: bool,
    },
    Update {
        by_stranger: bool,
        which: usize,
        start: Option<i64>,
        end: Change<i64>,
        is_listed: Option<bool>,
    },
    Publish {
        by_stranger: bool,
        which: usize,
    },
    Unpublish {
        by_stranger: bool,
        which: usize,
    },
    Cancel {
        by_stranger: bool,
        which: usize,
    },
    Wait {
        hours: i64,
    },
}

fn command() -> impl Strategy<Value = Command> {
    let hour = || -4..8_i64;
    let duration = || -1..4_i64;
    let owner = || prop_oneof![4 => Just(0_usize), 1 => Just(1_usize)];
    let by_stranger = || prop::bool::weighted(0.1);
    let which = || 0..CASE_LENGTH.end;
    let end = prop_oneof![
        2 => Just(Change::Keep),
        1 => Just(Change::Clear),
        2 => hour().prop_map(Change::Set),
    ];
    prop_oneof![
        6 => (owner(), hour(), prop::option::of(duration()), any::<bool>(), prop::bool::weighted(0.8)).prop_map(
            |(owner, start, duration, is_public, is_listed)| Command::Create { owner, start, duration, is_public, is_listed }
        ),
        6 => (by_stranger(), which(), prop::option::of(hour()), end, prop::option::of(any::<bool>())).prop_map(
            |(by_stranger, which, start, end, is_listed)| Command::Update { by_stranger, which, start, end, is_listed }
        ),
        3 => (by_stranger(), which()).prop_map(|(by_stranger, which)| Command::Publish { by_stranger, which }),
        1 => (by_stranger(), which()).prop_map(|(by_stranger, which)| Command::Unpublish { by_stranger, which }),
        1 => (by_stranger(), which()).prop_map(|(by_stranger, which)| Command::Cancel { by_stranger, which }),
        2 => (1..3_i64).prop_map(|hours| Command::Wait { hours }),
    ]
}

#[derive(Debug, Clone)]
struct Modelled {
    id: EventId,
    slug: String,
    owner: usize,
    start: i64,
    end: Option<i64>,
    is_published: bool,
    is_listed: bool,
    is_cancelled: bool,
}

impl Modelled {
    fn effective_end(&self) -> i64 {
        self.end.unwrap_or(self.start)
    }

    fn is_active(&self, now: i64) -> bool {
        !self.is_cancelled && self.effective_end() > now
    }

    fn is_live(&self, now: i64) -> bool {
        self.is_active(now) && self.is_published && self.is_listed
    }
}

#[derive(Debug, Default)]
struct Model {
    now: i64,
    events: Vec<Modelled>,
}

/// How a command ends, by the reason that a caller is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Invalid,
    Quota,
    NotFound,
    Cancelled,
    Ended,
}

fn outcome<T>(answer: &Result<T, Error>) -> Outcome {
    match answer {
        Ok(_) => Outcome::Done,
        Err(Error::Invalid(_)) => Outcome::Invalid,
        Err(Error::QuotaExceeded { .. }) => Outcome::Quota,
        Err(Error::NotFound { .. }) => Outcome::NotFound,
        Err(Error::EventCancelled) => Outcome::Cancelled,
        Err(Error::PublishEnded) => Outcome::Ended,
        Err(other) => panic!("{other:?}"),
    }
}

impl Model {
    fn is_full(&self, owner: usize) -> bool {
        let active = |event: &&Modelled| event.owner == owner && event.is_active(self.now);
        owner == 0 && self.events.iter().filter(active).count() >= QUOTA
    }

    /// What becomes of an event that is to hold these times.
    fn judge(&self, before: Option<&Modelled>, after: &Modelled) -> Outcome {
        let was_active = before.is_some_and(|before| before.is_active(self.now));
        let moved =
            before.is_none_or(|before| (before.start, before.end) != (after.start, after.end));
        let is_published_too_late =
            moved && after.is_published && after.effective_end() <= self.now;
        if after.effective_end() < after.start || is_published_too_late {
            Outcome::Invalid
        } else if after.is_active(self.now) && !was_active && self.is_full(after.owner) {
            Outcome::Quota
        } else {
            Outcome::Done
        }
    }
}

/// A case under way: the service, its two callers, and the model.
struct Case<'a> {
    desk: &'a Desk,
    callers: [Caller; 2],
    began: Instant,
    model: Model,
}

impl<'a> Case<'a> {
    async fn begin(desk: &'a Desk, number: u32) -> Self {
        let fay = format!("fay-{number}@example.org");
        let bea = format!("bea-{number}@example.org");
        let fay = desk.caller(&fay, Plan::Free).await;
        let bea = desk.caller(&bea, Plan::Business).await;
        Self {
            desk,
            callers: [fay, bea],
            began: desk.clock.now(),
            model: Model::default(),
        }
    }

    fn written(&self, hour: i64) -> String {
        self.began.plus_seconds(hour * HOUR).to_string()
    }

    async fn run(&mut self, command: Command) {
        match command {
            Command::Create {
                owner,
                start,
                duration,
                is_public,
                is_listed,
            } => {
                let start = self.model.now + start;
                let end = duration.map(|hours| start + hours);
                self.create(owner, start, end, is_public, is_listed).await;
            }
            Command::Update {
                by_stranger,
                which,
                start,
                end,
                is_listed,
            } => {
                let now = self.model.now;
                let start = start.map(|hours| now + hours);
                let end = match end {
                    Change::Set(hours) => Change::Set(now + hours),
                    kept_or_cleared => kept_or_cleared,
                };
                self.update(by_stranger, which, start, end, is_listed).await;
            }
            Command::Publish { by_stranger, which } => self.publish(by_stranger, which).await,
            Command::Unpublish { by_stranger, which } => self.unpublish(by_stranger, which).await,
            Command::Cancel { by_stranger, which } => self.cancel(by_stranger, which).await,
            Command::Wait { hours } => {
                self.model.now += hours;
                self.desk.clock.advance_seconds(hours * HOUR);
            }
        }
    }

    async fn create(
        &mut self,
        owner: usize,
        start: i64,
        end: Option<i64>,
        is_public: bool,
        is_listed: bool,
    ) {
        let new = NewEvent {
            start_date: self.written(start),
            end_date: end.map(|end| self.written(end)),
            is_public,
            is_listed,
            ..new_event("Modelled")
        };
        let answer = self
            .desk
            .service
            .create_event(&self.callers[owner], new)
            .await;
        let mut modelled = Modelled {
            id: EventId::new(uuid::Uuid::nil()),
            slug: String::new(),
            owner,
            start,
            end,
            is_published: is_public,
            is_listed,
            is_cancelled: false,
        };
        assert_eq!(outcome(&answer), self.model.judge(None, &modelled));
        if let Ok(event) = answer {
            (modelled.id, modelled.slug) = (event.id, event.slug);
            self.model.events.push(modelled);
        }
    }

    /// Who calls for which event, and its place in the model when it is the caller's. Before there are events, one that
    /// does not exist is called for.
    fn named(&self, by_stranger: bool, which: usize) -> (&Caller, EventId, Option<usize>) {
        let Some(index) = which.checked_rem(self.model.events.len()) else {
            return (&self.callers[0], EventId::new(uuid::Uuid::nil()), None);
        };
        let event = &self.model.events[index];
        if by_stranger {
            (&self.callers[1 - event.owner], event.id, None)
        } else {
            (&self.callers[event.owner], event.id, Some(index))
        }
    }

    async fn update(
        &mut self,
        by_stranger: bool,
        which: usize,
        start: Option<i64>,
        end: Change<i64>,
        is_listed: Option<bool>,
    ) {
        let (caller, id, found) = self.named(by_stranger, which);
        let patch = EventPatch {
            schedule: ScheduleChange {
                start_date: start.map_or(Change::Keep, |hour| Change::Set(self.written(hour))),
                end_date: match &end {
                    Change::Set(hour) => Change::Set(self.written(*hour)),
                    Change::Clear => Change::Clear,
                    Change::Keep => Change::Keep,
                },
                timezone: Change::Keep,
            },
            is_listed: is_listed.map_or(Change::Keep, Change::Set),
            ..EventPatch::default()
        };
        let answer = self.desk.service.update_event(caller, id, patch).await;
        let Some(index) = found else {
            return assert_eq!(outcome(&answer), Outcome::NotFound);
        };
        let before = &self.model.events[index];
        if before.is_cancelled {
            return assert_eq!(outcome(&answer), Outcome::Cancelled);
        }
        let mut new_end = before.end;
        end.write_optional(&mut new_end);
        let after = Modelled {
            start: start.unwrap_or(before.start),
            end: new_end,
            is_listed: is_listed.unwrap_or(before.is_listed),
            ..before.clone()
        };
        assert_eq!(outcome(&answer), self.model.judge(Some(before), &after));
        if answer.is_ok() {
            self.model.events[index] = after;
        }
    }

    async fn publish(&mut self, by_stranger: bool, which: usize) {
        let (caller, id, found) = self.named(by_stranger, which);
        let answer = self.desk.service.publish_event(caller, id).await;
        let expected = match found.map(|index| &mut self.model.events[index]) {
            None => Outcome::NotFound,
            Some(event) if event.is_cancelled => Outcome::Cancelled,
            Some(event) if event.effective_end() <= self.model.now => Outcome::Ended,
            Some(event) => {
                event.is_published = true;
                Outcome::Done
            }
        };
        assert_eq!(outcome(&answer), expected);
    }

    async fn unpublish(&mut self, by_stranger: bool, which: usize) {
        let (caller, id, found) = self.named(by_stranger, which);
        let answer = self.desk.service.unpublish_event(caller, id).await;
        let expected = match found.map(|index| &mut self.model.events[index]) {
            None => Outcome::NotFound,
            Some(event) if event.is_cancelled => Outcome::Cancelled,
            Some(event) => {
                event.is_published = false;
                Outcome::Done
            }
        };
        assert_eq!(outcome(&answer), expected);
    }

    async fn cancel(&mut self, by_stranger: bool, which: usize) {
        let (caller, id, found) = self.named(by_stranger, which);
        let answer = self.desk.service.cancel_event(caller, id, None).await;
        let expected = match found.map(|index| &mut self.model.events[index]) {
            None => Outcome::NotFound,
            Some(event) => {
                event.is_cancelled = true;
                Outcome::Done
            }
        };
        assert_eq!(outcome(&answer), expected);
    }

    async fn compare(&self) {
        self.compare_catalogue().await;
        for owner in 0..2 {
            self.compare_own(owner).await;
        }
    }

    async fn compare_catalogue(&self) {
        let now = self.model.now;
        let mut live: Vec<_> = self
            .model
            .events
            .iter()
            .filter(|event| event.is_live(now))
            .collect();
        live.sort_by_key(|event| (event.start, event.id));
        let expected: Vec<EventId> = live.iter().map(|event| event.id).collect();
        let page = self.desk.service.list_events(100, 0).await.unwrap();
        let found: Vec<EventId> = page.events.iter().map(|event| event.id).collect();
        assert_eq!(found, expected);
        assert_eq!(usize::try_from(page.count).unwrap(), expected.len());
        for event in &self.model.events {
            let detail = self.desk.service.get_event(&event.slug).await;
            let expected = if event.is_live(now) {
                Outcome::Done
            } else {
                Outcome::NotFound
            };
            assert_eq!(outcome(&detail), expected, "{event:?}");
        }
    }

    async fn compare_own(&self, owner: usize) {
        let now = self.model.now;
        let caller = &self.callers[owner];
        for filter in [EventFilter::Active, EventFilter::Past, EventFilter::All] {
            let passes = |event: &&Modelled| match filter {
                EventFilter::Active => event.is_active(now),
                EventFilter::Past => event.effective_end() <= now,
                EventFilter::All => true,
            };
            let own = self
                .model
                .events
                .iter()
                .filter(|event| event.owner == owner);
            let mut expected: Vec<_> = own.filter(passes).collect();
            expected.sort_by_key(|event| std::cmp::Reverse((event.start, event.id)));
            let list = self
                .desk
                .service
                .list_my_events(caller, filter, 100)
                .await
                .unwrap();
            assert_eq!(usize::try_from(list.count).unwrap(), expected.len());
            assert_eq!(list.events.len(), expected.len());
            for ((event, _), expected) in list.events.iter().zip(expected) {
                assert_eq!(event.id, expected.id);
                assert_eq!(event.is_published, expected.is_published);
                assert_eq!(event.is_listed, expected.is_listed);
                assert_eq!(event.is_cancelled, expected.is_cancelled);
                let end = self.began.plus_seconds(expected.effective_end() * HOUR);
                assert_eq!(event.schedule.effective_end(), end);
            }
        }
    }
}

async fn the_service_agrees_with_the_model(database: Database) {
    let desk = Desk::open(&database).await;
    let cases = AtomicU32::new(0);
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    });
    let run = |commands: Vec<Command>| {
        // The next case begins when everything of the last is long over and gone from the catalogue.
        desk.clock.advance_seconds(1_000 * HOUR);
        let number = cases.fetch_add(1, Ordering::Relaxed);
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let mut case = Case::begin(&desk, number).await;
                for command in commands {
                    case.run(command).await;
                    case.compare().await;
                }
            });
        });
        Ok(())
    };
    let commands = prop::collection::vec(command(), CASE_LENGTH);
    runner.run(&commands, run).unwrap();
}

test_postgres::on_both_engines!(prepare: migrate; the_service_agrees_with_the_model);
