//! Registering, and who gets the seats.

use core_service::{
    domain::{
        change::Change,
        event::{CustomField, Event, EventPatch, NewEvent},
        ids::{EventId, RegistrationId},
        job,
        plan::Plan,
        registration::{Answer, Status},
    },
    service::{Added, Error, NewRegistration},
};
use serde_json::json;
use test_postgres::Database;

use super::{Desk, assert_no_event, new_event, public_event};
use crate::fixtures::{HOUR, migrate};

const NO_MAIL: [&str; 0] = [];

pub(crate) fn guest(name: &str) -> NewRegistration {
    NewRegistration {
        name: name.to_owned(),
        email: format!("{name}@example.org"),
        answers: Vec::new(),
    }
}

pub(crate) fn seats(max_capacity: i32) -> NewEvent {
    NewEvent {
        max_capacity,
        ..public_event("Rust Meetup")
    }
}

impl Desk {
    /// Where everybody stands, in the order of registering, after a look at the counters.
    pub(super) async fn standing(&self, event: EventId) -> Vec<(String, Status)> {
        let everybody = self.store.list_registrations(event, 0, 100_000).await;
        let everybody = everybody.unwrap();
        let mut tx = self.store.begin().await.unwrap();
        let counters = tx.lock_counters(event).await.unwrap().unwrap();
        drop(tx);
        let count = |status| {
            let of_status = everybody.iter().filter(|one| one.status == status).count();
            i32::try_from(of_status).unwrap()
        };
        assert_eq!(counters.confirmed, count(Status::Confirmed));
        assert_eq!(counters.pending, count(Status::Pending));
        assert_eq!(counters.waitlisted, count(Status::Waitlisted));
        assert_eq!(counters.cancelled, count(Status::Cancelled));
        everybody
            .into_iter()
            .map(|one| (one.name, one.status))
            .collect()
    }

    /// To whom a kind of mail is to go, by name.
    pub(super) async fn mailed(&self, event: EventId, kind: &str) -> Vec<String> {
        let jobs = self.store.list_jobs(kind, 100_000).await.unwrap();
        let everybody = self.store.list_registrations(event, 0, 100_000).await;
        let jobs: Vec<_> = jobs.iter().map(|job| job.key.subject_id).collect();
        let mailed = everybody
            .unwrap()
            .into_iter()
            .filter(|one| jobs.contains(&one.id.uuid()));
        mailed.map(|one| one.name).collect()
    }

    async fn ask(&self, event: &Event, name: &str) {
        let asked = self
            .service
            .register_attendee(&event.slug, guest(name), None);
        asked.await.unwrap();
    }
}

async fn the_first_get_the_seats_and_the_others_wait_in_order(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(2)).await;
    for name in ["ada", "bob", "cleo", "dan"] {
        desk.ask(&event, name).await;
    }
    let expected = [
        ("ada".to_owned(), Status::Confirmed),
        ("bob".to_owned(), Status::Confirmed),
        ("cleo".to_owned(), Status::Waitlisted),
        ("dan".to_owned(), Status::Waitlisted),
    ];
    assert_eq!(desk.standing(event.id).await, expected);
    assert_eq!(
        desk.mailed(event.id, job::REGISTERED_MAIL).await,
        ["ada", "bob"]
    );
    assert_eq!(
        desk.mailed(event.id, job::WAITLISTED_MAIL).await,
        ["cleo", "dan"]
    );

    let more = EventPatch {
        max_capacity: Change::Set(3),
        ..EventPatch::default()
    };
    let (_, counters) = desk
        .service
        .update_event(&olga, event.id, more)
        .await
        .unwrap();
    assert_eq!((counters.confirmed, counters.waitlisted), (3, 1));
    assert_eq!(desk.mailed(event.id, job::PROMOTED_MAIL).await, ["cleo"]);
    assert_eq!(
        desk.standing(event.id).await[2],
        ("cleo".to_owned(), Status::Confirmed)
    );
}

