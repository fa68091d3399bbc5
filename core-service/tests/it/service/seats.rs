//! Seats: the service against a model of a waitlist, and very many registrants at once.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use core_service::{
    domain::{
        change::Change,
        event::{EventPatch, NewEvent},
        ids::{EventId, RegistrationId},
        job,
        registration::Status,
    },
    service::{Caller, Error},
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use test_postgres::Database;
use tokio::task::JoinSet;

use super::{
    Desk, public_event,
    registering::{guest, seats},
};
use crate::fixtures::{NOW, migrate};

const CASES: u32 = 24;
const CASE_LENGTH: std::ops::Range<usize> = 10..60;
/// Few, so that people come again.
const PEOPLE: u8 = 8;

#[derive(Debug, Clone)]
enum Command {
    Register { person: u8, by_owner: bool },
    RegisterTogether { people: Vec<u8> },
    Approve { which: usize },
    Cancel { which: usize, by_link: bool },
    Resize { max_capacity: i32 },
    AskForApproval(bool),
    Erase { person: u8 },
}

fn command() -> impl Strategy<Value = Command> {
    let person = || 0..PEOPLE;
    let which = || 0..CASE_LENGTH.end;
    prop_oneof![
        6 => (person(), any::<bool>()).prop_map(|(person, by_owner)| Command::Register { person, by_owner }),
        2 => prop::collection::vec(person(), 2..6).prop_map(|people| Command::RegisterTogether { people }),
        3 => which().prop_map(|which| Command::Approve { which }),
        3 => (which(), any::<bool>()).prop_map(|(which, by_link)| Command::Cancel { which, by_link }),
        2 => (1..6).prop_map(|max_capacity| Command::Resize { max_capacity }),
        1 => any::<bool>().prop_map(Command::AskForApproval),
        1 => person().prop_map(|person| Command::Erase { person }),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Modelled {
    person: u8,
    status: Status,
    was_promoted: bool,
}

/// Who stands where, in the order of registering.
#[derive(Debug)]
struct Model {
    max_capacity: i32,
    requires_approval: bool,
    registrations: Vec<Modelled>,
}

impl Model {
    fn count(&self, status: Status) -> i32 {
        let of_status = self.registrations.iter().filter(|one| one.status == status);
        i32::try_from(of_status.count()).unwrap()
    }

    fn place(&self) -> Status {
        if self.count(Status::Confirmed) < self.max_capacity {
            Status::Confirmed
        } else {
            Status::Waitlisted
        }
    }

    /// Nothing when the person is registered already.
    fn register(&mut self, person: u8, by_owner: bool) -> Option<Status> {
        let is_there = |one: &Modelled| one.person == person && one.status != Status::Cancelled;
        if self.registrations.iter().any(is_there) {
            return None;
        }
        let status = if self.requires_approval && !by_owner {
            Status::Pending
        } else {
            self.place()
        };
        self.registrations.push(Modelled {
            person,
            status,
            was_promoted: false,
        });
        Some(status)
    }

    fn promote(&mut self) {
        while self.place() == Status::Confirmed {
            let mut waiting = self.registrations.iter_mut();
            let Some(next) = waiting.find(|one| one.status == Status::Waitlisted) else {
                return;
            };
            next.status = Status::Confirmed;
            next.was_promoted = true;
        }
    }
}

struct Case<'a> {
    desk: &'a Desk,
    olga: Caller,
    event: EventId,
    slug: String,
    model: Model,
}

impl<'a> Case<'a> {
    async fn begin(desk: &'a Desk, number: u32) -> Self {
        let olga = desk
            .caller(
                &format!("olga-{number}@example.org"),
                core_service::domain::plan::Plan::Pro,
            )
            .await;
        let event = desk.create(&olga, seats(2)).await;
        Self {
            desk,
            olga,
            event: event.id,
            slug: event.slug,
            model: Model {
                max_capacity: 2,
                requires_approval: false,
                registrations: Vec::new(),
            },
        }
    }

    async fn run(&mut self, command: Command) {
        match command {
            Command::Register { person, by_owner } => self.register(person, by_owner).await,
            Command::RegisterTogether { people } => self.register_together(people).await,
            Command::Approve { which } => self.approve(which).await,
            Command::Cancel { which, by_link } => self.cancel(which, by_link).await,
            Command::Resize { max_capacity } => {
                let patch = EventPatch {
                    max_capacity: Change::Set(max_capacity),
                    ..EventPatch::default()
                };
                let resized = self.change(patch).await;
                let is_smaller = max_capacity < self.model.max_capacity;
                if is_smaller && max_capacity < self.model.count(Status::Confirmed) {
                    assert!(matches!(resized, Err(Error::CapacityBelowConfirmed { .. })));
                    return;
                }
                resized.unwrap();
                self.model.max_capacity = max_capacity;
                self.model.promote();
            }
            Command::AskForApproval(requires_approval) => {
                let patch = EventPatch {
                    requires_approval: Change::Set(requires_approval),
                    ..EventPatch::default()
                };
                self.change(patch).await.unwrap();
                self.model.requires_approval = requires_approval;
            }
            Command::Erase { person } => {
                let address = format!("person-{person}@example.org");
                self.desk.service.erase_person(&address).await.unwrap();
                self.model.registrations.retain(|one| one.person != person);
                self.model.promote();
            }
        }
    }

    async fn change(&self, patch: EventPatch) -> Result<(), Error> {
        let service = &self.desk.service;
        let changed = service.update_event(&self.olga, self.event, patch).await;
        changed.map(|_| ())
    }

    async fn register(&mut self, person: u8, by_owner: bool) {
        let new = guest(&format!("person-{person}"));
        let expected = self.model.register(person, by_owner);
        let service = &self.desk.service;
        if !by_owner {
            service
                .register_attendee(&self.slug, new, None)
                .await
                .unwrap();
            return;
        }
        let added = service.add_registration(&self.olga, self.event, new).await;
        match expected {
            Some(status) => assert_eq!(added.unwrap().status, status),
            None => assert!(matches!(added, Err(Error::AlreadyRegistered)), "{added:?}"),
        }
    }

    /// Those who come at once share batches, in no known order: who came first is read back.
    async fn register_together(&mut self, people: Vec<u8>) {
        let mut asking = JoinSet::new();
        for person in people {
            let (service, slug) = (self.desk.service.clone(), self.slug.clone());
            let new = guest(&format!("person-{person}"));
            asking.spawn(async move { service.register_attendee(&slug, new, None).await.unwrap() });
        }
        asking.join_all().await;
        for (name, _) in &self.desk.standing(self.event).await[self.model.registrations.len()..] {
            let person = name.trim_start_matches("person-").parse().unwrap();
            assert!(self.model.register(person, false).is_some());
        }
    }

    async fn named(&self, which: usize) -> Option<(usize, RegistrationId)> {
        let index = which.checked_rem(self.model.registrations.len())?;
        let store = &self.desk.store;
        let everybody = store.list_registrations(self.event, 0, 1_000).await;
        Some((index, everybody.unwrap()[index].id))
    }

    async fn approve(&mut self, which: usize) {
        let Some((index, id)) = self.named(which).await else {
            return;
        };
        let service = &self.desk.service;
        let approved = service
            .approve_registration(&self.olga, self.event, id)
            .await;
        let place = self.model.place();
        let registration = &mut self.model.registrations[index];
        match registration.status {
            Status::Cancelled => assert!(matches!(approved, Err(Error::RegistrationCancelled))),
            Status::Pending => {
                registration.status = place;
                assert_eq!(approved.unwrap().status, place);
            }
            status => assert_eq!(approved.unwrap().status, status),
        }
    }

    async fn cancel(&mut self, which: usize, by_link: bool) {
        let Some((index, id)) = self.named(which).await else {
            return;
        };
        let service = &self.desk.service;
        if by_link {
            let link = service.private_link(id).await.unwrap();
            let token = link.rsplit('/').next().unwrap();
            service.cancel_registration_by_token(token).await.unwrap();
        } else {
            let cancel = service.cancel_registration(&self.olga, self.event, id);
            cancel.await.unwrap();
        }
        self.model.registrations[index].status = Status::Cancelled;
        self.model.promote();
    }

    async fn compare(&self) {
        let standing = self.desk.standing(self.event).await;
        let expected: Vec<_> = self
            .model
            .registrations
            .iter()
            .map(|one| (format!("person-{}", one.person), one.status))
            .collect();
        assert_eq!(standing, expected);
        let promoted = self.model.registrations.iter();
        let promoted = promoted.filter(|one| one.was_promoted);
        let promoted: Vec<_> = promoted
            .map(|one| format!("person-{}", one.person))
            .collect();
        let mailed = self.desk.mailed(self.event, job::PROMOTED_MAIL).await;
        assert_eq!(mailed, promoted);
    }
}

async fn seats_agree_with_the_model(database: Database) {
    let desk = Desk::open(&database).await;
    let cases = AtomicU32::new(0);
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    });
    let run = |commands: Vec<Command>| {
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

/// Registrants of the large test, and the seats that they come for.
const CROWD: usize = 10_000;
const SEATS: i32 = 100;
/// How many ask at a time, as a front with many connections does.
const AT_A_TIME: usize = 1_000;

/// Two cores on one PostgreSQL; SQLite has one.
async fn ten_thousand_registrants_on_a_hundred_seats_leave_exactly_a_hundred(database: Database) {
    let first = Desk::open(&database).await;
    let second = if database.is_postgres() {
        Some(Desk::open_beside(&database).await)
    } else {
        None
    };
    let olga = first.olga().await;
    let event = first.create(&olga, seats(SEATS)).await;
    let open = Arc::new(tokio::sync::Semaphore::new(AT_A_TIME));
    let mut asking = JoinSet::new();
    for number in 0..CROWD {
        let desk = match &second {
            Some(second) if number % 2 == 1 => second,
            _ => &first,
        };
        let (service, slug) = (desk.service.clone(), event.slug.clone());
        let open = Arc::clone(&open);
        // Every tenth comes twice, by both cores.
        let person = if number % 10 == 9 { number - 1 } else { number };
        asking.spawn(async move {
            let _turn = open.acquire().await.unwrap();
            let new = guest(&format!("person-{person}"));
            service.register_attendee(&slug, new, None).await.unwrap();
        });
    }
    asking.join_all().await;

    // `standing` compares the counters with the rows.
    let standing = first.standing(event.id).await;
    assert_eq!(standing.len(), CROWD - CROWD / 10);
    let (seated, waiting) = standing.split_at(usize::try_from(SEATS).unwrap());
    assert!(
        seated
            .iter()
            .all(|(_, status)| *status == Status::Confirmed)
    );
    assert!(
        waiting
            .iter()
            .all(|(_, status)| *status == Status::Waitlisted)
    );
    let mails = first.store.list_jobs(job::REGISTERED_MAIL, 100_000).await;
    assert_eq!(mails.unwrap().len(), seated.len());
    let mails = first.store.list_jobs(job::WAITLISTED_MAIL, 100_000).await;
    assert_eq!(mails.unwrap().len(), waiting.len());
}

/// The counters' lock makes an order of the cancellation and each registration, whichever core has either.
async fn a_cancellation_among_registrations_tells_exactly_who_is_registered(database: Database) {
    /// Without the lock most rounds go wrong, but not each.
    const ROUNDS: usize = 8;
    let first = Desk::open(&database).await;
    let second = if database.is_postgres() {
        Some(Desk::open_beside(&database).await)
    } else {
        None
    };
    let olga = first.olga().await;
    for _ in 0..ROUNDS {
        cancel_among_registrations(&first, second.as_ref().unwrap_or(&first), &olga).await;
    }
}

async fn cancel_among_registrations(asked: &Desk, cancelling: &Desk, olga: &Caller) {
    const ASKING: usize = 240;
    let event = asked.create(olga, seats(SEATS)).await;
    let open = Arc::new(tokio::sync::Semaphore::new(ASKING / 6));
    let mut asking = JoinSet::new();
    for number in 0..ASKING {
        let (service, slug) = (asked.service.clone(), event.slug.clone());
        let open = Arc::clone(&open);
        asking.spawn(async move {
            let _turn = open.acquire().await.unwrap();
            let new = guest(&format!("person-{number}"));
            match service.register_attendee(&slug, new, None).await {
                Ok(_) => true,
                Err(Error::EventCancelled) => false,
                Err(error) => panic!("{error:?}"),
            }
        });
    }
    let mut registered = 0;
    for _ in 0..ASKING / 4 {
        registered += usize::from(asking.join_next().await.unwrap().unwrap());
    }
    let cancelled = cancelling.service.cancel_event(olga, event.id, None).await;
    let notified = usize::try_from(cancelled.unwrap().registrants_notified).unwrap();
    let rest = asking.join_all().await;
    registered += rest.into_iter().filter(|registered| *registered).count();

    assert!(
        registered < ASKING,
        "the cancellation came too late to test"
    );
    assert_eq!(asked.standing(event.id).await.len(), registered);
    assert_eq!(notified, registered);
    let mailed = asked.mailed(event.id, job::CANCELLATION_MAIL).await;
    assert_eq!(mailed.len(), registered);
}

/// The control: two who read the counters without their lock both take the last seat. SQLite cannot show it, since there a
/// transaction is the only one.
async fn without_the_lock_on_the_counters_a_seat_is_sold_twice(database: Database) {
    if !database.is_postgres() {
        return;
    }
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(1)).await;
    let rows = crate::fixtures::Rows::new();
    let mut buyers = Vec::new();
    for seq in 1..=2 {
        let mut tx = desk.store.begin().await.unwrap();
        let (read, counters) = tx
            .find_account_event(olga.account_id, event.id)
            .await
            .unwrap()
            .unwrap();
        let status = counters.place(read.max_capacity);
        buyers.push((tx, rows.registration(event.id, seq, status)));
    }
    for (mut tx, registration) in buyers {
        assert_eq!(registration.status, Status::Confirmed);
        tx.insert_registration(&registration).await.unwrap();
        tx.commit().await.unwrap();
    }
    let (_, counters) = desk.service.get_my_event(&olga, event.id).await.unwrap();
    assert_eq!(counters.confirmed, 2, "one seat, sold twice");
}

