//! The largest that is allowed goes all the way through, and what is larger is refused.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::{Reason, v1::bindings::ListRegistrations};
use serde_json::{Value, json};
use tests::{Surface, TestApp, new_event};

/// The longest text of that many characters.
fn longest(characters: usize) -> String {
    "\u{1f389}".repeat(characters)
}

/// Every field at its limit.
fn largest_event() -> Value {
    let options: Vec<String> = (100..150)
        .map(|number| format!("{number}{}", longest(197)))
        .collect();
    let question = |number| {
        json!({"label": format!("{number}{}", longest(198)), "field_type": "multi_select", "required": true,
            "options": options})
    };
    let questions: Vec<Value> = (10..30).map(question).collect();
    new_event(json!({
        "title": longest(200), "description": longest(20_000), "location": longest(500), "city": longest(120),
        "image_query": longest(200), "custom_fields": questions, "is_public": true,
    }))
}

async fn the_largest_event_is_created_and_read(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let event = largest_event();
    let request = app.http.post("/events").bearer(&account.key);
    let created = request.json(&event).send().await.ok();
    let path = format!("/me/events/{}", created["id"].as_str().unwrap());
    let mut detail = app.http.get(&path).bearer(&account.key).send().await.ok();
    for question in detail["custom_fields"].as_array_mut().unwrap() {
        question.as_object_mut().unwrap().remove("id");
    }
    for field in ["title", "description", "location", "city", "custom_fields"] {
        assert_eq!(detail[field], event[field], "{field}");
    }
    let changed = json!({"title": "Smaller", "custom_fields": event["custom_fields"]});
    let request = app.http.patch(&path).bearer(&account.key);
    assert_eq!(request.json(&changed).send().await.ok()["title"], "Smaller");
}

async fn a_page_of_the_largest_events_is_answered(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    for _ in 0..100 {
        owner
            .publish_new(json!({"description": longest(20_000), "location": longest(500)}))
            .await;
    }
    let list = app.http.get("/events?limit=100").send().await;
    assert!(list.body.len() > 8_000_000, "{}", list.body.len());
    assert_eq!(list.ok()["items"].as_array().unwrap().len(), 100);
}

async fn a_page_of_registrations_is_answered_over_grpc_too(app: Arc<TestApp>) {
    let account = app.account(Plan::Premium).await;
    let owner = app.over(Surface::Grpc).as_owner(&account);
    let event = owner.create(json!({})).await;
    let statuses = [domain::registration::Status::Confirmed; 200];
    app.register(&event.id, &statuses).await;
    let list = owner
        .ok::<ListRegistrations>(json!({"id": event.id, "limit": 200}))
        .await;
    assert_eq!(list["items"].as_array().unwrap().len(), 200);
}

async fn a_body_above_a_mebibyte_is_refused(app: Arc<TestApp>) {
    const MEBIBYTE: usize = 1 << 20;
    let account = app.account(Plan::Free).await;
    let send = async |padding: usize| {
        let mut body = new_event(json!({})).to_string();
        body.push_str(&" ".repeat(padding - body.len()));
        let request = app.http.post("/events").bearer(&account.key);
        request.json_bytes(body).send().await
    };
    send(MEBIBYTE).await.ok();
    let refusal = send(MEBIBYTE + 1).await.refusal();
    assert_eq!(refusal.reason, Reason::PayloadTooLarge);
    send(MEBIBYTE).await.ok();
}

async fn only_json_is_taken(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let body = new_event(json!({})).to_string();
    let send = async |media_type: Option<&str>| {
        let request = app
            .http
            .post("/events")
            .bearer(&account.key)
            .body(body.clone());
        match media_type {
            Some(media_type) => request.header("content-type", media_type).send().await,
            None => request.send().await,
        }
    };
    for good in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
    ] {
        send(Some(good)).await.ok();
    }
    for bad in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("multipart/form-data; boundary=x"),
        Some("application/jsonp"),
        Some("application/json; charset=latin1"),
        Some("json"),
    ] {
        let refusal = send(bad).await.refusal();
        assert_eq!(refusal.reason, Reason::UnsupportedMediaType, "{bad:?}");
    }
}

tests::on_both_engines!(
    the_largest_event_is_created_and_read,
    a_page_of_the_largest_events_is_answered,
    a_page_of_registrations_is_answered_over_grpc_too,
    a_body_above_a_mebibyte_is_refused,
    only_json_is_taken,
);