async fn a_repeated_registration_is_answered_alike_and_mailed(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(5)).await;
    desk.ask(&event, "ada").await;
    let again = NewRegistration {
        name: "Somebody Else".to_owned(),
        email: "ADA@Example.org".to_owned(),
        answers: Vec::new(),
    };
    for _ in 0..2 {
        let answer = desk
            .service
            .register_attendee(&event.slug, again.clone(), None);
        answer.await.unwrap();
    }
    assert_eq!(
        desk.standing(event.id).await,
        [("ada".to_owned(), Status::Confirmed)]
    );
    let jobs = desk.store.list_jobs(job::REGISTERED_AGAIN_MAIL, 10).await;
    assert_eq!(jobs.unwrap().len(), 1, "one a minute is enough");
    desk.clock.advance_seconds(60);
    desk.ask(&event, "ada").await;
    let jobs = desk.store.list_jobs(job::REGISTERED_AGAIN_MAIL, 10).await;
    assert_eq!(jobs.unwrap().len(), 2, "each minute has a mail of its own");

    let refused = desk.service.add_registration(&olga, event.id, again).await;
    assert!(
        matches!(refused, Err(Error::AlreadyRegistered)),
        "{refused:?}"
    );
}

async fn who_cancelled_may_register_again(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(5)).await;
    let added = desk.service.add_registration(&olga, event.id, guest("ada"));
    let added = added.await.unwrap();
    let cancel = desk.service.cancel_registration(&olga, event.id, added.id);
    cancel.await.unwrap();
    desk.ask(&event, "ada").await;
    let expected = [Status::Cancelled, Status::Confirmed].map(|status| ("ada".to_owned(), status));
    assert_eq!(desk.standing(event.id).await, expected);
}

async fn an_organizer_learns_where_somebody_stands(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.caller("olga@example.org", Plan::Free).await;
    let event = desk
        .create(
            &olga,
            NewEvent {
                requires_approval: true,
                ..seats(1)
            },
        )
        .await;
    let add = async |name| {
        let added = desk.service.add_registration(&olga, event.id, guest(name));
        added.await.unwrap()
    };
    let first: Added = add("ada").await;
    assert_eq!(
        (first.status, first.waitlist_position),
        (Status::Confirmed, None)
    );
    assert_eq!(add("bob").await.waitlist_position, Some(1));
    let third = add("cleo").await;
    assert_eq!(
        (third.status, third.waitlist_position),
        (Status::Waitlisted, Some(2))
    );
    let audit = desk.audit(first.id.uuid()).await;
    assert_eq!(audit[0]["action"], "registration.create");
    assert_eq!(audit[0]["actor"], "key");
    assert_eq!(audit[0]["after"]["status"], "Confirmed");
    assert!(!json!(audit).to_string().contains("example.org"));

    let token = first.cancel_url.rsplit('/').next().unwrap();
    assert!(
        first
            .cancel_url
            .starts_with("https://muster.example/registrations/")
    );
    let own = desk.service.get_registration_by_token(token).await.unwrap();
    assert_eq!((own.registration.id, own.event.id), (first.id, event.id));

    let otto = desk.caller("otto@example.org", Plan::Business).await;
    assert_no_event(
        desk.service
            .add_registration(&otto, event.id, guest("dan"))
            .await,
    );
}

async fn closed_events_take_nobody(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let draft = desk.create(&olga, new_event("Draft")).await;
    let cancelled = desk.create(&olga, public_event("Cancelled")).await;
    desk.service
        .cancel_event(&olga, cancelled.id, None)
        .await
        .unwrap();
    let unlisted = NewEvent {
        is_listed: false,
        ..public_event("Unlisted")
    };
    let unlisted = desk.create(&olga, unlisted).await;
    let public = async |slug: &str| {
        let asked = desk.service.register_attendee(slug, guest("ada"), None);
        asked.await.map(|_| ())
    };
    let owner = async |id| {
        desk.service
            .add_registration(&olga, id, guest("ada"))
            .await
            .map(|_| ())
    };

    assert_no_event(public(&draft.slug).await);
    assert_no_event(public("no-such-event").await);
    assert_no_event(public("../..").await);
    assert!(matches!(
        owner(draft.id).await,
        Err(Error::EventNotPublished)
    ));
    for refused in [public(&cancelled.slug).await, owner(cancelled.id).await] {
        assert!(matches!(refused, Err(Error::EventCancelled)), "{refused:?}");
    }
    public(&unlisted.slug).await.unwrap();
    desk.clock.advance_seconds(2 * HOUR);
    for refused in [public(&unlisted.slug).await, owner(unlisted.id).await] {
        assert!(matches!(refused, Err(Error::EventEnded)), "{refused:?}");
    }
}

