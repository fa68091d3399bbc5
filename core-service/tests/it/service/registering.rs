//! Registering: by anyone for themselves, by an organizer for someone.

use core_service::service::{Added, Error, NewRegistration};
use domain::{
    event::{CustomField, FieldType, NewEvent},
    job::JobKind,
    plan::Plan,
    registration::{Answer, Status},
};
use serde_json::json;
use test_postgres::Database;

use super::{
    Instance, assert_no_event,
    guests::{guest, seats},
    new_event, public_event,
};
use crate::fixtures::{HOUR, migrate};

async fn a_repeated_registration_is_answered_alike_and_mailed(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(5)).await;
    instance.ask(&event, "ada").await;
    let again = NewRegistration {
        name: "Someone Else".to_owned(),
        email: "ADA@Example.org".to_owned(),
        ..guest("ada")
    };
    for _ in 0..2 {
        let answer = instance
            .registrations
            .register(&event.slug, again.clone(), None);
        answer.await.unwrap();
    }
    assert_eq!(
        instance.standing(event.id).await,
        [("ada".to_owned(), Status::Confirmed)]
    );
    let jobs = instance
        .store
        .list_jobs(JobKind::RegisteredAgainMail, 10)
        .await;
    assert_eq!(jobs.unwrap().len(), 1, "one a minute is enough");
    instance.clock.advance_seconds(60);
    instance.ask(&event, "ada").await;
    let jobs = instance
        .store
        .list_jobs(JobKind::RegisteredAgainMail, 10)
        .await;
    assert_eq!(jobs.unwrap().len(), 2, "each minute has a mail of its own");

    let refused = instance.registrations.add(&olga, event.id, again).await;
    assert!(
        matches!(refused, Err(Error::AlreadyRegistered)),
        "{refused:?}"
    );
}

async fn who_cancelled_may_register_again(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(5)).await;
    let added = instance.registrations.add(&olga, event.id, guest("ada"));
    let added = added.await.unwrap();
    let cancel = instance.registrations.cancel(&olga, event.id, added.id);
    cancel.await.unwrap();
    instance.ask(&event, "ada").await;
    let expected = [Status::Cancelled, Status::Confirmed].map(|status| ("ada".to_owned(), status));
    assert_eq!(instance.standing(event.id).await, expected);
    let people = instance.store.list_registrations(event.id, 0, 10).await;
    let is_added = people.unwrap().into_iter().map(|one| one.is_added);
    assert_eq!(is_added.collect::<Vec<_>>(), [true, false]);
}

async fn an_organizer_learns_where_someone_stands(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.caller("olga@example.org", Plan::Premium).await;
    let event = instance
        .create(
            &olga,
            NewEvent {
                requires_approval: true,
                ..seats(1)
            },
        )
        .await;
    let add = async |name| {
        let added = instance.registrations.add(&olga, event.id, guest(name));
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
    let audit = instance.audit(first.id.uuid()).await;
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
    let own = instance.own_registrations.get(token).await.unwrap();
    assert_eq!((own.registration.id, own.event.id), (first.id, event.id));

    let otto = instance.caller("otto@example.org", Plan::Business).await;
    assert_no_event(
        instance
            .registrations
            .add(&otto, event.id, guest("dan"))
            .await,
    );
}

async fn closed_events_take_nobody(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let draft = instance.create(&olga, new_event("Draft")).await;
    let cancelled = instance.create(&olga, public_event("Cancelled")).await;
    instance
        .events
        .cancel(&olga, cancelled.id, None)
        .await
        .unwrap();
    let unlisted = NewEvent {
        is_listed: false,
        ..public_event("Unlisted")
    };
    let unlisted = instance.create(&olga, unlisted).await;
    let public = async |slug: &str| {
        let asked = instance.registrations.register(slug, guest("ada"), None);
        asked.await.map(|_| ())
    };
    let owner = async |id| {
        instance
            .registrations
            .add(&olga, id, guest("ada"))
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
    instance.clock.advance_seconds(2 * HOUR);
    for refused in [public(&unlisted.slug).await, owner(unlisted.id).await] {
        assert!(matches!(refused, Err(Error::EventEnded)), "{refused:?}");
    }
}

async fn answers_fit_the_questions(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let size = CustomField {
        id: None,
        label: "Size".to_owned(),
        field_type: FieldType::Select,
        required: true,
        options: vec!["S".to_owned(), "M".to_owned()],
    };
    let asking = NewEvent {
        custom_fields: vec![size],
        ..seats(5)
    };
    let event = instance.create(&olga, asking).await;
    let answering = |name: &str, values: &[&str]| NewRegistration {
        answers: vec![Answer {
            field_id: None,
            label: "Size".to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        }],
        ..guest(name)
    };
    let refused = instance
        .registrations
        .register(&event.slug, guest("ada"), None);
    let Err(Error::Invalid(found)) = refused.await else {
        panic!("an answer is missing");
    };
    assert_eq!(found[0].message, "must have an answer to \"Size\"");
    let refused = instance
        .registrations
        .register(&event.slug, answering("ada", &["XL"]), None);
    assert!(matches!(refused.await, Err(Error::Invalid(_))));
    let good = answering("ada", &["M"]);
    let asked = instance
        .registrations
        .register(&event.slug, good.clone(), None);
    asked.await.unwrap();
    let stored = instance.store.list_registrations(event.id, 0, 10).await;
    let stored = &stored.unwrap()[0].answers[0];
    assert_eq!(stored.field_id, event.custom_fields[0].id);
    assert_eq!(stored.values, ["M"]);
}

async fn all_answers_together_have_10_000_characters(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let question = |label: &str| CustomField {
        id: None,
        label: label.to_owned(),
        field_type: FieldType::Text,
        required: false,
        options: Vec::new(),
    };
    let labels = ["One", "Two", "Three", "Four", "Five", "Six"];
    let asking = NewEvent {
        custom_fields: labels.map(question).to_vec(),
        ..seats(5)
    };
    let event = instance.create(&olga, asking).await;
    // Characters count, not bytes.
    let answering = |characters: [usize; 6]| NewRegistration {
        answers: labels
            .into_iter()
            .zip(characters)
            .filter(|(_, characters)| *characters > 0)
            .map(|(label, characters)| Answer {
                field_id: None,
                label: label.to_owned(),
                values: vec!["\u{1f389}".repeat(characters)],
            })
            .collect(),
        ..guest("ada")
    };
    let register = async |new| {
        instance
            .registrations
            .register(&event.slug, new, None)
            .await
    };
    let above = register(answering([2000, 2000, 2000, 2000, 2000, 1])).await;
    let Err(Error::Invalid(found)) = above else {
        panic!("the answers are too long together");
    };
    let message = "must be at most 10000 characters long in total";
    assert_eq!((&*found[0].field, &*found[0].message), ("answers", message));
    let at_most = register(answering([2000, 2000, 2000, 2000, 2000, 0])).await;
    at_most.unwrap();
}

test_postgres::on_both_engines!(prepare: migrate;
    all_answers_together_have_10_000_characters,
    a_repeated_registration_is_answered_alike_and_mailed,
    who_cancelled_may_register_again,
    an_organizer_learns_where_someone_stands,
    closed_events_take_nobody,
    answers_fit_the_questions,
);
