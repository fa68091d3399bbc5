//! Creating events.

use core_service::service::Error;
use domain::event::NewEvent;
use domain::plan::Plan;
use serde_json::json;
use test_postgres::Database;

use super::{Instance, new_event, public_event};
use crate::fixtures::migrate;

async fn a_draft_is_its_owners_only(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let other = instance.caller("otto@example.org", Plan::Business).await;

    let event = instance.create(&olga, new_event("Rust Meetup")).await;
    assert_eq!(event.slug, "rust-meetup");
    let (found, counters) = instance.events.get(&olga, event.id).await.unwrap();
    assert_eq!(found, event);
    assert_eq!(counters.total(), 0);

    super::assert_no_event(instance.events.get(&other, event.id).await);
    super::assert_no_event(instance.catalogue.get("rust-meetup").await);
    assert_eq!(instance.catalogue.list(50, 0).await.unwrap().count, 0);
}

async fn a_published_event_is_everyones(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, public_event("Rust Meetup")).await;
    assert_eq!(
        instance.catalogue.get("rust-meetup").await.unwrap().event,
        event
    );
}

async fn a_title_that_is_taken_gets_another_slug(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let mut slugs = Vec::new();
    for _ in 0..3 {
        slugs.push(instance.create(&olga, new_event("Rust Meetup")).await.slug);
    }
    assert_eq!(slugs[0], "rust-meetup");
    for slug in &slugs[1..] {
        assert_eq!(slug.len(), "rust-meetup-12345678".len());
    }
    assert_ne!(slugs[1], slugs[2]);
}

async fn what_is_wrong_is_said_and_nothing_is_stored(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let wrong = NewEvent {
        end_date: Some("2029-12-31T23:00Z".to_owned()),
        timezone: Some("Mars".to_owned()),
        ..new_event("Rust Meetup")
    };
    let Err(Error::Invalid(violations)) = instance.events.create(&olga, wrong).await else {
        panic!("it was created");
    };
    let fields: Vec<_> = violations.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["timezone", "end_date"]);
    let account = instance.accounts.get(&olga).await.unwrap();
    assert_eq!(account.active_events, 0);
}

async fn the_zone_is_the_requests_else_the_accounts_else_the_instances(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, new_event("Rust Meetup")).await;
    assert_eq!(event.schedule.timezone, "UTC");

    let account = core_service::service::NewAccount {
        email: "kenji@example.org".to_owned(),
        name: "Kenji".to_owned(),
        plan: Plan::Free,
        timezone: Some("asia/tokyo".to_owned()),
    };
    instance.accounts.create(account).await.unwrap();
    let key = instance.keys.create("kenji@example.org", "k").await;
    let header = format!("Bearer {}", key.unwrap().plain.expose());
    let kenji = instance
        .authenticator
        .authenticate(Some(&header))
        .await
        .unwrap();
    let local = NewEvent {
        start_date: "2030-05-01T10:00".to_owned(),
        end_date: None,
        ..new_event("Hanami")
    };
    let event = instance.create(&kenji, local.clone()).await;
    assert_eq!(event.schedule.start.rfc3339(), "2030-05-01T10:00:00+09:00");
    let own = NewEvent {
        timezone: Some("Europe/Paris".to_owned()),
        ..local
    };
    let event = instance.create(&kenji, own).await;
    assert_eq!(event.schedule.start.rfc3339(), "2030-05-01T10:00:00+02:00");
}

async fn a_creation_is_audited_with_every_field(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, new_event("Rust Meetup")).await;
    let audit = instance.audit(event.id.uuid()).await;
    let expected = json!([{
        "actor": "key",
        "action": "event.create",
        "before": null,
        "after": {
            "title": "Rust Meetup",
            "description": "Talks.",
            "location": "Hall",
            "city": null,
            "start_date": "2030-01-01T01:00:00Z",
            "end_date": "2030-01-01T02:00:00Z",
            "timezone": "UTC",
            "max_capacity": 100,
            "is_published": false,
            "is_listed": true,
            "requires_approval": false,
            "confirm_by_email": false,
            "allows_answer_changes": false,
            "max_party": 1,
            "is_location_private": false,
            "attendee_info": null,
            "registration_opens": null,
            "registration_closes": null,
            "is_registration_open": true,
            "is_cancelled": false, "series_id": null,
            "image_query": null,
            "image_variant": 1,
            "custom_fields": [],
            "organizer_name": null,
            "contact_email": null,
            "reminders": [],
        },
        "reason": null,
    }]);
    assert_eq!(json!(audit), expected);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_draft_is_its_owners_only,
    a_published_event_is_everyones,
    a_title_that_is_taken_gets_another_slug,
    what_is_wrong_is_said_and_nothing_is_stored,
    the_zone_is_the_requests_else_the_accounts_else_the_instances,
    a_creation_is_audited_with_every_field,
);
