//! Calls that wait for a message: what wakes them, how many may, and that nobody else waits for them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{plan::Plan, scope::Scope};
use muster_api::{
    Reason,
    v1::{
        ListWebhookMessagesRequest,
        bindings::{
            CancelEvent, CreateWebhook, DeleteWebhook, ListMyEvents, ListWebhookMessages,
            UpdateEvent,
        },
        webhook_service_client::WebhookServiceClient,
    },
};
use serde_json::{Value, json};
use tests::{Bearer, Client, Refusal, Surface, TestApp};
use tokio::task::JoinSet;
use tonic::Request;

use super::pulling::kinds;

/// More than an edge has under way at a time.
const CALLS: usize = 40;

/// How many of an account wait.
const MAX_OF_ACCOUNT: usize = 4;

/// How many wait in all.
const MAX_IN_ALL: usize = 64;

/// More than are read at a time.
const MANY: usize = 120;

async fn owner_with_webhook(app: &Arc<TestApp>) -> Client {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    owner.ok::<CreateWebhook>(json!({})).await;
    owner
}

/// Begins a call that waits as long as one may.
fn wait(calls: &mut JoinSet<Result<Value, Refusal>>, owner: &Client) {
    let owner = owner.clone();
    calls.spawn(async move {
        let request = json!({"wait_seconds": 20});
        owner.call::<ListWebhookMessages>(request).await
    });
}

async fn few_calls_of_an_account_wait_and_keep_nobody_else_out(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let greedy = app.over(Surface::Http).as_owner(&account);
    greedy.ok::<CreateWebhook>(json!({})).await;
    let other = owner_with_webhook(&app).await;
    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        wait(&mut calls, &greedy);
    }
    for _ in MAX_OF_ACCOUNT..CALLS {
        let refusal = calls.join_next().await.unwrap().unwrap().unwrap_err();
        assert_eq!(refusal.reason, Reason::RateLimited, "{refusal:?}");
        assert!(refusal.message.contains("wait_seconds"), "{refusal:?}");
    }
    let path = "/me/webhook-messages?wait_seconds=20";
    let refused = app.http.get(path).bearer(&account.key).send().await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), Some("5"));
    other.ok::<ListMyEvents>(json!({})).await;
    let (pulled, _) = tokio::join!(
        other.ok::<ListWebhookMessages>(json!({"wait_seconds": 20})),
        other.create(json!({}))
    );
    assert_eq!(kinds(&pulled), ["event.created"]);
    // Without waiting, the account may still pull.
    greedy.ok::<ListWebhookMessages>(json!({})).await;

    // All of its calls that wait get the message.
    greedy.create(json!({})).await;
    for pulled in calls.join_all().await {
        assert_eq!(kinds(&pulled.unwrap()), ["event.created"]);
    }
}

async fn a_call_beyond_those_that_may_wait_in_all_is_answered_at_once(app: Arc<TestApp>) {
    let mut calls = JoinSet::new();
    let mut owners = Vec::new();
    for _ in 0..=MAX_IN_ALL / MAX_OF_ACCOUNT {
        let owner = owner_with_webhook(&app).await;
        for _ in 0..MAX_OF_ACCOUNT {
            wait(&mut calls, &owner);
        }
        owners.push(owner);
    }
    for _ in 0..MAX_OF_ACCOUNT {
        let pulled = calls.join_next().await.unwrap().unwrap().unwrap();
        assert!(kinds(&pulled).is_empty());
    }
    owners[0].ok::<ListMyEvents>(json!({})).await;
    for owner in &owners {
        owner.create(json!({})).await;
    }
    let pulled = calls.join_all().await;
    assert_eq!(pulled.len(), MAX_IN_ALL);
    for pulled in pulled {
        assert_eq!(kinds(&pulled.unwrap()), ["event.created"]);
    }
}

async fn a_change_wakes_the_calls_that_wait_for_it(app: Arc<TestApp>) {
    let owner = owner_with_webhook(&app).await;
    let began = Instant::now();
    let none = owner.ok::<ListWebhookMessages>(json!({})).await;
    let mut cursor = none["next_cursor"].clone();
    for _ in 0..10 {
        let next = json!({"cursor": cursor, "wait_seconds": 20});
        let waiting = owner.ok::<ListWebhookMessages>(next);
        let (pulled, _) = tokio::join!(waiting, owner.create(json!({})));
        assert_eq!(kinds(&pulled), ["event.created"]);
        cursor = pulled["next_cursor"].clone();
    }
    // A call that was not woken would look two seconds later.
    assert!(began.elapsed() < Duration::from_secs(15));
}

