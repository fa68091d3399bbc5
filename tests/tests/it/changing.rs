//! PATCH /me/events/{id}: only what is mentioned changes, within the limits of creation.

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{CancelEvent, GetEvent, PublishEvent, UnpublishEvent, UpdateEvent},
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Surface};

/// Changes these fields.
async fn change(owner: &Client, event: &Created, mut fields: Value) -> Value {
    fields["id"] = json!(event.id);
    let mut changed = owner.ok::<UpdateEvent>(fields).await;
    // Only the answer to a change says them.
    let notified = changed["registrants_notified"].take();
    assert!(notified.is_u64(), "{notified}");
    assert!(changed["events_updated"].take().is_u64());
    changed
}

async fn every_field_changes_by_itself(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner
        .publish_new(json!({"city": "Berlin", "image_query": "crab"}))
        .await;
    let mut expected = owner.detail(&event).await;
    for (field, value) in [
        ("title", json!("Another title")),
        ("description", json!("One\nTwo")),
        ("location", json!("xHain")),
        ("city", json!("Köln")),
        ("max_capacity", json!(7)),
        ("is_listed", json!(false)),
        ("end_date", json!("2027-05-01T20:00:00Z")),
        ("start_date", json!("2027-05-01T19:00:00Z")),
        (
            "custom_fields",
            json!([{"label": "Size", "field_type": "text", "required": true, "options": []}]),
        ),
        ("organizer_name", json!("Rust Köln e.V.")),
        ("contact_email", json!("hello@rust.example")),
    ] {
        let changed = change(&owner, &event, json!({ field: value })).await;
        expected[field] = value;
        if field == "custom_fields" {
            expected[field][0]["id"] = changed[field][0]["id"].clone();
        }
        // Nobody is registered.
        expected["seats_left"] = expected["max_capacity"].clone();
        expected["version"] = json!(expected["version"].as_i64().unwrap() + 1);
        assert_eq!(changed, expected, "{field}");
        assert_eq!(owner.detail(&event).await, expected, "{field}");
    }
}

async fn null_clears_what_may_be_null(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner
        .create(json!({
            "city": "Berlin", "image_query": "crab", "end_date": "2027-05-01T20:00:00Z",
            "organizer_name": "Rust Berlin", "contact_email": "hello@rust.berlin",
        }))
        .await;
    let mut expected = owner.detail(&event).await;
    assert_ne!(expected["image_url"], Value::Null);
    for (field, shown, value) in [
        ("city", "city", Value::Null),
        ("organizer_name", "organizer_name", Value::Null),
        ("contact_email", "contact_email", Value::Null),
        ("image_query", "image_url", Value::Null),
        ("end_date", "end_date", expected["start_date"].clone()),
    ] {
        expected[shown] = value;
        if field == "image_query" {
            expected[field] = Value::Null;
        }
        expected["version"] = json!(expected["version"].as_i64().unwrap() + 1);
        assert_eq!(
            change(&owner, &event, json!({ field: null })).await,
            expected
        );
    }
    // The end follows the start again.
    let later = change(
        &owner,
        &event,
        json!({"start_date": "2027-06-01T18:00:00Z"}),
    )
    .await;
    assert_eq!(later["end_date"], "2027-06-01T18:00:00Z");
}

async fn null_elsewhere_is_refused(api: Api) {
    // Models say null for what they leave out, so there it means just that.
    if api.surface() == Surface::Mcp {
        return;
    }
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    for field in [
        "title",
        "description",
        "location",
        "start_date",
        "max_capacity",
        "timezone",
        "is_listed",
    ] {
        let refusal = owner
            .refused::<UpdateEvent>(json!({"id": event.id, field: null}))
            .await;
        refusal.blames(&[field]);
    }
}

async fn saying_nothing_changes_nothing(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    let before = owner.detail(&event).await;
    assert_eq!(change(&owner, &event, json!({})).await, before);
    let same = json!({"title": before["title"], "start_date": before["start_date"]});
    assert_eq!(change(&owner, &event, same).await, before);
    let audit = api.audit(&event.id).await;
    assert_eq!(audit.len(), 1, "only its creation: {audit:?}");
}

async fn of_two_people_who_edit_an_event_the_second_is_told(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    let read = owner.detail(&event).await["version"].clone();
    assert_eq!(read, 1);
    // What is no edit does not count.
    api.register(&event.id, &[Status::Confirmed]).await;
    let id = json!({"id": event.id});
    owner.ok::<UnpublishEvent>(id.clone()).await;
    owner.ok::<PublishEvent>(id).await;
    let first = json!({"title": "The first title", "version": read});
    let first = change(&owner, &event, first).await;
    assert_eq!(first["version"], 2);

    let late = json!({"id": event.id, "title": "The second title", "version": read});
    let refusal = owner.refused::<UpdateEvent>(late).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    assert!(refusal.message.contains("edited since"), "{refusal:?}");
    assert_eq!(owner.detail(&event).await, first);
    let again = json!({"title": "The second title", "version": 2});
    assert_eq!(change(&owner, &event, again).await["version"], 3);
    // Who does not ask is not told.
    let blind = change(&owner, &event, json!({"city": "Berlin"})).await;
    assert_eq!(blind["version"], 4);
    let never = json!({"id": event.id, "version": 0});
    owner
        .refused::<UpdateEvent>(never)
        .await
        .blames(&["version"]);
}

