//! Pings of receivers that hang: how many wait, and that nobody else waits for them.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{ListMyEvents, ListWebhookMessages, PingWebhook},
};
use serde_json::{Value, json};
use tests::{Client, Receiver, Refusal, Surface, TestApp};
use tokio::task::JoinSet;

use super::{hanging::await_soon, subscribe};

/// How many calls of an account wait.
const MAX_OF_ACCOUNT: usize = 4;

/// How many wait in all.
const MAX_IN_ALL: usize = 64;

fn ping(calls: &mut JoinSet<Result<Value, Refusal>>, owner: &Client, webhook: &Value) {
    let (owner, which) = (owner.clone(), json!({"webhook_id": webhook["id"]}));
    calls.spawn(async move { owner.call::<PingWebhook>(which).await });
}

async fn while_as_many_pings_hang_as_may_others_write_and_further_pings_are_refused(
    app: Arc<TestApp>,
) {
    let hanging = Receiver::start().await;
    hanging.hang();
    let http = app.over(Surface::Http);
    let mut calls = JoinSet::new();
    let mut first = None;
    for _ in 0..MAX_IN_ALL / MAX_OF_ACCOUNT {
        let account = app.account(Plan::Pro).await;
        let owner = http.as_owner(&account);
        let webhook = subscribe(&owner, &hanging, json!({})).await;
        for _ in 0..MAX_OF_ACCOUNT {
            ping(&mut calls, &owner, &webhook);
        }
        first.get_or_insert((account, owner, webhook));
    }
    await_soon("a ping", || hanging.count() == MAX_IN_ALL).await;

    let (account, owner, webhook) = first.unwrap();
    let path = format!("/me/webhooks/{}/ping", webhook["id"].as_str().unwrap());
    let refused = app.http.post(&path).bearer(&account.key).send().await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), Some("5"));
    // It is the account's own limit: it may wait for no message either.
    let wait = json!({"wait_seconds": 20});
    let refusal = owner.refused::<ListWebhookMessages>(wait).await;
    assert_eq!(refusal.reason, Reason::RateLimited);
    assert!(refusal.message.contains("4 calls"), "{refusal:?}");
    owner.ok::<ListMyEvents>(json!({})).await;

    let other = http.as_owner(&app.account(Plan::Pro).await);
    let webhook = subscribe(&other, &hanging, json!({})).await;
    let which = json!({"webhook_id": webhook["id"]});
    let refusal = other.refused::<PingWebhook>(which.clone()).await;
    assert_eq!(refusal.reason, Reason::RateLimited);
    other.create(json!({})).await;

    hanging.release(204);
    for attempt in calls.join_all().await {
        assert_eq!(attempt.unwrap()["status"], 204);
    }
    // Those that ended let others wait.
    other.ok::<PingWebhook>(which).await;
}

tests::on_both_engines!(while_as_many_pings_hang_as_may_others_write_and_further_pings_are_refused);
