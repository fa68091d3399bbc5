//! The questions of an event in its form: what becomes of answers is said before it is saved.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{AddRegistration, ListRegistrations};
use serde_json::json;
use tests::{Browser, Surface, TestApp};

use super::typed::{fields, fields_of, with};

async fn saving_says_before_how_many_answers_lose_their_question(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let question = json!([{"label": "Diett", "field_type": "text"}]);
    let event = owner.publish_new(json!({"custom_fields": question})).await;
    let guest = json!({
        "id": event.id, "name": "Ada", "email": "ada@example.org",
        "answers": [{"label": "Diett", "values": ["vegan"]}],
    });
    owner.ok::<AddRegistration>(guest).await;
    let question = async || owner.detail(&event).await["custom_fields"][0].clone();
    let browser = Browser::signed_in(&app, &account.email).await;
    let path = format!("/dashboard/events/{}/edit", event.id);
    let form = fields(browser.page(&path).await.html(200));
    // A corrected label needs no question.
    let corrected = with(
        &form,
        &[("custom_fields[0].label", "Diet"), ("action", "save")],
    );
    let saved = browser.send(&path, &corrected).await;
    assert_eq!(saved.status, 303, "{saved:?}");
    let form = fields(browser.page(&path).await.html(200));
    let retyped = [
        ("custom_fields[0].field_type", "integer"),
        ("action", "save"),
    ];
    let review = browser.send(&path, &with(&form, &retyped)).await;
    assert!(
        review.html(200).contains("1 answer will be kept as"),
        "{review:?}"
    );
    assert_eq!(question().await["field_type"], "text");
    let (_, confirmed) = review
        .html(200)
        .split_once("<form class=\"buttons\"")
        .unwrap();
    let confirmed = fields_of(confirmed.split("</form>").next().unwrap());
    let saved = browser
        .send(&path, &with(&confirmed, &[("action", "save")]))
        .await;
    assert_eq!(saved.status, 303, "{saved:?}");
    assert_eq!(question().await["field_type"], "integer");
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(list["items"][0]["answers"][0]["values"], json!(["vegan"]));
}

tests::on_both_engines!(saving_says_before_how_many_answers_lose_their_question);
