//! The same is done to the service and to the model, and then both are compared.

use std::sync::atomic::{AtomicU32, Ordering};

use core_service::service::{Error, LastOwner, Principal};
use domain::{
    change::Change,
    event::{EventPatch, NewEvent},
    ids::{EventId, RegistrationId},
    job::JobKind,
    plan::Plan,
    registration::{Party, Status},
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use test_postgres::Database;
use tokio::task::JoinSet;

use super::model::{Model, size};
use crate::{
    fixtures::migrate,
    service::{
        Instance,
        guests::{party, seats},
    },
};

const CASES: u32 = 24;
const CASE_LENGTH: std::ops::Range<usize> = 10..60;
/// Few, so that people come again.
const PEOPLE: u8 = 8;

#[derive(Debug, Clone)]
enum Command {
    Register {
        person: u8,
        by_owner: bool,
    },
    RegisterTogether {
        people: Vec<u8>,
    },
    Approve {
        which: usize,
    },
    Cancel {
        which: usize,
        by_link: bool,
    },
    CheckIn {
        which: usize,
        people: Option<i32>,
        is_undone: bool,
    },
    Resize {
        max_capacity: i32,
    },
    ResizeParty {
        which: usize,
        size: i32,
    },
    Confirm {
        which: usize,
    },
    AskForApproval(bool),
    AskForConfirmation(bool),
    Wait {
        minutes: i64,
    },
    Maintain,
    Erase {
        person: u8,
    },
}

fn command() -> impl Strategy<Value = Command> {
    let person = || 0..PEOPLE;
    let which = || 0..CASE_LENGTH.end;
    prop_oneof![
        6 => (person(), any::<bool>()).prop_map(|(person, by_owner)| Command::Register { person, by_owner }),
        2 => prop::collection::vec(person(), 2..6).prop_map(|people| Command::RegisterTogether { people }),
        3 => which().prop_map(|which| Command::Approve { which }),
        3 => (which(), any::<bool>()).prop_map(|(which, by_link)| Command::Cancel { which, by_link }),
        2 => (which(), prop::option::of(1..4), any::<bool>())
            .prop_map(|(which, people, is_undone)| Command::CheckIn { which, people, is_undone }),
        2 => (1..10).prop_map(|max_capacity| Command::Resize { max_capacity }),
        3 => (which(), 1..4).prop_map(|(which, size)| Command::ResizeParty { which, size }),
        4 => which().prop_map(|which| Command::Confirm { which }),
        1 => any::<bool>().prop_map(Command::AskForApproval),
        1 => prop::bool::weighted(0.8).prop_map(Command::AskForConfirmation),
        // To meet the ends of seats that are held and of confirmations, and what lies between them.
        2 => prop_oneof![Just(1), Just(15), Just(30), Just(11 * 60), Just(12 * 60)].prop_map(|minutes| Command::Wait { minutes }),
        1 => Just(Command::Maintain),
        1 => person().prop_map(|person| Command::Erase { person }),
    ]
}

struct Case<'a> {
    instance: &'a Instance,
    olga: Principal,
    event: EventId,
    slug: String,
    model: Model,
}

