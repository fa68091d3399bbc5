//! A case under way: the same is done to the service and to the model, and then both are asked everything.

use core_service::{
    domain::{
        change::Change,
        event::{EventPatch, NewEvent},
        ids::EventId,
        instant::Instant,
        plan::Plan,
        schedule::ScheduleChange,
    },
    service::Caller,
    storage::EventFilter,
};

use super::{
    command::Command,
    world::{Model, Modelled, Outcome, outcome},
};
use crate::{
    fixtures::HOUR,
    service::{Desk, new_event},
};

/// A case under way: the service, its two callers, and the model.
pub(super) struct Case<'a> {
    desk: &'a Desk,
    callers: [Caller; 2],
    began: Instant,
    model: Model,
}

impl<'a> Case<'a> {
    pub(super) async fn begin(desk: &'a Desk, number: u32) -> Self {
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

    pub(super) async fn run(&mut self, command: Command) {
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
                self.update(which, start, end, is_listed).await;
            }
            Command::Publish { which } => self.publish(which).await,
            Command::Unpublish { which } => self.unpublish(which).await,
            Command::Cancel { which } => self.cancel(which).await,
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
        let answer = self.desk.events.create(&self.callers[owner], new).await;
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
    fn named(&self, which: usize) -> (&Caller, EventId, Option<usize>) {
        let Some(index) = which.checked_rem(self.model.events.len()) else {
            return (&self.callers[0], EventId::new(uuid::Uuid::nil()), None);
        };
        let event = &self.model.events[index];
        (&self.callers[event.owner], event.id, Some(index))
    }

    async fn update(
        &mut self,
        which: usize,
        start: Option<i64>,
        end: Change<i64>,
        is_listed: Option<bool>,
    ) {
        let (caller, id, found) = self.named(which);
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
        let answer = self.desk.events.update(caller, id, patch).await;
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

    async fn publish(&mut self, which: usize) {
        let (caller, id, found) = self.named(which);
        let answer = self.desk.events.publish(caller, id).await;
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

    async fn unpublish(&mut self, which: usize) {
        let (caller, id, found) = self.named(which);
        let answer = self.desk.events.unpublish(caller, id).await;
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

    async fn cancel(&mut self, which: usize) {
        let (caller, id, found) = self.named(which);
        let answer = self.desk.events.cancel(caller, id, None).await;
        let expected = match found.map(|index| &mut self.model.events[index]) {
            None => Outcome::NotFound,
            Some(event) => {
                event.is_cancelled = true;
                Outcome::Done
            }
        };
        assert_eq!(outcome(&answer), expected);
    }

    pub(super) async fn compare(&self) {
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
        let page = self.desk.catalogue.list(100, 0).await.unwrap();
        let found: Vec<EventId> = page.events.iter().map(|event| event.id).collect();
        assert_eq!(found, expected);
        assert_eq!(usize::try_from(page.count).unwrap(), expected.len());
        for event in &self.model.events {
            let detail = self.desk.catalogue.get(&event.slug).await;
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
            let list = self.desk.events.list(caller, filter, 100).await.unwrap();
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
