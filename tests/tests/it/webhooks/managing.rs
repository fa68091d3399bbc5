//! Creating, changing and ending webhooks.

use std::{sync::Arc, time::Duration};

use domain::{plan::Plan, scope::Scope};
use muster_api::{
    Reason,
    v1::bindings::{
        CreateWebhook, DeleteWebhook, GetWebhook, GetWebhookDelivery, ListWebhookDeliveries,
        ListWebhooks, PingWebhook, ReplayWebhook, RotateWebhookSecret, UpdateWebhook,
    },
};
use serde_json::{Value, json};
use tests::{Receiver, Surface, TestApp};

use super::{DAY, deliveries, kinds, now, posted, subscribed};

async fn a_webhook_that_is_paused_sends_what_waited_once_it_goes_on(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let set = |is_paused: bool| json!({"webhook_id": webhook["id"], "is_paused": is_paused});
    owner.create(json!({})).await;
    // Before it was sent.
    assert_eq!(
        owner.ok::<UpdateWebhook>(set(true)).await["state"],
        "paused"
    );
    owner.create(json!({})).await;
    assert!(posted(&app, &receiver).await.is_empty());
    owner.ok::<UpdateWebhook>(set(false)).await;
    assert_eq!(posted(&app, &receiver).await.len(), 2);
}

async fn a_change_under_an_idempotency_key_is_done_once(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let this = json!({"webhook_id": webhook["id"]});

    let rotate = owner.under("rotate");
    let rotated = rotate.ok::<RotateWebhookSecret>(this.clone()).await;
    // Without the key it would be refused, since the former secret still signs.
    let again = rotate.ok::<RotateWebhookSecret>(this.clone()).await;
    assert_eq!(again, rotated);

    let set = |is_paused: bool| json!({"webhook_id": webhook["id"], "is_paused": is_paused});
    let pause = owner.under("pause");
    let paused = pause.ok::<UpdateWebhook>(set(true)).await;
    owner.ok::<UpdateWebhook>(set(false)).await;
    assert_eq!(pause.ok::<UpdateWebhook>(set(true)).await, paused);
    let now = owner.ok::<GetWebhook>(this.clone()).await;
    assert_eq!(now["state"], "active");

    owner.create(json!({})).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    let message = deliveries(&owner, &webhook).await[0]["message_id"].clone();
    let message = json!({"webhook_id": webhook["id"], "message_ids": [message]});
    let replay = owner.under("replay");
    let replayed = replay.ok::<ReplayWebhook>(message.clone()).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    assert_eq!(replay.ok::<ReplayWebhook>(message).await, replayed);
    assert!(posted(&app, &receiver).await.is_empty());

    let delete = owner.under("delete");
    let deleted = delete.ok::<DeleteWebhook>(this.clone()).await;
    assert_eq!(delete.ok::<DeleteWebhook>(this).await, deleted);
}

