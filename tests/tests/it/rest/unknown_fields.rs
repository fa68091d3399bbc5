//! What the contract does not name is refused by its name, with what would be right.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::{Value, json};
use tests::{Surface, TestApp, new_event};

async fn a_new_event_has_no_other_fields(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    for field in [
        "colour",
        "Title",
        "maxCapacity",
        "startDate",
        "start-date",
        "start_date ",
        "id",
        "slug",
        "is_published",
        "is_cancelled",
        "account_id",
        "registrations_total",
        "__proto__",
        "",
        "ключ",
    ] {
        let request = app.http.post("/events").bearer(&account.key);
        let answer = request.json(&new_event(json!({ field: 1 }))).send().await;
        let refusal = answer.refusal();
        // An empty name is shown in quotes, so that the detail names something.
        refusal.blames(&[if field.is_empty() { "\"\"" } else { field }]);
        assert!(
            refusal.message.contains("the fields are title, "),
            "{refusal:?}"
        );
    }
}

async fn a_question_has_no_other_fields(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    for field in ["type", "fieldType", "default"] {
        let mut question = json!({"label": "Size", "field_type": "text"});
        question[field] = json!("x");
        let body = new_event(json!({ "custom_fields": [question] }));
        let request = app.http.post("/events").bearer(&account.key);
        let refusal = request.json(&body).send().await.refusal();
        refusal.blames(&[&format!("custom_fields[0].{field}")]);
    }
}

async fn a_change_has_no_other_fields(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    let before = owner.detail(&event).await;
    for (field, value) in [
        ("id", json!(event.id)),
        ("slug", json!("mine")),
        ("is_public", json!(true)),
        ("is_published", json!(true)),
        ("is_cancelled", json!(true)),
        ("update_mask", json!("title")),
        ("updateMask", json!({"paths": ["title"]})),
        ("isListed", json!(false)),
        ("reason", Value::Null),
    ] {
        let request = app.http.patch(&format!("/me/events/{}", event.id));
        let request = request.bearer(&account.key).json(&json!({ field: value }));
        request.send().await.refusal().blames(&[field]);
    }
    assert_eq!(owner.detail(&event).await, before);
}

async fn a_cancellation_has_no_other_fields(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    for (field, value) in [
        ("id", json!(event.id)),
        ("confirm", json!(true)),
        ("Reason", json!("x")),
    ] {
        let request = app.http.post(&format!("/me/events/{}/cancel", event.id));
        let request = request.bearer(&account.key).json(&json!({ field: value }));
        request.send().await.refusal().blames(&[field]);
    }
    assert_eq!(owner.detail(&event).await["is_cancelled"], false);
}

async fn publishing_takes_no_fields(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    for action in ["publish", "unpublish"] {
        let path = format!("/me/events/{}/{action}", event.id);
        let request = app.http.post(&path).bearer(&account.key);
        request.clone().send().await.ok();
        // What a client that always sends JSON sends.
        request.clone().json(&json!({})).send().await.ok();
        let refusal = request.json(&json!({"title": "x"})).send().await.refusal();
        assert_eq!(refusal.reason, muster_api::Reason::InvalidRequest);
    }
}

tests::on_both_engines!(
    a_new_event_has_no_other_fields,
    a_question_has_no_other_fields,
    a_change_has_no_other_fields,
    a_cancellation_has_no_other_fields,
    publishing_takes_no_fields,
);
