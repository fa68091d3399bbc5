//! Webhooks: what programs get of changes (rule 57 of docs/rules.md).

mod content;
mod ending;
mod failing;
mod hanging;
mod listener;
mod managing;
mod overtaken;
mod pinging;
mod pulling;
mod replaying;
mod rights;
mod together;
mod waiting;

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::{
    CancelEvent, CreateWebhook, GetWebhook, ListWebhookDeliveries, ListWebhooks, RegisterAttendee,
    UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Account, Client, Received, Receiver, Surface, TestApp};

/// An account, its owner over HTTP, a receiver, and a webhook that posts there, with these fields added.
async fn subscribed(
    app: &Arc<TestApp>,
    plan: Plan,
    fields: Value,
) -> (Account, Client, Receiver, Value) {
    let account = app.account(plan).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let receiver = Receiver::start().await;
    let webhook = subscribe(&owner, &receiver, fields).await;
    (account, owner, receiver, webhook)
}

async fn subscribe(owner: &Client, receiver: &Receiver, fields: Value) -> Value {
    let mut request = json!({"url": receiver.url()});
    let fields = fields.as_object().unwrap().clone();
    request.as_object_mut().unwrap().extend(fields);
    owner.ok::<CreateWebhook>(request).await
}

/// What a receiver got of the jobs that are due.
async fn posted(app: &TestApp, receiver: &Receiver) -> Vec<Received> {
    app.drain_jobs().await;
    let mut taken = receiver.taken();
    taken.sort_by_key(|one| one.json()["data"]["version"].as_i64());
    taken
}

fn kinds(received: &[Received]) -> Vec<String> {
    received.iter().map(Received::kind).collect()
}

async fn now(owner: &Client, webhook: &Value) -> Value {
    let request = json!({"webhook_id": webhook["id"]});
    owner.ok::<GetWebhook>(request).await
}

async fn deliveries(owner: &Client, webhook: &Value) -> Vec<Value> {
    let request = json!({"webhook_id": webhook["id"]});
    let listed = owner.ok::<ListWebhookDeliveries>(request).await;
    listed["items"].as_array().unwrap().clone()
}

async fn each_change_is_posted_once_and_signed(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let secret = webhook["secret"].as_str().unwrap();
    assert_eq!(now(&owner, &webhook).await["secret"], Value::Null);

    let event = owner.publish_new(json!({})).await;
    app.advance(SECOND);
    let update = json!({"id": event.id, "title": "Rust Night", "city": "Potsdam"});
    owner.ok::<UpdateEvent>(update).await;
    app.advance(SECOND);
    let guest = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    app.over(Surface::Http)
        .anyone()
        .ok::<RegisterAttendee>(guest)
        .await;
    let got = posted(&app, &receiver).await;
    assert_eq!(
        kinds(&got),
        ["event.created", "event.updated", "registration.created"]
    );
    assert!(posted(&app, &receiver).await.is_empty());
    for one in &got {
        assert!(one.is_signed_with(secret), "{one:?}");
        assert_eq!(one.header("content-type"), "application/json");
        let sent: i64 = one.header("webhook-timestamp").parse().unwrap();
        assert_eq!(sent, TestApp::START.micros() / 1_000_000 + 2);
    }
    let updated = got[1].json();
    assert_eq!(updated["data"]["changed"], json!(["title", "city"]));
    assert_eq!(updated["data"]["event_id"], event.id);
    assert_eq!(updated["data"]["status"], "published");
    assert_eq!(updated["data"]["actor"], "key");
    let registered = got[2].json();
    assert_eq!(registered["data"]["status"], "Confirmed");
    assert_eq!(registered["data"]["actor"], "attendee");
    let versions: Vec<_> = got
        .iter()
        .map(|one| one.json()["data"]["version"].as_i64().unwrap())
        .collect();
    assert!(
        versions.is_sorted_by(|one, next| one < next),
        "{versions:?}"
    );
    // Thin: nobody is named.
    assert_eq!(registered["data"]["registration"], Value::Null);
    assert!(!String::from_utf8_lossy(&got[2].body).contains("ada@"));

    let listed = deliveries(&owner, &webhook).await;
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|one| one["state"] == "delivered"));
    let ids: Vec<_> = got.iter().rev().map(Received::id).collect();
    let shown: Vec<_> = listed.iter().map(|one| one["message_id"].clone()).collect();
    assert_eq!(json!(ids), json!(shown));
    assert_ne!(now(&owner, &webhook).await["last_success_at"], Value::Null);
}

async fn a_webhook_gets_the_types_and_the_event_that_it_asked_for(app: Arc<TestApp>) {
    let types = json!({"types": ["registration.created", "event.cancelled"]});
    let (_, owner, receiver, _) = subscribed(&app, Plan::Pro, types).await;
    let (first, second) = (
        owner.publish_new(json!({})).await,
        owner.publish_new(json!({})).await,
    );
    let of_one = Receiver::start().await;
    subscribe(&owner, &of_one, json!({"event_id": second.id})).await;
    for event in [&first, &second] {
        app.register(&event.id, &[]).await;
        let update = json!({"id": event.id, "title": "Another title"});
        owner.ok::<UpdateEvent>(update).await;
        owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    }
    let got = posted(&app, &receiver).await;
    assert_eq!(kinds(&got), ["event.cancelled", "event.cancelled"]);
    let got = of_one.taken();
    assert_eq!(got.len(), 2);
    let events: Vec<_> = got
        .iter()
        .map(|one| one.json()["data"]["event_id"].clone())
        .collect();
    assert_eq!(events, [second.id.clone(), second.id]);
}

async fn a_cancelled_event_is_one_message_however_many_guests_it_has(app: Arc<TestApp>) {
    let types = json!({"types": []});
    let (_, owner, receiver, _) = subscribed(&app, Plan::Pro, types).await;
    let event = owner.publish_new(json!({})).await;
    let confirmed = [domain::registration::Status::Confirmed; 5];
    app.register(&event.id, &confirmed).await;
    posted(&app, &receiver).await;
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert_eq!(kinds(&posted(&app, &receiver).await), ["event.cancelled"]);
}

async fn nothing_is_recorded_for_an_account_without_webhooks(app: Arc<TestApp>) {
    let (_, _, receiver, _) = subscribed(&app, Plan::Pro, json!({})).await;
    let other = app.account(Plan::Pro).await;
    let other = app.over(Surface::Http).as_owner(&other);
    other.publish_new(json!({})).await;
    assert!(posted(&app, &receiver).await.is_empty());
}

async fn a_webhook_that_cannot_be_read_stops_no_change_and_no_other_webhook(app: Arc<TestApp>) {
    let (_, owner, receiver, _) = subscribed(&app, Plan::Pro, json!({})).await;
    let unreadable = subscribe(&owner, &Receiver::start().await, json!({})).await;
    let id = unreadable["id"].as_str().unwrap();
    app.update("webhooks SET state = 'unknown'", id).await;
    owner.create(json!({})).await;
    assert_eq!(kinds(&posted(&app, &receiver).await), ["event.created"]);
    let listed = owner.ok::<ListWebhooks>(json!({})).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
}

tests::on_both_engines!(
    a_webhook_that_cannot_be_read_stops_no_change_and_no_other_webhook,
    each_change_is_posted_once_and_signed,
    a_webhook_gets_the_types_and_the_event_that_it_asked_for,
    a_cancelled_event_is_one_message_however_many_guests_it_has,
    nothing_is_recorded_for_an_account_without_webhooks,
);

const DAY: Duration = Duration::from_hours(24);
const SECOND: Duration = Duration::from_secs(1);