async fn one_who_cannot_be_written_does_not_take_the_others_along(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(50)).await;
    let mut asking = JoinSet::new();
    for number in 0..20 {
        let (service, slug) = (desk.service.clone(), event.slug.clone());
        let mut new = guest(&format!("person-{number}"));
        // PostgreSQL takes no text with NUL. The proto's limits, which are applied before, let none in.
        if number == 7 && database.is_postgres() {
            new.name.push('\0');
        }
        asking.spawn(async move { service.register_attendee(&slug, new, None).await.is_ok() });
    }
    let registered = asking.join_all().await;
    let registered = registered.into_iter().filter(|registered| *registered);
    let expected = if database.is_postgres() { 19 } else { 20 };
    assert_eq!(registered.count(), expected);
    assert_eq!(desk.standing(event.id).await.len(), expected);
}

async fn other_requests_are_answered_while_an_event_is_hot(database: Database) {
    const HOT: usize = 5_000;
    /// Far above what it takes, and far below what waiting for the crowd would: CI machines are slow.
    const SLOWEST: std::time::Duration = std::time::Duration::from_secs(2);
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let hot = desk.create(&olga, seats(SEATS)).await;
    let open = Arc::new(tokio::sync::Semaphore::new(AT_A_TIME));
    let mut asking = JoinSet::new();
    for number in 0..HOT {
        let (service, slug) = (desk.service.clone(), hot.slug.clone());
        let open = Arc::clone(&open);
        asking.spawn(async move {
            let _turn = open.acquire().await.unwrap();
            let new = guest(&format!("person-{number}"));
            service.register_attendee(&slug, new, None).await.unwrap();
        });
    }
    let mut times = Vec::new();
    while asking.len() > HOT / 10 {
        let began = tokio::time::Instant::now();
        let other = NewEvent {
            is_public: false,
            ..public_event("Other")
        };
        let other = desk.create(&olga, other).await;
        desk.service.get_my_event(&olga, other.id).await.unwrap();
        desk.service.list_events(50, 0).await.unwrap();
        times.push(began.elapsed());
        while asking.try_join_next().is_some() {}
    }
    asking.join_all().await;
    times.sort_unstable();
    let slowest = times.last().copied().unwrap_or_default();
    assert!(slowest < SLOWEST, "{slowest:?} of {}", times.len());
    assert_eq!(desk.clock.now(), NOW);
}

test_postgres::on_both_engines!(prepare: migrate;
    seats_agree_with_the_model,
    ten_thousand_registrants_on_a_hundred_seats_leave_exactly_a_hundred,
    a_cancellation_among_registrations_tells_exactly_who_is_registered,
    without_the_lock_on_the_counters_a_seat_is_sold_twice,
    one_who_cannot_be_written_does_not_take_the_others_along,
    other_requests_are_answered_while_an_event_is_hot,
);
