//! Error bodies, whole: one of each code that a client can bring about.

use std::{sync::Arc, time::Duration};

use domain::{plan::Plan, registration::Status};
use muster_api::v1::bindings::{CancelEvent, CreateEvent};
use serde_json::{Value, json};
use tests::{Request, Surface, TestApp, new_event};

const MISSING: &str = "/me/events/0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

/// The answer's status and body, without what differs each time.
async fn told(request: Request) -> Value {
    let answer = request.send().await;
    answer.refusal();
    let mut body = answer.json();
    let id = body["error"]["request_id"].take();
    assert!(!id.as_str().unwrap().is_empty());
    body["error"]["request_id"] = json!("[request_id]");
    json!([answer.status.as_u16(), body])
}

async fn each_code_has_its_body(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let cancelled = owner.create(json!({})).await;
    owner.ok::<CancelEvent>(json!({"id": cancelled.id})).await;
    let ended = owner
        .create(json!({"start_date": "2027-01-15T13:00:00Z"}))
        .await;
    app.advance(Duration::from_hours(2));
    let full = owner.create(json!({"max_capacity": 1})).await;
    app.register(&full.id, &[Status::Confirmed]).await;
    while owner
        .call::<CreateEvent>(new_event(json!({})))
        .await
        .is_ok()
    {}

    let at = |event: &str, action: &str| format!("/me/events/{event}{action}");
    let http = &app.http;
    let with_key = |request: Request| request.bearer(&account.key);
    let bad = json!({"title": "ab", "max_capacity": 0, "custom_fields": [{"label": "x"}]});
    let requests = [
        with_key(http.post("/events").json(&bad)),
        with_key(http.post("/events").json_bytes("{\"title\": ")),
        http.get("/events?limit=0&page=2"),
        http.get("/me"),
        with_key(http.post("/events").json(&new_event(json!({})))),
        with_key(http.get(&at(&full.id, "/registrations"))),
        with_key(http.get(MISSING)),
        http.get("/events/no-such-event"),
        http.get("/no-such-path"),
        http.patch("/events"),
        with_key(
            http.patch(&at(&cancelled.id, ""))
                .json(&json!({"title": "Another"})),
        ),
        with_key(http.post(&at(&ended.id, "/publish"))),
        with_key(
            http.patch(&at(&full.id, ""))
                .json(&json!({"max_capacity": 1})),
        ),
        with_key(http.post("/events").json_bytes(" ".repeat((1 << 20) + 1))),
        with_key(
            http.post("/events")
                .body("{}")
                .header("content-type", "text/plain"),
        ),
    ];
    app.register(&full.id, &[Status::Confirmed]).await;
    owner
        .ok::<muster_api::v1::bindings::UpdateEvent>(json!({"id": full.id, "max_capacity": 2}))
        .await;
    let mut bodies = Vec::new();
    for request in requests {
        bodies.push(told(request).await);
    }
    insta::assert_json_snapshot!("error_bodies", bodies);
}

tests::on_both_engines!(each_code_has_its_body);
