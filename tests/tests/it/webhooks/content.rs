//! What messages say, and to whom they are not said.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CreateWebhook, ReplayWebhook};
use serde_json::{Value, json};
use tests::{Surface, TestApp};

use super::{posted, subscribed};

async fn full_messages_have_the_event_and_the_registration_and_no_erased_person(app: Arc<TestApp>) {
    let full = json!({"content": "full", "types": ["registration.created"]});
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, full).await;
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    owner
        .ok::<muster_api::v1::bindings::AddRegistration>(guest)
        .await;
    let got = posted(&app, &receiver).await;
    let data = got[0].json()["data"].clone();
    assert_eq!(data["event"]["title"], "Rust Night");
    assert_eq!(data["registration"]["email"], "ada@example.org");

    app.core
        .use_cases()
        .people
        .erase("ada@example.org", &core_service::service::LastOwner::Refuse)
        .await
        .unwrap();
    let replay = json!({"webhook_id": webhook["id"], "message_ids": [got[0].id()]});
    owner.ok::<ReplayWebhook>(replay).await;
    let again = posted(&app, &receiver).await;
    let again = again.iter().find(|one| one.id() == got[0].id()).unwrap();
    assert_eq!(again.json()["data"]["registration"], Value::Null);
    assert!(!String::from_utf8_lossy(&again.body).contains("ada@"));
}

async fn full_messages_need_a_paid_plan(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let refusal = owner
        .refused::<CreateWebhook>(json!({"content": "full"}))
        .await;
    assert_eq!(refusal.reason, muster_api::Reason::PlanRequired);
    owner.ok::<CreateWebhook>(json!({})).await;
}

tests::on_both_engines!(
    full_messages_have_the_event_and_the_registration_and_no_erased_person,
    full_messages_need_a_paid_plan,
);