async fn a_call_that_waits_is_answered_before_its_deadline(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    owner.ok::<CreateWebhook>(json!({})).await;
    let bearer = Bearer::new(Some(&account.key));
    let mut webhooks = WebhookServiceClient::with_interceptor(app.grpc.channel(), bearer);
    let mut request = Request::new(ListWebhookMessagesRequest {
        wait_seconds: Some(20),
        ..ListWebhookMessagesRequest::default()
    });
    request.set_timeout(Duration::from_secs(3));
    let pulled = webhooks.list_webhook_messages(request).await.unwrap();
    assert!(pulled.into_inner().items.is_empty());
}

async fn a_call_goes_on_past_many_messages_of_other_types(app: Arc<TestApp>) {
    let owner = owner_with_webhook(&app).await;
    let event = owner.publish_new(json!({})).await;
    for number in 0..MANY {
        let update = json!({"id": event.id, "title": format!("Meetup {number}")});
        owner.ok::<UpdateEvent>(update).await;
    }
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let search = json!({"types": ["event.cancelled"], "wait_seconds": 20, "limit": 1});
    let found = owner.ok::<ListWebhookMessages>(search).await;
    assert_eq!(kinds(&found), ["event.cancelled"]);
    // It waits behind them as well.
    let next = json!({"types": ["event.created"], "wait_seconds": 20, "cursor": "2"});
    let waiting = owner.ok::<ListWebhookMessages>(next);
    let (pulled, _) = tokio::join!(waiting, owner.create(json!({})));
    assert_eq!(kinds(&pulled), ["event.created"]);
}

async fn a_key_that_is_revoked_while_its_calls_wait_gets_no_message(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let revoked = app.over(Surface::Http).as_owner(&account);
    let scopes = [Scope::EventsWrite, Scope::WebhooksWrite];
    let key = app.key_for(&account, &scopes).await;
    let other = app.over(Surface::Http).with_key(&key);
    other.ok::<CreateWebhook>(json!({})).await;
    let mut calls = JoinSet::new();
    for _ in 0..=MAX_OF_ACCOUNT {
        wait(&mut calls, &revoked);
    }
    // The others wait once one is refused.
    let refusal = calls.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!(refusal.reason, Reason::RateLimited);
    let keys = &app.core.use_cases().keys;
    keys.revoke(account.key_id).await.unwrap();
    // Other cores trust a key for a few seconds.
    app.advance(Duration::from_secs(5));
    other.create(json!({})).await;
    for answer in calls.join_all().await {
        assert_eq!(answer.unwrap_err().reason, Reason::Unauthorized);
    }
}

async fn a_call_is_refused_once_the_last_webhook_is_gone(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let webhook = owner.ok::<CreateWebhook>(json!({})).await;
    owner.create(json!({})).await;
    let pulled = owner.ok::<ListWebhookMessages>(json!({})).await;
    let which = json!({"webhook_id": webhook["id"]});
    owner.ok::<DeleteWebhook>(which).await;
    for request in [json!({}), json!({"cursor": pulled["next_cursor"]})] {
        let refusal = owner.refused::<ListWebhookMessages>(request).await;
        assert_eq!(refusal.reason, Reason::Conflict);
        assert!(
            refusal.message.contains("create a webhook"),
            "{}",
            refusal.message
        );
    }
}

tests::on_both_engines!(
    few_calls_of_an_account_wait_and_keep_nobody_else_out,
    a_call_beyond_those_that_may_wait_in_all_is_answered_at_once,
    a_change_wakes_the_calls_that_wait_for_it,
    a_call_that_waits_is_answered_before_its_deadline,
    a_call_goes_on_past_many_messages_of_other_types,
    a_key_that_is_revoked_while_its_calls_wait_gets_no_message,
    a_call_is_refused_once_the_last_webhook_is_gone,
);