async fn what_was_not_tried_yet_is_listed_and_waits_through_a_pause(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    // Deliveries are listed in the order of time.
    app.advance(Duration::from_secs(1));
    owner.create(json!({})).await;
    let waiting = deliveries(&owner, &webhook).await;
    assert_eq!(waiting.len(), 2);
    let in_state = async |state: &str| {
        let request = json!({"webhook_id": webhook["id"], "state": state, "limit": 1});
        owner.ok::<ListWebhookDeliveries>(request).await
    };
    let page = in_state("waiting").await;
    assert_eq!(page["items"], json!([waiting[0]]));
    let next =
        json!({"webhook_id": webhook["id"], "state": "waiting", "cursor": page["next_cursor"]});
    let next = owner.ok::<ListWebhookDeliveries>(next).await;
    assert_eq!(next["items"], json!([waiting[1]]));
    assert_eq!(in_state("delivered").await["items"], json!([]));
    let first = json!({"webhook_id": webhook["id"], "message_id": waiting[1]["message_id"]});
    let detail = owner.ok::<GetWebhookDelivery>(first).await;
    assert_eq!(
        (&detail["delivery"], &detail["attempts"]),
        (&waiting[1], &json!([]))
    );

    for is_paused in [true, false] {
        let set = json!({"webhook_id": webhook["id"], "is_paused": is_paused});
        owner.ok::<UpdateWebhook>(set).await;
        let ids = |all: &[Value]| {
            all.iter()
                .map(|one| one["message_id"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(&deliveries(&owner, &webhook).await), ids(&waiting));
        assert_eq!(in_state("waiting").await["items"][0]["state"], "waiting");
    }
    assert_eq!(posted(&app, &receiver).await.len(), 2);
    for one in deliveries(&owner, &webhook).await {
        assert_eq!(
            (&one["state"], &one["attempts"]),
            (&json!("delivered"), &json!(1))
        );
    }
    assert_eq!(in_state("waiting").await["items"], json!([]));
}

async fn a_rotated_secret_signs_beside_the_former_one_for_a_day(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let which = json!({"webhook_id": webhook["id"]});
    let rotated = owner.ok::<RotateWebhookSecret>(which.clone()).await;
    let (old, new) = (webhook["secret"].as_str(), rotated["secret"].as_str());
    assert_ne!(old, new);
    owner.create(json!({})).await;
    let got = posted(&app, &receiver).await;
    assert!(got[0].is_signed_with(old.unwrap()) && got[0].is_signed_with(new.unwrap()));
    let again = owner.refused::<RotateWebhookSecret>(which).await;
    assert_eq!(again.reason, Reason::Conflict);
    app.advance(DAY);
    owner.create(json!({})).await;
    let got = posted(&app, &receiver).await;
    assert!(!got[0].is_signed_with(old.unwrap()) && got[0].is_signed_with(new.unwrap()));
}

async fn a_ping_says_what_came_back(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let which = json!({"webhook_id": webhook["id"]});
    let attempt = owner.ok::<PingWebhook>(which.clone()).await;
    assert_eq!(
        (&attempt["status"], &attempt["error"]),
        (&json!(200), &Value::Null)
    );
    let got = receiver.taken();
    assert_eq!(kinds(&got), ["webhook.ping"]);
    assert!(got[0].is_signed_with(webhook["secret"].as_str().unwrap()));
    receiver.answer_next((404, Vec::new(), String::new()));
    let attempt = owner.ok::<PingWebhook>(which).await;
    assert_eq!(attempt["error"], "the receiver answered 404");
}

async fn an_account_pings_so_many_times_a_minute_and_others_are_not_affected(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let which = json!({"webhook_id": webhook["id"]});
    for _ in 0..30 {
        owner.ok::<PingWebhook>(which.clone()).await;
    }
    let refusal = owner.refused::<PingWebhook>(which.clone()).await;
    assert_eq!(refusal.reason, Reason::RateLimited);
    assert_eq!(receiver.taken().len(), 30);
    let (_, other, _, theirs) = subscribed(&app, Plan::Pro, json!({})).await;
    let theirs = json!({"webhook_id": theirs["id"]});
    other.ok::<PingWebhook>(theirs).await;
    app.advance(Duration::from_mins(1));
    owner.ok::<PingWebhook>(which).await;
}

async fn what_a_stranger_could_reach_with_a_url_is_refused(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    for url in [
        "http://1.1.1.1/hook",
        "https://10.0.0.1/hook",
        "https://169.254.169.254/latest",
        "https://[::ffff:10.0.0.1]/",
        "https://kim:secret@example.org/",
        "ftp://example.org/",
        "example.org",
    ] {
        let refusal = owner.refused::<CreateWebhook>(json!({"url": url})).await;
        refusal.blames(&["url"]);
    }
    let refusal = owner
        .refused::<CreateWebhook>(json!({"types": ["event.created", "event.exploded"]}))
        .await;
    refusal.blames(&["types[1]"]);
}

async fn a_plan_has_so_many_webhooks_and_another_account_sees_none(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let first = owner.ok::<CreateWebhook>(json!({})).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    let refusal = owner.refused::<CreateWebhook>(json!({})).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    let listed = owner.ok::<ListWebhooks>(json!({})).await;
    assert_eq!(listed["quota"], 2);
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);

    let other = app.account(Plan::Pro).await;
    let other = app.over(Surface::Http).as_owner(&other);
    let which = json!({"webhook_id": first["id"]});
    assert_eq!(
        other.refused::<GetWebhook>(which.clone()).await.reason,
        Reason::NotFound
    );
    assert_eq!(
        other.refused::<DeleteWebhook>(which.clone()).await.reason,
        Reason::NotFound
    );
    owner.ok::<DeleteWebhook>(which.clone()).await;
    assert_eq!(
        owner.refused::<GetWebhook>(which).await.reason,
        Reason::NotFound
    );
    owner.ok::<CreateWebhook>(json!({})).await;
}

async fn owners_get_a_mail_about_a_webhook_that_a_key_makes_to_pull_and_gives_a_url(
    app: Arc<TestApp>,
) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let webhook = owner.ok::<CreateWebhook>(json!({})).await;
    app.drain_jobs().await;
    let subjects = || -> Vec<String> {
        let mails = app.notices();
        mails.into_iter().map(|mail| mail.subject).collect()
    };
    let pulled = subjects();
    assert_eq!(pulled.len(), 1, "{pulled:?}");
    assert!(
        pulled[0].starts_with("Programs can read changes"),
        "{pulled:?}"
    );
    let receiver = Receiver::start().await;
    let url = json!({"webhook_id": webhook["id"], "url": receiver.url()});
    owner.ok::<UpdateWebhook>(url).await;
    app.drain_jobs().await;
    let both = subjects();
    assert_eq!(both.len(), 2, "{both:?}");
    let says_so = |subject: &String| subject.starts_with("A webhook sends changes");
    assert!(both.iter().any(says_so), "{both:?}");
}