async fn limits_are_those_of_creation(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    for (field, least, most) in [
        ("title", 3, 200),
        ("description", 1, 20_000),
        ("location", 1, 500),
        ("city", 0, 120),
        ("image_query", 0, 200),
    ] {
        for length in [least, most] {
            let text = "漢".repeat(length);
            let changed = change(&owner, &event, json!({ field: text })).await;
            if field != "image_query" && length > 0 {
                assert_eq!(changed[field], text);
            }
        }
        let too_short = (least > 0).then(|| "漢".repeat(least - 1));
        for wrong in
            too_short
                .into_iter()
                .chain(["漢".repeat(most + 1), " ".repeat(4), "\u{7}bell".into()])
        {
            let refusal = owner
                .refused::<UpdateEvent>(json!({"id": event.id, field: wrong}))
                .await;
            refusal.blames(&[field]);
        }
    }
    for capacity in [1, 10_000] {
        let changed = change(&owner, &event, json!({"max_capacity": capacity})).await;
        assert_eq!(changed["max_capacity"], capacity);
    }
    for capacity in [0, 10_001] {
        let refusal = owner
            .refused::<UpdateEvent>(json!({"id": event.id, "max_capacity": capacity}))
            .await;
        refusal.blames(&["max_capacity"]);
    }
}

async fn an_end_before_the_start_is_blamed_on_what_was_given(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner
        .create(json!({"end_date": "2027-05-01T20:00:00Z"}))
        .await;
    for (fields, blamed) in [
        (json!({"end_date": "2027-05-01T17:00:00Z"}), "end_date"),
        (json!({"start_date": "2027-05-01T21:00:00Z"}), "start_date"),
        (
            json!({"start_date": "2027-05-01T21:00:00Z", "end_date": "2027-05-01T20:59:59Z"}),
            "end_date",
        ),
        (json!({"start_date": "2027-02-30T21:00:00Z"}), "start_date"),
    ] {
        let mut fields = fields;
        fields["id"] = json!(event.id);
        owner.refused::<UpdateEvent>(fields).await.blames(&[blamed]);
    }
}

async fn a_published_event_is_not_moved_into_the_past(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let draft = owner.create(json!({})).await;
    let public = owner.publish_new(json!({})).await;
    let past = "2027-01-15T12:00:00Z";
    let moved = change(&owner, &draft, json!({ "start_date": past })).await;
    assert_eq!(moved["start_date"], past);
    let refusal = owner
        .refused::<UpdateEvent>(json!({"id": public.id, "start_date": past}))
        .await;
    refusal.blames(&["start_date"]);
}

async fn the_slug_and_its_urls_stay(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({"title": "First title"})).await;
    let changed = change(&owner, &event, json!({"title": "Second title"})).await;
    assert_eq!(changed["slug"], "first-title");
    let public = api
        .anyone()
        .ok::<GetEvent>(json!({"slug": "first-title"}))
        .await;
    assert_eq!(public["title"], "Second title");
    let renamed = owner.create(json!({"title": "Second title"})).await;
    assert_eq!(renamed.slug, "second-title");
}

async fn the_capacity_stays_above_the_confirmed_and_lets_in_who_waits(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({"max_capacity": 2})).await;
    let (confirmed, waiting) = (Status::Confirmed, Status::Waitlisted);
    api.register(
        &event.id,
        &[confirmed, waiting, confirmed, waiting, waiting],
    )
    .await;

    let refusal = owner
        .refused::<UpdateEvent>(json!({"id": event.id, "max_capacity": 1}))
        .await;
    assert_eq!(refusal.reason, Reason::CapacityTooLow);
    assert!(refusal.message.contains("at least 2"), "{refusal:?}");
    change(&owner, &event, json!({"max_capacity": 2})).await;

    let raised = change(&owner, &event, json!({"max_capacity": 4})).await;
    assert_eq!(raised["registrations_confirmed"], 4);
    assert_eq!(raised["registrations_active"], 5);
    let statuses: Vec<Status> = api
        .registrations(&event.id)
        .await
        .iter()
        .map(|one| one.status)
        .collect();
    assert_eq!(
        statuses,
        [confirmed, confirmed, confirmed, confirmed, waiting],
        "in order of registering"
    );
}

async fn a_cancelled_event_is_not_changed(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let refusal = owner
        .refused::<UpdateEvent>(json!({"id": event.id, "title": "Another"}))
        .await;
    assert_eq!(refusal.reason, Reason::EventCancelled);
}

tests::on_every_surface!(
    every_field_changes_by_itself,
    null_clears_what_may_be_null,
    null_elsewhere_is_refused,
    saying_nothing_changes_nothing,
    of_two_people_who_edit_an_event_the_second_is_told,
    limits_are_those_of_creation,
    an_end_before_the_start_is_blamed_on_what_was_given,
    a_published_event_is_not_moved_into_the_past,
    the_slug_and_its_urls_stay,
    the_capacity_stays_above_the_confirmed_and_lets_in_who_waits,
    a_cancelled_event_is_not_changed,
);
