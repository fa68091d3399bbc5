//! Cloning events, and deleting drafts.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{
        CancelEvent, CloneEvent, DeleteEvent, GetMyEvent, ListActivity, ListMyEvents, PublishEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created};

async fn clone(owner: &Client, event: &Created) -> Value {
    let cloned = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
    owner.ok::<GetMyEvent>(json!({"id": cloned["id"]})).await
}

async fn a_clone_is_a_draft_with_the_same_times_and_questions(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({
            "city": "Berlin", "timezone": "Europe/Berlin", "start_date": "2027-05-01T18:00", "end_date": "2027-05-01T21:00",
            "max_capacity": 7, "is_listed": false, "requires_approval": true, "confirm_by_email": true,
            "image_query": "crab", "organizer_name": "Rust Berlin", "contact_email": "hello@rust.berlin",
            "custom_fields": [{"label": "Size", "field_type": "select", "required": true, "options": ["S", "M"]}],
        }))
        .await;
    api.register(&event.id, &[Status::Confirmed, Status::Pending])
        .await;
    let id = json!({"id": event.id});
    owner.ok::<CancelEvent>(id).await;
    let original = owner.detail(&event).await;
    let cloned = clone(&owner, &event).await;
    let mut expected = original.clone();
    for (field, value) in [
        ("is_published", json!(false)),
        ("is_cancelled", json!(false)),
        ("registrations_total", json!(0)),
        ("registrations_confirmed", json!(0)),
        ("registrations_active", json!(0)),
        ("registrations_pending", json!(0)),
        ("seats_taken", json!(0)),
        ("seats_left", json!(7)),
        ("id", cloned["id"].clone()),
        ("slug", cloned["slug"].clone()),
        ("event_url", cloned["event_url"].clone()),
        ("image_url", cloned["image_url"].clone()),
    ] {
        assert_ne!(cloned[field], original[field], "{field}");
        expected[field] = value;
    }
    assert_eq!(cloned, expected);
    assert_eq!(owner.detail(&event).await, original);
    // What is past can be held again.
    api.advance(Duration::from_hours(24 * 365));
    assert_eq!(clone(&owner, &event).await["is_published"], false);
}

async fn a_clone_counts_against_the_quota(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    for _ in 0..2 {
        clone(&owner, &event).await;
    }
    let refusal = owner.refused::<CloneEvent>(json!({"id": event.id})).await;
    assert_eq!(refusal.reason, Reason::QuotaExceeded);
}

async fn a_draft_is_deleted_and_gives_back_its_place(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let mut drafts = Vec::new();
    for _ in 0..3 {
        drafts.push(owner.create(json!({"image_query": "crab"})).await);
    }
    api.advance(Duration::from_secs(1));
    let id = json!({"id": drafts[0].id});
    let deleted = owner.ok::<DeleteEvent>(id.clone()).await;
    assert_eq!(deleted, json!({"id": drafts[0].id, "deleted": true}));
    for refusal in [
        owner.refused::<GetMyEvent>(id.clone()).await,
        owner.refused::<DeleteEvent>(id.clone()).await,
        owner.refused::<PublishEvent>(id).await,
    ] {
        assert_eq!(refusal.reason, Reason::NotFound);
    }
    assert_eq!(owner.ok::<ListMyEvents>(json!({})).await["count"], 2);
    owner.create(json!({})).await;
    // The log knows what was deleted, and when.
    let rows = api.audit(&drafts[0].id).await;
    let actions: Vec<&str> = rows.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["event.create", "event.delete"]);
    api.drain_jobs().await;
}

async fn a_copy_is_a_copy_in_the_activity(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({"title": "Go Night"})).await;
    let copy = clone(&owner, &event).await;
    let list = owner
        .ok::<ListActivity>(json!({"event_id": copy["id"]}))
        .await;
    let sentence = list["items"][0]["text"].as_str().unwrap();
    assert!(
        sentence.ends_with("duplicated an event as \"Go Night\""),
        "{sentence}"
    );
}

async fn what_people_know_of_is_not_deleted(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let published = owner.publish_new(json!({})).await;
    let asked = owner.create(json!({})).await;
    api.register(&asked.id, &[Status::Cancelled]).await;
    for (event, why) in [(&published, "only a draft"), (&asked, "registered")] {
        let before = owner.detail(event).await;
        let refusal = owner.refused::<DeleteEvent>(json!({"id": event.id})).await;
        assert_eq!(refusal.reason, Reason::Conflict);
        assert!(refusal.message.contains(why), "{refusal:?}");
        assert_eq!(owner.detail(event).await, before);
    }
}

async fn both_are_done_once_under_a_key(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({})).await;
    let id = json!({"id": event.id});
    let keyed = owner.under("clone");
    let cloned = keyed.ok::<CloneEvent>(id.clone()).await;
    assert_eq!(keyed.ok::<CloneEvent>(id.clone()).await, cloned);
    assert_eq!(owner.ok::<ListMyEvents>(json!({})).await["count"], 2);
    let keyed = owner.under("delete");
    let deleted = keyed.ok::<DeleteEvent>(id.clone()).await;
    assert_eq!(keyed.ok::<DeleteEvent>(id).await, deleted);
}

tests::on_every_surface!(
    a_clone_is_a_draft_with_the_same_times_and_questions,
    a_clone_counts_against_the_quota,
    a_draft_is_deleted_and_gives_back_its_place,
    a_copy_is_a_copy_in_the_activity,
    what_people_know_of_is_not_deleted,
    both_are_done_once_under_a_key,
);