async fn owners_get_a_mail_about_webhooks_that_keys_make_and_revoking_the_key_ends_them(
    app: Arc<TestApp>,
) {
    let (account, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    app.drain_jobs().await;
    let mails = app.notices();
    let told = |mails: &[tests::Mail], subject: &str| {
        let is_told =
            |mail: &tests::Mail| mail.to == account.email && mail.subject.starts_with(subject);
        mails.iter().any(is_told)
    };
    assert!(
        told(&mails, "A webhook sends changes of your events"),
        "{mails:?}"
    );
    app.core
        .use_cases()
        .keys
        .revoke(account.key_id)
        .await
        .unwrap();
    app.advance(Duration::from_secs(10));
    let again = app
        .key_for(&account, &[Scope::WebhooksRead, Scope::EventsWrite])
        .await;
    let owner_again = app.over(Surface::Http).with_key(&again);
    let ended = now(&owner_again, &webhook).await;
    assert_eq!(
        (&ended["state"], &ended["disabled_reason"]),
        (&json!("disabled"), &json!("revoked"))
    );
    drop(owner);
    owner_again.create(json!({})).await;
    assert!(posted(&app, &receiver).await.is_empty());
}

tests::on_both_engines!(
    a_webhook_that_is_paused_sends_what_waited_once_it_goes_on,
    a_change_under_an_idempotency_key_is_done_once,
    what_was_not_tried_yet_is_listed_and_waits_through_a_pause,
    a_rotated_secret_signs_beside_the_former_one_for_a_day,
    a_ping_says_what_came_back,
    an_account_pings_so_many_times_a_minute_and_others_are_not_affected,
    what_a_stranger_could_reach_with_a_url_is_refused,
    a_plan_has_so_many_webhooks_and_another_account_sees_none,
    owners_get_a_mail_about_a_webhook_that_a_key_makes_to_pull_and_gives_a_url,
    owners_get_a_mail_about_webhooks_that_keys_make_and_revoking_the_key_ends_them,
);
