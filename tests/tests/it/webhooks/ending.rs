//! A webhook ends with the key or the app by which someone decided where it posts.

use std::sync::Arc;

use core_service::service::KeyTerms;
use domain::plan::Plan;
use muster_api::v1::bindings::{CreateWebhook, UpdateWebhook};
use serde_json::{Value, json};
use tests::{Browser, Client, OAuthApp, Receiver, Surface, TestApp};

use super::{DAY, now, posted, subscribe, subscribed};

/// Returns the number of mails to an owner that say that a webhook was disabled.
fn disabled_mails(app: &TestApp, email: &str) -> usize {
    let notices = app.notices().into_iter();
    let disabled = notices.filter(|mail| mail.to == email && mail.text.contains("was disabled"));
    disabled.count()
}

async fn state(owner: &Client, webhook: &Value) -> (Value, Value) {
    let shown = now(owner, webhook).await;
    (shown["state"].clone(), shown["disabled_reason"].clone())
}

async fn the_webhooks_of_a_key_end_when_it_expires_until_someone_else_enables_them(
    app: Arc<TestApp>,
) {
    let (account, owner, own, lasting) = subscribed(&app, Plan::Pro, json!({})).await;
    let terms = KeyTerms {
        expiry: Some("36h".parse().unwrap()),
        ..KeyTerms::named("for a day and a half")
    };
    let keys = &app.core.use_cases().keys;
    let key = keys.create_on(&account.email, terms).await.unwrap();
    let program = app.over(Surface::Http).with_key(key.plain.expose());
    let receiver = Receiver::start().await;
    let expiring = subscribe(&program, &receiver, json!({})).await;
    let pulled = program.ok::<CreateWebhook>(json!({})).await;

    app.advance(DAY);
    app.maintain().await;
    owner.create(json!({})).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    own.taken();
    app.advance(DAY);
    app.maintain().await;
    owner.create(json!({})).await;
    assert!(posted(&app, &receiver).await.is_empty());
    assert_eq!(own.taken().len(), 1);
    let ended = (json!("disabled"), json!("revoked"));
    let active = (json!("active"), Value::Null);
    assert_eq!(state(&owner, &expiring).await, ended);
    assert_eq!(state(&owner, &pulled).await, ended);
    assert_eq!(state(&owner, &lasting).await, active);
    assert_eq!(disabled_mails(&app, &account.email), 2);

    for webhook in [&expiring, &pulled] {
        let enable = json!({"webhook_id": webhook["id"], "is_paused": false});
        owner.ok::<UpdateWebhook>(enable).await;
    }
    app.maintain().await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    assert_eq!(state(&owner, &expiring).await, active);
    assert_eq!(state(&owner, &pulled).await, active);
    assert_eq!(disabled_mails(&app, &account.email), 2);
}

async fn the_webhooks_of_an_app_end_when_it_has_not_been_used_for_long(app: Arc<TestApp>) {
    let (account, owner, _, lasting) = subscribed(&app, Plan::Pro, json!({})).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let connected = OAuthApp::registered(&app, "CRM").await;
    let tokens = connected.connected(&browser, &[]).await;
    let program = app.over(Surface::Http).with_key(&tokens.access);
    let receiver = Receiver::start().await;
    let webhook = subscribe(&program, &receiver, json!({})).await;
    app.advance(DAY * 29);
    app.maintain().await;
    assert_eq!(state(&owner, &webhook).await.0, "active");
    app.advance(DAY * 2);
    app.maintain().await;
    assert_eq!(state(&owner, &webhook).await.1, "revoked");
    assert_eq!(state(&owner, &lasting).await.0, "active");
    app.drain_jobs().await;
    assert_eq!(disabled_mails(&app, &account.email), 1);
}

tests::on_both_engines!(
    the_webhooks_of_a_key_end_when_it_expires_until_someone_else_enables_them,
    the_webhooks_of_an_app_end_when_it_has_not_been_used_for_long,
);
