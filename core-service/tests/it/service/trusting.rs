//! What an account may do that signed itself up and is not trusted yet: it mails few people a day who did not register themselves.

use core_service::service::{Error, PlannedChange, Policy, Principal, SignUp};
use domain::{
    change::Change,
    event::{Event, EventPatch},
    ids::EventId,
    job::JobKind,
    person::Role,
    plan::{Plan, Plans},
};
use test_postgres::Database;

use super::{
    Instance,
    guests::{guest, seats},
    people::{Someone, to},
    policy,
    signing_in::DAY,
};
use crate::{fixtures::migrate, mail::Mailbox};

/// The default limit, and how many people lift it.
const LIMIT: usize = 20;

impl Instance {
    /// Someone who signed up, on a plan that checks people in, and who stands for their account.
    async fn signed_up(&self) -> (Someone, Principal) {
        let owner = self.someone("nora@example.org", 1).await;
        let caller = self.standing_of(&owner).await;
        let set = self.accounts.set_plan(caller.account, Plan::Pro).await;
        set.unwrap();
        (owner, caller)
    }

    async fn add_one(&self, by: &Principal, event: EventId, name: &str) -> Result<(), Error> {
        let added = self.registrations.add(by, event, guest(name)).await;
        added.map(drop)
    }

    /// Adds so many guests, whose names begin like that.
    async fn add_many(&self, by: &Principal, event: EventId, name: &str, count: usize) {
        for number in 0..count {
            let name = format!("{name}{number}");
            self.add_one(by, event, &name).await.unwrap();
        }
    }

    /// Someone registers themselves and cancels on their page, which is in the one mail.
    async fn registers_and_cancels(&self, event: &Event, mailbox: &Mailbox, email: &str) {
        let token = self.registers(event, mailbox, email).await;
        self.own_registrations.cancel(&token).await.unwrap();
        mailbox.collect().await;
    }

    async fn registers(&self, event: &Event, mailbox: &Mailbox, email: &str) -> String {
        let new = core_service::service::NewRegistration {
            email: email.to_owned(),
            ..guest("Ada")
        };
        let registered = self.registrations.register(&event.slug, new, None);
        registered.await.unwrap();
        let mails = mailbox.collect().await;
        let to_them = mails.iter().find(|mail| mail.to.1 == email).unwrap();
        let (_, rest) = to_them.text.split_once("/registrations/").unwrap();
        rest.split_whitespace().next().unwrap().to_owned()
    }
}

/// What is left of the day, if that is why it was refused.
fn left<T: std::fmt::Debug>(answer: Result<T, Error>) -> Option<i64> {
    match answer {
        Ok(_) => None,
        Err(error @ Error::NewAccountMails { exceeded, wait }) => {
            assert!(i64::try_from(wait.as_secs()).unwrap() <= DAY);
            let text = error.to_string();
            assert!(text.contains("the operator trusts the account"), "{text}");
            Some(exceeded.left())
        }
        Err(error) => panic!("{error:?}"),
    }
}

fn elsewhere() -> EventPatch {
    EventPatch {
        location: Change::Set("Elsewhere".to_owned()),
        ..EventPatch::default()
    }
}

async fn a_new_account_adds_twenty_people_a_day(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, seats(100)).await;
    for number in 0..LIMIT {
        let core = if number % 2 == 0 { &instance } else { &replica };
        let name = format!("guest{number}");
        core.add_one(&nora, event.id, &name).await.unwrap();
    }
    for core in [&instance, &replica] {
        assert_eq!(left(core.add_one(&nora, event.id, "late").await), Some(0));
    }
    // Who registers themselves is not counted.
    instance.ask(&event, "ada").await;
    assert_eq!(instance.standing(event.id).await.len(), LIMIT + 1);
    instance.clock.advance_seconds(DAY);
    let event = instance.create(&nora, later(seats(100))).await;
    instance.add_one(&nora, event.id, "late").await.unwrap();
}

/// The same event a year later.
fn later(event: domain::event::NewEvent) -> domain::event::NewEvent {
    domain::event::NewEvent {
        start_date: "2031-01-01T01:00:00Z".to_owned(),
        end_date: None,
        ..event
    }
}

