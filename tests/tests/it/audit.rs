//! Every change leaves a row: who, by which key, what, before and after, why.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::v1::bindings::{
    CancelEvent, CreateEvent, GetMyEvent, ListMyEvents, PublishEvent, UnpublishEvent, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Account, Api, new_event};

/// What the audit log says of a subject: action, before, after, reason. What one call did at one moment has no order; here it
/// has that of the names.
async fn told(api: &Api, subject_id: &str) -> Value {
    let mut rows = api.audit(subject_id).await;
    assert!(rows.is_sorted_by_key(|row| row.at), "{rows:?}");
    rows.sort_by(|one, other| (one.at, &one.action).cmp(&(other.at, &other.action)));
    let rows = rows.into_iter();
    rows.map(|row| json!([row.action, row.before, row.after, row.reason]))
        .collect()
}

/// Lets time pass, so that rows have an order.
fn later(api: &Api) {
    api.advance(Duration::from_secs(1));
}

async fn the_whole_life_of_an_event_is_written_down(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({"max_capacity": 1})).await;
    let statuses = [Status::Confirmed, Status::Waitlisted];
    api.register(&event.id, &statuses).await;
    let id = &event.id;
    later(&api);
    owner.ok::<PublishEvent>(json!({ "id": id })).await;
    later(&api);
    let change = json!({"id": id, "city": "Köln", "max_capacity": 2, "title": "Rust Meetup"});
    owner.ok::<UpdateEvent>(change).await;
    later(&api);
    owner.ok::<UnpublishEvent>(json!({ "id": id })).await;
    later(&api);
    let cancel = json!({"id": id, "reason": "Rain"});
    owner.ok::<CancelEvent>(cancel).await;

    let created = json!({
        "title": "Rust Meetup", "description": "Two talks and an open table.", "location": "c-base", "city": null,
        "start_date": "2027-05-01T18:00:00Z", "end_date": null, "timezone": "UTC", "max_capacity": 1,
        "is_published": false, "is_listed": true, "requires_approval": false, "confirm_by_email": false, "allows_answer_changes": false, "max_party": 1, "is_location_private": false, "attendee_info": null, "registration_opens": null, "registration_closes": null, "is_registration_open": true, "is_cancelled": false, "series_id": null, "image_query": null, "image_variant": 1, "custom_fields": [],
        "organizer_name": null, "contact_email": null, "reminders": [24],
    });
    let expected = json!([
        ["event.create", null, created, null],
        ["event.publish", {"is_published": false}, {"is_published": true}, null],
        ["event.promote_waitlist", null, {"promoted": 1}, null],
        ["event.update", {"city": null, "max_capacity": 1}, {"city": "Köln", "max_capacity": 2}, null],
        ["event.unpublish", {"is_published": true}, {"is_published": false}, null],
        ["event.cancel", {"is_cancelled": false}, {"is_cancelled": true}, "Rain"],
    ]);
    assert_eq!(told(&api, id).await, expected);
}

async fn each_row_says_by_which_key(api: Api) {
    let account = api.account(Plan::Free).await;
    let made = api
        .core
        .use_cases()
        .keys
        .create(&account.email, "phone")
        .await;
    let made = made.unwrap();
    let phone = Account {
        key: made.plain.expose().to_owned(),
        key_id: made.key.id,
        ..account.clone()
    };
    let event = api.as_owner(&account).create(json!({})).await;
    later(&api);
    let publish = json!({"id": event.id});
    api.as_owner(&phone).ok::<PublishEvent>(publish).await;
    let rows = api.audit(&event.id).await;
    for (row, by) in rows.iter().zip([&account, &phone]) {
        assert_eq!((row.actor.as_str(), row.key_id), ("key", Some(by.key_id)));
        assert_eq!(row.account_id, Some(account.id));
    }
}

async fn what_is_refused_or_only_read_leaves_no_row(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let stranger = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    let id = json!({"id": event.id});
    owner.ok::<GetMyEvent>(id.clone()).await;
    owner.ok::<ListMyEvents>(json!({})).await;
    owner.ok::<PublishEvent>(id.clone()).await;
    let bad = json!({"id": event.id, "title": "x"});
    owner.refused::<UpdateEvent>(bad).await;
    let good = json!({"id": event.id, "title": "Mine now"});
    stranger.refused::<UpdateEvent>(good).await;
    stranger.refused::<CancelEvent>(id.clone()).await;
    stranger.refused::<UnpublishEvent>(id).await;
    let bad = new_event(json!({"title": "x"}));
    stranger.refused::<CreateEvent>(bad).await;
    assert_eq!(api.audit(&event.id).await.len(), 1, "only its creation");
}

async fn accounts_and_keys_are_written_down_without_secrets(api: Api) {
    let account = api.account(Plan::Free).await;
    let use_cases = api.core.use_cases();
    later(&api);
    use_cases
        .accounts
        .set_plan(account.id, Plan::Pro)
        .await
        .unwrap();
    use_cases.keys.revoke(account.key_id).await.unwrap();
    use_cases.keys.revoke(account.key_id).await.unwrap();

    let (id, key_id) = (account.id.to_string(), account.key_id.to_string());
    let expected = json!([
        ["account.create", null, {"plan": "free"}, null],
        ["account.set_plan", {"plan": "free"}, {"plan": "pro"}, null],
    ]);
    assert_eq!(told(&api, &id).await, expected);
    let expected = json!([
        ["key.create", null, {"label": "laptop"}, null],
        ["key.revoke", null, null, null],
    ]);
    assert_eq!(told(&api, &key_id).await, expected);
    for subject in [id, key_id] {
        for row in api.audit(&subject).await {
            assert_eq!((row.actor.as_str(), row.key_id), ("admin", None));
            assert_eq!(row.account_id, Some(account.id));
        }
    }
}

tests::on_every_surface!(
    the_whole_life_of_an_event_is_written_down,
    each_row_says_by_which_key,
    what_is_refused_or_only_read_leaves_no_row,
    accounts_and_keys_are_written_down_without_secrets,
);