impl<'a> Case<'a> {
    async fn begin(instance: &'a Instance, number: u32) -> Self {
        let olga = instance
            .caller(&format!("olga-{number}@example.org"), Plan::Pro)
            .await;
        let lasting = NewEvent {
            start_date: "2099-12-31T00:00:00Z".to_owned(),
            end_date: Some("2100-01-01T00:00:00Z".to_owned()),
            max_party: 3,
            allows_answer_changes: true,
            ..seats(2)
        };
        let event = instance.create(&olga, lasting).await;
        Self {
            instance,
            olga,
            event: event.id,
            slug: event.slug,
            model: Model {
                max_capacity: 2,
                requires_approval: false,
                confirm_by_email: false,
                now: 0,
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
            Command::CheckIn {
                which,
                people,
                is_undone,
            } => self.check_in(which, people, is_undone).await,
            Command::Resize { max_capacity } => {
                let patch = EventPatch {
                    max_capacity: Change::Set(max_capacity),
                    ..EventPatch::default()
                };
                let resized = self.change(patch).await;
                let is_smaller = max_capacity < self.model.max_capacity;
                if is_smaller && max_capacity < self.model.seated() {
                    assert!(matches!(resized, Err(Error::CapacityBelowConfirmed { .. })));
                    return;
                }
                resized.unwrap();
                self.model.max_capacity = max_capacity;
                self.model.promote();
            }
            Command::ResizeParty { which, size } => self.resize_party(which, size).await,
            Command::Confirm { which } => self.confirm(which).await,
            Command::AskForConfirmation(confirm_by_email) => {
                let patch = EventPatch {
                    confirm_by_email: Change::Set(confirm_by_email),
                    ..EventPatch::default()
                };
                self.change(patch).await.unwrap();
                self.model.confirm_by_email = confirm_by_email;
            }
            Command::Wait { minutes } => {
                self.instance.clock.advance_seconds(minutes * 60);
                self.model.now += minutes * 60;
            }
            Command::Maintain => {
                self.instance.maintain().await;
                self.model.settle();
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
                self.instance
                    .people
                    .erase(&address, &LastOwner::Refuse)
                    .await
                    .unwrap();
                self.model.registrations.retain(|one| one.person != person);
                self.model.promote();
            }
        }
    }

    async fn change(&self, patch: EventPatch) -> Result<(), Error> {
        let use_cases = &self.instance.use_cases;
        let changed = use_cases.events.update(&self.olga, self.event, patch).await;
        changed.map(|_| ())
    }

    async fn register(&mut self, person: u8, by_owner: bool) {
        let new = party(&format!("person-{person}"), size(person));
        let registrations = &self.instance.use_cases.registrations;
        let too_many = size(person) > self.model.max_capacity;
        if !by_owner {
            let registered = registrations.register(&self.slug, new, None).await;
            if too_many {
                assert!(
                    matches!(registered, Err(Error::Invalid(_))),
                    "{registered:?}"
                );
            } else {
                registered.unwrap();
                self.model.register(person, by_owner);
            }
            return;
        }
        let added = registrations.add(&self.olga, self.event, new).await;
        if too_many {
            assert!(matches!(added, Err(Error::Invalid(_))), "{added:?}");
            return;
        }
        match self.model.register(person, by_owner) {
            Some(status) => assert_eq!(added.unwrap().status, status),
            None => assert!(matches!(added, Err(Error::AlreadyRegistered)), "{added:?}"),
        }
    }

    /// Those who come at once share batches, in no known order: who came first is read back.
    async fn register_together(&mut self, mut people: Vec<u8>) {
        // Larger parties are refused one by one.
        people.retain(|person| size(*person) <= self.model.max_capacity);
        if people.is_empty() {
            return;
        }
        let mut asking = JoinSet::new();
        for person in people {
            let (use_cases, slug) = (self.instance.use_cases.clone(), self.slug.clone());
            let new = party(&format!("person-{person}"), size(person));
            asking.spawn(async move {
                use_cases
                    .registrations
                    .register(&slug, new, None)
                    .await
                    .unwrap()
            });
        }
        asking.join_all().await;
        // Perhaps all of them were there.
        self.model.settle_before_registering();
        for (name, _) in &self.instance.standing(self.event).await[self.model.registrations.len()..]
        {
            let person = name.trim_start_matches("person-").parse().unwrap();
            assert!(self.model.register(person, false).is_some());
        }
    }

    async fn named(&self, which: usize) -> Option<(usize, RegistrationId)> {
        let index = which.checked_rem(self.model.registrations.len())?;
        let store = &self.instance.store;
        let everyone = store.list_registrations(self.event, 0, 1_000).await;
        Some((index, everyone.unwrap()[index].id))
    }

    async fn approve(&mut self, which: usize) {
        let Some((index, id)) = self.named(which).await else {
            return;
        };
        let use_cases = &self.instance.use_cases;
        let approved = use_cases
            .registrations
            .approve(&self.olga, self.event, id)
            .await;
        let place = self.model.place(self.model.registrations[index].size);
        let registration = &mut self.model.registrations[index];
        match registration.status {
            Status::Cancelled => assert!(matches!(approved, Err(Error::RegistrationCancelled))),
            Status::Pending if registration.unconfirmed_since.is_some() => {
                assert!(matches!(approved, Err(Error::AwaitsConfirmation)));
            }
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
        let use_cases = &self.instance.use_cases;
        if by_link {
            let link = self.instance.private_link(id).await;
            let token = link.rsplit('/').next().unwrap();
            use_cases.own_registrations.cancel(token).await.unwrap();
            self.model.settle();
        } else {
            let cancel = use_cases.registrations.cancel(&self.olga, self.event, id);
            cancel.await.unwrap();
        }
        self.model.cancel(index);
    }

    async fn check_in(&mut self, which: usize, people: Option<i32>, is_undone: bool) {
        let Some((index, id)) = self.named(which).await else {
            return;
        };
        let door = &self.instance.use_cases.registrations;
        let arrived = door.check_in(&self.olga, self.event, id, people).await;
        let one = &mut self.model.registrations[index];
        let people = people.unwrap_or(one.size);
        let is_in = one.status == Status::Confirmed && people <= one.size;
        assert_eq!(arrived.is_ok(), is_in, "{arrived:?}");
        if is_in {
            one.arrived = people;
        }
        if is_undone {
            let undone = door.undo_check_in(&self.olga, self.event, id).await;
            assert_eq!(undone.unwrap().checked_in_at, None);
            one.arrived = 0;
        }
    }

    async fn resize_party(&mut self, which: usize, size: i32) {
        let Some((index, id)) = self.named(which).await else {
            return;
        };
        let own = &self.instance.use_cases.own_registrations;
        let link = self.instance.private_link(id).await;
        let token = link.rsplit('/').next().unwrap();
        let party = Some(Party::of(size));
        let resized = own.change_answers(token, Vec::new(), party).await;
        match self.model.resize_party(index, size) {
            Some(status) => {
                let registration = resized.unwrap().registration;
                assert_eq!(registration.status, status);
                assert_eq!(registration.party.size, size);
            }
            None => assert!(resized.is_err(), "{resized:?}"),
        }
    }

    async fn confirm(&mut self, which: usize) {
        let Some((index, id)) = self.named(which).await else {
            return;
        };
        let own = &self.instance.use_cases.own_registrations;
        let link = self.instance.private_link(id).await;
        let token = link.rsplit('/').next().unwrap();
        let confirmed = own.confirm(token).await;
        match self.model.confirm(index) {
            Some(status) => {
                let again = own.confirm(token).await.unwrap();
                let confirmed = confirmed.unwrap();
                assert_eq!(confirmed.registration.status, status);
                assert_eq!(confirmed, again);
            }
            None => assert!(matches!(confirmed, Err(Error::RegistrationCancelled))),
        }
    }

    async fn compare(&self) {
        let standing = self.instance.standing(self.event).await;
        let expected: Vec<_> = self
            .model
            .registrations
            .iter()
            .map(|one| (format!("person-{}", one.person), one.status))
            .collect();
        assert_eq!(standing, expected);
        assert!(self.model.seated() <= self.model.max_capacity);
        let promoted = self.model.registrations.iter();
        let promoted = promoted.filter(|one| one.was_promoted);
        let promoted: Vec<_> = promoted
            .map(|one| format!("person-{}", one.person))
            .collect();
        let mailed = self
            .instance
            .mailed(self.event, JobKind::PromotedMail)
            .await;
        assert_eq!(mailed, promoted);
    }
}

async fn seats_agree_with_the_model(database: Database) {
    let instance = Instance::open(&database).await;
    let cases = AtomicU32::new(0);
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let mut runner = TestRunner::new(config);
    let run = |commands: Vec<Command>| {
        let number = cases.fetch_add(1, Ordering::Relaxed);
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let mut case = Case::begin(&instance, number).await;
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

test_postgres::on_both_engines!(prepare: migrate; seats_agree_with_the_model);
