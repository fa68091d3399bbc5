//! Null means absence where the contract says "or null", and is refused elsewhere (rule 3 of docs/rules.md).

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::{Value, json};
use tests::{Surface, TestApp, new_event};

async fn null_is_absence_where_the_contract_says_so(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let mut expected = owner.detail(&owner.create(json!({})).await).await;
    for field in ["end_date", "max_capacity", "is_public", "city"] {
        let event = owner.create(json!({ field: null })).await;
        let detail = owner.detail(&event).await;
        for own in ["id", "slug", "event_url"] {
            expected[own] = detail[own].clone();
        }
        assert_eq!(detail, expected, "{field}");
    }
}

async fn null_is_refused_elsewhere(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    for field in [
        "title",
        "description",
        "location",
        "start_date",
        "image_query",
        "custom_fields",
        "timezone",
        "is_listed",
    ] {
        let request = app.http.post("/events").bearer(&account.key);
        let answer = request
            .json(&new_event(json!({ field: null })))
            .send()
            .await;
        let refusal = answer.refusal();
        refusal.blames(&[field]);
        assert!(refusal.message.contains("null"), "{refusal:?}");
    }
}

async fn a_change_takes_null_for_what_can_be_cleared(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    let path = format!("/me/events/{}", event.id);
    let change = async |field: &str| {
        let request = app.http.patch(&path).bearer(&account.key);
        request.json(&json!({ field: Value::Null })).send().await
    };
    for field in ["city", "image_query", "end_date"] {
        change(field).await.ok();
    }
    for field in [
        "title",
        "description",
        "location",
        "start_date",
        "max_capacity",
        "custom_fields",
        "timezone",
        "is_listed",
    ] {
        change(field).await.refusal().blames(&[field]);
    }
}

async fn answers_say_null_instead_of_leaving_out(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let of = async |path: &str| {
        let request = app.http.get(path).bearer(&account.key);
        request.send().await.ok()
    };
    let public = of(&format!("/events/{}", event.slug)).await;
    let list = of("/events").await;
    let detail = of(&format!("/me/events/{}", event.id)).await;
    let me = of("/me").await;
    for (answer, fields) in [
        (&public, &["city", "image_url"][..]),
        (&list, &["next_offset"]),
        (&detail, &["city", "image_url"]),
        (
            &me,
            &["active_events_limit", "active_events_left", "timezone"],
        ),
    ] {
        for field in fields {
            assert_eq!(answer.get(field), Some(&Value::Null), "{field} of {answer}");
        }
    }
}

tests::on_both_engines!(
    null_is_absence_where_the_contract_says_so,
    null_is_refused_elsewhere,
    a_change_takes_null_for_what_can_be_cleared,
    answers_say_null_instead_of_leaving_out,
);