async fn a_change_counts_for_those_who_were_added(database: Database) {
    let instance = Instance::open(&database).await;
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, seats(100)).await;
    instance.add_many(&nora, event.id, "guest", 12).await;
    for name in ["ada", "bob", "cleo"] {
        instance.ask(&event, name).await;
    }
    let before = instance.events.get(&nora, event.id).await.unwrap();
    let moved = instance.events.update(&nora, event.id, elsewhere()).await;
    assert_eq!(left(moved), Some(8), "it needs 12");
    assert_eq!(instance.events.get(&nora, event.id).await.unwrap(), before);

    // Two moves within minutes are one mail to each, and an undone one is none.
    let event = instance.create(&nora, seats(100)).await;
    instance.add_many(&nora, event.id, "guest", 4).await;
    let update = async |location: &str| {
        let patch = EventPatch {
            location: Change::Set(location.to_owned()),
            ..EventPatch::default()
        };
        instance.events.update(&nora, event.id, patch).await
    };
    update("Elsewhere").await.unwrap();
    update("Hall").await.unwrap();
    assert_eq!(
        left(instance.add_one(&nora, event.id, "late").await),
        Some(0)
    );
    let mailbox = Mailbox::of(&instance);
    mailbox.collect().await;
    instance.clock.advance_seconds(900);
    mailbox.collect().await;
    instance.add_one(&nora, event.id, "late").await.unwrap();
}

async fn cancelling_is_never_refused_and_says_who_is_not_told(database: Database) {
    let instance = Instance::open(&database).await;
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, later(seats(100))).await;
    instance.add_many(&nora, event.id, "first", 15).await;
    instance.clock.advance_seconds(DAY);
    instance.add_many(&nora, event.id, "second", 15).await;
    for name in ["ada", "bob"] {
        instance.ask(&event, name).await;
    }
    // Of 30 who were added, 5 can be told today.
    let planned = PlannedChange::Cancel { reason: None };
    let planned = instance.events.planned_mail(&nora, event.id, planned).await;
    let planned = planned.unwrap();
    assert_eq!((planned.recipients, planned.withheld), (7, 25));
    let cancelled = instance.events.cancel(&nora, event.id, None).await.unwrap();
    assert_eq!(cancelled.registrants_notified, 7);
    assert_eq!(cancelled.added_not_notified, 25);
    let mut mailed = instance.mailed(event.id, JobKind::CancellationMail).await;
    mailed.sort();
    let expected = [
        "ada", "bob", "first0", "first1", "first2", "first3", "first4",
    ];
    assert_eq!(mailed, expected);
    let again = instance.events.cancel(&nora, event.id, None).await.unwrap();
    assert_eq!(
        (again.registrants_notified, again.added_not_notified),
        (0, 0)
    );

    let olga = instance.olga().await;
    let event = instance.create(&olga, later(seats(100))).await;
    instance.add_many(&olga, event.id, "guest", 30).await;
    let cancelled = instance.events.cancel(&olga, event.id, None).await.unwrap();
    assert_eq!(cancelled.registrants_notified, 30);
    assert_eq!(cancelled.added_not_notified, 0);
}

async fn a_seat_from_the_waitlist_counts_for_those_who_were_added(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, later(seats(1))).await;
    instance.add_many(&nora, event.id, "first", LIMIT).await;
    mailbox.collect().await;
    instance.clock.advance_seconds(DAY);
    instance.add_many(&nora, event.id, "second", 10).await;
    mailbox.collect().await;
    let larger = EventPatch {
        max_capacity: Change::Set(12),
        ..EventPatch::default()
    };
    let update = instance.events.update(&nora, event.id, larger).await;
    assert_eq!(update.unwrap().notified, 11);
    // One of them hears the next day.
    assert_eq!(mailbox.collect().await.len(), 10);
    instance.clock.advance_seconds(DAY + DAY / 4);
    assert_eq!(mailbox.collect().await.len(), 1);
}

async fn what_is_decided_about_those_who_were_added_waits_beyond_the_limit(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, later(seats(100))).await;
    instance.add_many(&nora, event.id, "first", 15).await;
    instance.ask(&event, "ada").await;
    mailbox.collect().await;
    instance.clock.advance_seconds(DAY);
    instance.add_many(&nora, event.id, "second", 15).await;
    mailbox.collect().await;
    let guests = instance.store.list_registrations(event.id, 0, 16).await;
    for guest in guests.unwrap() {
        let cancelled = instance.registrations.cancel(&nora, event.id, guest.id);
        cancelled.await.unwrap();
    }
    // Whoever registered themselves is told.
    let told = mailbox.collect().await;
    assert_eq!(told.len(), 5 + 1);
    assert!(told.iter().any(|mail| mail.to.1 == "ada@example.org"));
    instance.clock.advance_seconds(DAY + DAY / 4);
    assert_eq!(mailbox.collect().await.len(), 10);
}