async fn answers_fit_the_questions(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let size = CustomField {
        label: "Size".to_owned(),
        field_type: "select".to_owned(),
        required: true,
        options: vec!["S".to_owned(), "M".to_owned()],
    };
    let asking = NewEvent {
        custom_fields: vec![size],
        ..seats(5)
    };
    let event = desk.create(&olga, asking).await;
    let answering = |name: &str, values: &[&str]| NewRegistration {
        answers: vec![Answer {
            label: "Size".to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        }],
        ..guest(name)
    };
    let refused = desk
        .service
        .register_attendee(&event.slug, guest("ada"), None);
    let Err(Error::Invalid(found)) = refused.await else {
        panic!("an answer is missing");
    };
    assert_eq!(found[0].message, "must have an answer to \"Size\"");
    let refused = desk
        .service
        .register_attendee(&event.slug, answering("ada", &["XL"]), None);
    assert!(matches!(refused.await, Err(Error::Invalid(_))));
    let large = "x".repeat(20_001);
    let refused = desk
        .service
        .register_attendee(&event.slug, answering("ada", &[&large]), None);
    assert!(matches!(refused.await, Err(Error::Invalid(_))));

    let good = answering("ada", &["M"]);
    let asked = desk
        .service
        .register_attendee(&event.slug, good.clone(), None);
    asked.await.unwrap();
    let stored = desk.store.list_registrations(event.id, 0, 10).await;
    assert_eq!(stored.unwrap()[0].answers, good.answers);
}

async fn a_freed_seat_goes_to_who_waits_longest(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(1)).await;
    let mut ids: Vec<RegistrationId> = Vec::new();
    let mut urls = Vec::new();
    for name in ["ada", "bob", "cleo"] {
        let added = desk.service.add_registration(&olga, event.id, guest(name));
        let added = added.await.unwrap();
        ids.push(added.id);
        urls.push(added.cancel_url);
    }
    let cancelled = desk.service.cancel_registration(&olga, event.id, ids[0]);
    assert_eq!(cancelled.await.unwrap().status, Status::Cancelled);
    let expect = async |statuses: [Status; 3], promoted: &[&str]| {
        let standing = desk.standing(event.id).await;
        let found: Vec<Status> = standing.iter().map(|(_, status)| *status).collect();
        assert_eq!(found, statuses);
        assert_eq!(desk.mailed(event.id, job::PROMOTED_MAIL).await, promoted);
    };
    expect(
        [Status::Cancelled, Status::Confirmed, Status::Waitlisted],
        &["bob"],
    )
    .await;
    // Cancelling again frees no second seat.
    let again = desk.service.cancel_registration(&olga, event.id, ids[0]);
    again.await.unwrap();
    expect(
        [Status::Cancelled, Status::Confirmed, Status::Waitlisted],
        &["bob"],
    )
    .await;

    let token = urls[1].rsplit('/').next().unwrap();
    let own = desk.service.cancel_registration_by_token(token).await;
    let own = own.unwrap();
    assert_eq!(own.registration.status, Status::Cancelled);
    assert!(!own.is_cancellable);
    expect(
        [Status::Cancelled, Status::Cancelled, Status::Confirmed],
        &["bob", "cleo"],
    )
    .await;
    let own = desk.service.cancel_registration_by_token(token).await;
    assert_eq!(own.unwrap().registration.status, Status::Cancelled);
    assert_eq!(
        desk.mailed(event.id, job::REGISTRATION_CANCELLED_MAIL)
            .await,
        ["ada", "bob"]
    );
    let audit = desk.audit(ids[1].uuid()).await;
    assert_eq!(audit[1]["actor"], "attendee");
    assert_eq!(audit[1]["action"], "registration.cancel");
}

