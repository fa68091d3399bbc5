//! When an event's reminders are sent is set with its other fields.

use domain::plan::Plan;
use muster_api::v1::bindings::{CloneEvent, CreateEvent, UpdateEvent};
use serde_json::{Value, json};
use tests::{Api, Client, Created, new_event};

async fn reminders(owner: &Client, event: &Created) -> Value {
    owner.detail(event).await["reminders"].clone()
}

async fn a_new_event_has_one_a_day_before_and_an_empty_list_is_none(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (fields, expected) in [
        (json!({}), json!([24])),
        (json!({"reminders": []}), json!([])),
        (json!({"reminders": [168]}), json!([168])),
        (json!({"reminders": [2, 48]}), json!([48, 2])),
    ] {
        let event = owner.create(fields.clone()).await;
        assert_eq!(reminders(&owner, &event).await, expected, "{fields}");
        // A copy has the same.
        let copy = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
        let copy = Created {
            id: copy["id"].as_str().unwrap().to_owned(),
            slug: copy["slug"].as_str().unwrap().to_owned(),
        };
        assert_eq!(reminders(&owner, &copy).await, expected, "{fields}");
    }
}

async fn a_change_keeps_those_that_it_does_not_name_and_an_empty_list_removes_them(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner.create(json!({})).await;
    for (fields, expected) in [
        (json!({"title": "Rust Night"}), json!([24])),
        (json!({"reminders": [1, 72]}), json!([72, 1])),
        (json!({"reminders": []}), json!([])),
        (json!({"title": "Rust Day"}), json!([])),
        (json!({"reminders": [24]}), json!([24])),
    ] {
        let mut change = fields.clone();
        change["id"] = json!(event.id);
        let changed = owner.ok::<UpdateEvent>(change).await;
        assert_eq!(changed["reminders"], expected, "{fields}");
        assert_eq!(reminders(&owner, &event).await, expected, "{fields}");
    }
}

async fn there_are_at_most_two_from_an_hour_to_a_week_before(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner.create(json!({})).await;
    for (hours, field) in [
        (json!([0]), "reminders[0]"),
        (json!([24, 169]), "reminders[1]"),
        (json!([24, 24]), "reminders[1]"),
        (json!([1, 2, 3]), "reminders"),
    ] {
        let new = new_event(json!({ "reminders": hours }));
        owner.refused::<CreateEvent>(new).await.blames(&[field]);
        let change = json!({"id": event.id, "reminders": hours});
        owner.refused::<UpdateEvent>(change).await.blames(&[field]);
    }
    assert_eq!(reminders(&owner, &event).await, json!([24]));
}

tests::on_every_surface!(
    a_new_event_has_one_a_day_before_and_an_empty_list_is_none,
    a_change_keeps_those_that_it_does_not_name_and_an_empty_list_removes_them,
    there_are_at_most_two_from_an_hour_to_a_week_before,
);