async fn invitations_of_members_count(database: Database) {
    let instance = Instance::open(&database).await;
    let (owner, nora) = instance.signed_up().await;
    let event = instance.create(&nora, seats(100)).await;
    instance.add_many(&nora, event.id, "guest", 18).await;
    let invite = async |name: &str| {
        let new = to(&format!("{name}@example.org"), Role::Door);
        instance.members.invite(&nora, &owner.by, new).await
    };
    invite("dan").await.unwrap();
    invite("eve").await.unwrap();
    assert_eq!(left(invite("fay").await), Some(0));
    assert_eq!(
        left(instance.add_one(&nora, event.id, "late").await),
        Some(0)
    );
}

async fn twenty_mailboxes_that_press_a_button_lift_the_limit(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, seats(200)).await;
    let is_trusted = async || {
        let overview = instance.accounts.get(&nora).await.unwrap();
        overview.account.is_trusted
    };
    for number in 0..LIMIT - 1 {
        let email = format!("guest{number}@example.org");
        instance
            .registers_and_cancels(&event, &mailbox, &email)
            .await;
    }
    // None of these is another one: the same mailbox, someone who was added, who only looks, or whom the organizer checks in.
    let same = "guest0+again@example.org";
    instance.registers_and_cancels(&event, &mailbox, same).await;
    let added = instance
        .registrations
        .add(&nora, event.id, guest("bob"))
        .await;
    let added = added.unwrap();
    let token = added.cancel_url.rsplit('/').next().unwrap();
    instance.own_registrations.cancel(token).await.unwrap();
    let looks = instance
        .registers(&event, &mailbox, "cleo@example.org")
        .await;
    instance.own_registrations.get(&looks).await.unwrap();
    let everyone = instance.store.list_registrations(event.id, 0, 100).await;
    let cleo = everyone.unwrap().pop().unwrap();
    let checked_in = instance
        .registrations
        .check_in(&nora, event.id, cleo.id, None);
    checked_in.await.unwrap();
    assert!(!is_trusted().await);

    let last = "guest19@example.org";
    instance.registers_and_cancels(&event, &mailbox, last).await;
    assert!(is_trusted().await);
    instance.add_many(&nora, event.id, "added", 30).await;
    let audit = instance.audit(nora.account.uuid()).await;
    let entry = audit.iter().find(|one| one["action"] == "account.trust");
    assert_eq!(entry.unwrap()["actor"], "system");
    // What is not needed any more is not kept.
    let proofs = instance.store.count_trust_proofs(nora.account).await;
    assert_eq!(proofs.unwrap(), 0);
}

async fn who_is_erased_leaves_no_proof(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, seats(200)).await;
    let email = "ada@example.org";
    instance
        .registers_and_cancels(&event, &mailbox, email)
        .await;
    let proofs = async || {
        let proofs = instance.store.count_trust_proofs(nora.account).await;
        proofs.unwrap()
    };
    assert_eq!(proofs().await, 1);
    let erased = instance
        .people
        .erase(email, &core_service::service::LastOwner::Refuse);
    erased.await.unwrap();
    assert_eq!(proofs().await, 0);
}

async fn the_operator_lifts_the_limit(database: Database) {
    let instance = Instance::open(&database).await;
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, seats(100)).await;
    instance.add_many(&nora, event.id, "guest", LIMIT).await;
    assert!(left(instance.add_one(&nora, event.id, "late").await).is_some());
    assert!(instance.accounts.trust(nora.account).await.unwrap());
    assert!(!instance.accounts.trust(nora.account).await.unwrap());
    instance.add_many(&nora, event.id, "late", LIMIT).await;
}

async fn where_sign_up_is_closed_everyone_is_trusted(database: Database) {
    let instance = Instance::open(&database).await;
    let (_, nora) = instance.signed_up().await;
    let event = instance.create(&nora, seats(100)).await;
    let closed = Policy {
        sign_up: SignUp {
            is_open: false,
            ..SignUp::default()
        },
        plans: Plans {
            new_account_mails: None,
            ..Plans::default()
        },
        ..policy()
    };
    let commands = instance.commands.clone();
    let closed = core_service::service::UseCases::new(commands, closed);
    for number in 0..=LIMIT {
        let name = format!("guest{number}");
        let added = closed.registrations.add(&nora, event.id, guest(&name));
        added.await.unwrap();
    }
}

test_postgres::on_both_engines!(prepare: migrate;
    a_new_account_adds_twenty_people_a_day,
    a_change_counts_for_those_who_were_added,
    cancelling_is_never_refused_and_says_who_is_not_told,
    a_seat_from_the_waitlist_counts_for_those_who_were_added,
    what_is_decided_about_those_who_were_added_waits_beyond_the_limit,
    invitations_of_members_count,
    twenty_mailboxes_that_press_a_button_lift_the_limit,
    who_is_erased_leaves_no_proof,
    the_operator_lifts_the_limit,
    where_sign_up_is_closed_everyone_is_trusted,
);