async fn links_that_are_written_together_fail_apart(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(1)).await;
    desk.ask(&event, "ada").await;
    let stored = desk.store.list_registrations(event.id, 0, 10).await;
    let ada = stored.unwrap()[0].id;
    let erased = RegistrationId::new(event.id.uuid());
    let mut links = tokio::task::JoinSet::new();
    for number in 0..32 {
        let service = desk.service.clone();
        let is_erased = number % 8 == 3;
        let id = if is_erased { erased } else { ada };
        links.spawn(async move { (is_erased, service.private_link(id).await) });
    }
    for (is_erased, link) in links.join_all().await {
        assert_eq!(is_erased, link.is_err(), "{link:?}");
        let Ok(link) = link else { continue };
        let token = link.rsplit('/').next().unwrap();
        let own = desk.service.get_registration_by_token(token).await.unwrap();
        assert_eq!(own.registration.id, ada);
    }
}

async fn a_private_link_leads_to_one_registration_only(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(1)).await;
    desk.ask(&event, "ada").await;
    desk.ask(&event, "bob").await;
    let stored = desk.store.list_registrations(event.id, 0, 10).await;
    let bob = stored.unwrap()[1].id;
    let links = [
        desk.service.private_link(bob).await.unwrap(),
        desk.service.private_link(bob).await.unwrap(),
    ];
    assert_ne!(links[0], links[1]);
    for link in links {
        let token = link.rsplit('/').next().unwrap();
        let own = desk.service.get_registration_by_token(token).await.unwrap();
        assert_eq!(own.registration.id, bob);
        assert_eq!((own.waitlist_position, own.is_cancellable), (Some(1), true));
    }
    for token in ["", "short", &"a".repeat(32), &"é".repeat(16)] {
        let refused = desk.service.get_registration_by_token(token).await;
        assert!(
            matches!(
                refused,
                Err(Error::NotFound {
                    what: "registration"
                })
            ),
            "{refused:?}"
        );
        let refused = desk.service.cancel_registration_by_token(token).await;
        assert!(matches!(refused, Err(Error::NotFound { .. })));
    }
}

async fn a_change_of_time_or_place_is_mailed_once_to_whoever_may_come(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(1)).await;
    for name in ["ada", "bob"] {
        desk.ask(&event, name).await;
    }
    let gone = desk
        .service
        .add_registration(&olga, event.id, guest("cleo"));
    let gone = gone.await.unwrap().id;
    let cancel = desk.service.cancel_registration(&olga, event.id, gone);
    cancel.await.unwrap();
    let change = async |patch| {
        let changed = desk.service.update_event(&olga, event.id, patch);
        changed.await.unwrap();
    };
    let placed = |place: &str| EventPatch {
        location: Change::Set(place.to_owned()),
        ..EventPatch::default()
    };
    change(EventPatch {
        description: Change::Set("Other words.".to_owned()),
        ..EventPatch::default()
    })
    .await;
    assert_eq!(
        desk.mailed(event.id, job::EVENT_CHANGED_MAIL).await,
        NO_MAIL
    );
    change(placed("Elsewhere")).await;
    change(placed("Elsewhere")).await;
    assert_eq!(
        desk.mailed(event.id, job::EVENT_CHANGED_MAIL).await,
        ["ada", "bob"]
    );
    change(placed("Hall")).await;
    let jobs = desk.store.list_jobs(job::EVENT_CHANGED_MAIL, 10).await;
    let mut generations: Vec<i32> = jobs.unwrap().iter().map(|job| job.key.generation).collect();
    generations.sort_unstable();
    assert_eq!(generations, [1, 1, 2, 2]);
}

test_postgres::on_both_engines!(prepare: migrate;
    the_first_get_the_seats_and_the_others_wait_in_order,
    a_repeated_registration_is_answered_alike_and_mailed,
    who_cancelled_may_register_again,
    an_organizer_learns_where_somebody_stands,
    closed_events_take_nobody,
    answers_fit_the_questions,
    a_freed_seat_goes_to_who_waits_longest,
    links_that_are_written_together_fail_apart,
    a_private_link_leads_to_one_registration_only,
    a_change_of_time_or_place_is_mailed_once_to_whoever_may_come,
);
