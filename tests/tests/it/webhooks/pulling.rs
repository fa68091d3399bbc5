//! Pulling messages, for programs that no URL reaches.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{CancelEvent, CreateWebhook, DeleteWebhook, ListWebhookMessages},
};
use serde_json::{Value, json};
use server::CancellationToken;
use tests::{Surface, TestApp};

use super::DAY;

pub(super) fn kinds(pulled: &Value) -> Vec<String> {
    let items = pulled["items"].as_array().unwrap().iter();
    items
        .map(|one| one["body"]["type"].as_str().unwrap().to_owned())
        .collect()
}

async fn messages_are_pulled_in_order_and_no_gap_is_silent(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let refusal = owner.refused::<ListWebhookMessages>(json!({})).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    let webhook = owner.ok::<CreateWebhook>(json!({})).await;
    let event = owner.publish_new(json!({})).await;
    owner.create(json!({})).await;
    let first = owner.ok::<ListWebhookMessages>(json!({"limit": 1})).await;
    assert_eq!(kinds(&first), ["event.created"]);
    assert_eq!(first["items"][0]["body"]["data"]["event_id"], event.id);
    let cursor = first["next_cursor"].clone();
    let rest = json!({"cursor": cursor});
    let second = owner.ok::<ListWebhookMessages>(rest.clone()).await;
    assert_eq!(kinds(&second), ["event.created"]);
    let end = json!({"cursor": second["next_cursor"]});
    let none = owner.ok::<ListWebhookMessages>(end.clone()).await;
    assert_eq!(
        (kinds(&none).len(), &none["next_cursor"]),
        (0, &end["cursor"])
    );
    let other_types = json!({"types": ["message.sent"]});
    let none = owner.ok::<ListWebhookMessages>(other_types).await;
    assert_eq!(
        (kinds(&none).len(), &none["next_cursor"]),
        (0, &end["cursor"])
    );

    // Old ones go, and a cursor before them says so.
    app.advance(DAY * 31);
    app.maintain().await;
    let refusal = owner.refused::<ListWebhookMessages>(rest).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    owner.ok::<ListWebhookMessages>(end.clone()).await;

    // So does a time without webhooks.
    let which = json!({"webhook_id": webhook["id"]});
    owner.ok::<DeleteWebhook>(which).await;
    owner.create(json!({})).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    let refusal = owner.refused::<ListWebhookMessages>(end).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    let wrong = json!({"cursor": "x"});
    owner
        .refused::<ListWebhookMessages>(wrong)
        .await
        .blames(&["cursor"]);
}

async fn what_was_recorded_for_former_webhooks_is_not_pulled(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let former = owner.ok::<CreateWebhook>(json!({})).await;
    owner.create(json!({})).await;
    let which = json!({"webhook_id": former["id"]});
    owner.ok::<DeleteWebhook>(which).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    let none = owner.ok::<ListWebhookMessages>(json!({})).await;
    assert!(kinds(&none).is_empty(), "{none}");
    owner.publish_new(json!({})).await;
    let next = json!({"cursor": none["next_cursor"]});
    for request in [json!({}), next] {
        let pulled = owner.ok::<ListWebhookMessages>(request).await;
        assert_eq!(kinds(&pulled), ["event.created"]);
    }
}

async fn the_latest_cursor_begins_after_the_newest_message(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let latest = json!({"cursor": "latest"});
    let refusal = owner.refused::<ListWebhookMessages>(latest.clone()).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    owner.ok::<CreateWebhook>(json!({})).await;
    let event = owner.publish_new(json!({})).await;
    let none = owner.ok::<ListWebhookMessages>(latest).await;
    assert!(kinds(&none).is_empty(), "{none}");
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let next = json!({"cursor": none["next_cursor"]});
    let pulled = owner.ok::<ListWebhookMessages>(next).await;
    assert_eq!(kinds(&pulled), ["event.cancelled"]);

    // A call that waits begins when it comes, so only what is created after that ends it.
    let waiting = json!({"cursor": "latest", "wait_seconds": 20});
    let pulled = tokio::select! {
        pulled = owner.ok::<ListWebhookMessages>(waiting) => pulled,
        () = async { loop { owner.create(json!({})).await; } } => unreachable!(),
    };
    assert_eq!(kinds(&pulled)[0], "event.created");
}

async fn several_types_are_named_by_a_parameter_each(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    owner.ok::<CreateWebhook>(json!({})).await;
    let event = owner.publish_new(json!({})).await;
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    owner.create(json!({})).await;
    let types = json!({"types": ["event.cancelled", "event.created"]});
    let pulled = owner.ok::<ListWebhookMessages>(types).await;
    let all = ["event.created", "event.cancelled", "event.created"];
    assert_eq!(kinds(&pulled), all);
    let wrong = json!({"types": ["event.cancelled", "event.exploded"]});
    let refusal = owner.refused::<ListWebhookMessages>(wrong).await;
    refusal.blames(&["types[1]"]);
}

async fn a_call_that_waits_gets_what_comes_meanwhile(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    owner.ok::<CreateWebhook>(json!({})).await;
    let waiting = owner.ok::<ListWebhookMessages>(json!({"wait_seconds": 20}));
    let (pulled, _) = tokio::join!(waiting, owner.create(json!({})));
    assert_eq!(kinds(&pulled), ["event.created"]);
}

async fn a_call_that_waits_is_answered_once_core_stops(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    owner.ok::<CreateWebhook>(json!({})).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let began = Instant::now();
    let waiting = owner.ok::<ListWebhookMessages>(json!({"wait_seconds": 20}));
    let (pulled, ()) = tokio::join!(waiting, app.core.run_background(stop));
    assert!(kinds(&pulled).is_empty());
    assert!(began.elapsed() < Duration::from_secs(20));
}

tests::on_both_engines!(
    messages_are_pulled_in_order_and_no_gap_is_silent,
    what_was_recorded_for_former_webhooks_is_not_pulled,
    the_latest_cursor_begins_after_the_newest_message,
    several_types_are_named_by_a_parameter_each,
    a_call_that_waits_gets_what_comes_meanwhile,
    a_call_that_waits_is_answered_once_core_stops,
);
