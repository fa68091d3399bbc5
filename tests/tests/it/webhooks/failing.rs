//! Receivers that fail, and what becomes of their messages.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::{GetWebhookDelivery, ReplayWebhook, UpdateWebhook};
use serde_json::{Value, json};
use tests::{Answer, Receiver, TestApp};

use super::{DAY, deliveries, now, posted, subscribe, subscribed};

fn answer(status: u16) -> Answer {
    (status, Vec::new(), "no".to_owned())
}

/// Not about its creation.
fn is_about_failures(mail: &tests::Mail) -> bool {
    mail.subject.contains("webhook") && !mail.subject.starts_with("A webhook sends")
}

async fn what_fails_is_tried_again_with_the_same_id(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    receiver.answer_next(answer(500));
    owner.create(json!({})).await;
    let first = posted(&app, &receiver).await;
    assert_eq!(first.len(), 1);
    assert!(posted(&app, &receiver).await.is_empty());
    app.advance(Duration::from_secs(6));
    let second = posted(&app, &receiver).await;
    assert_eq!(second.len(), 1);
    assert_eq!(second[0].id(), first[0].id());
    assert_eq!(second[0].body, first[0].body);
    let timestamps = [&first, &second].map(|got| got[0].header("webhook-timestamp"));
    assert_ne!(timestamps[0], timestamps[1]);

    let request = json!({"webhook_id": webhook["id"], "message_id": first[0].id()});
    let detail = owner.ok::<GetWebhookDelivery>(request).await;
    assert_eq!(detail["delivery"]["state"], "delivered");
    assert_eq!(detail["delivery"]["attempts"], 2);
    let attempts = detail["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[1]["status"], 500);
    assert_eq!(attempts[1]["error"], "the receiver answered 500");
    // Tests post to a private network, of whose answers nothing is shown.
    assert_eq!(attempts[1]["answer"], Value::Null);
    assert_eq!(detail["body"]["type"], "event.created");
}

async fn after_ten_attempts_a_message_has_failed_and_can_be_replayed(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    for _ in 0..10 {
        receiver.answer_next(answer(500));
    }
    owner.create(json!({})).await;
    let (mut attempts, mut hours) = (0, 0);
    while attempts < 10 && hours < 120 {
        attempts += posted(&app, &receiver).await.len();
        app.advance(Duration::from_hours(1));
        hours += 1;
    }
    // The pauses are 68.6 hours together, up to a fifth more by jitter, and up to an hour each by these steps.
    assert_eq!(attempts, 10);
    assert!((68..=93).contains(&hours), "{hours}");
    let failed = deliveries(&owner, &webhook).await;
    assert_eq!(failed[0]["state"], "failed");
    assert_eq!(failed[0]["attempts"], 10);
    assert_eq!(failed[0]["next_attempt_at"], Value::Null);
    assert_eq!(now(&owner, &webhook).await["state"], "active");
    app.advance(DAY);
    assert!(posted(&app, &receiver).await.is_empty());

    let id = failed[0]["message_id"].clone();
    let replay = json!({"webhook_id": webhook["id"], "message_ids": [id]});
    let replayed = owner.ok::<ReplayWebhook>(replay).await;
    assert_eq!(replayed, json!({"replayed": 1, "has_more": false}));
    let again = posted(&app, &receiver).await;
    assert_eq!(json!(again[0].id()), id);
    assert_eq!(deliveries(&owner, &webhook).await[0]["state"], "delivered");
}

async fn a_webhook_that_fails_for_five_days_is_disabled_and_loses_nothing(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    let mut rounds = 0;
    while now(&owner, &webhook).await["state"] == "active" && rounds < 10 {
        receiver.answer_next(answer(500));
        assert_eq!(posted(&app, &receiver).await.len(), 1);
        app.advance(DAY * 3 / 2);
        rounds += 1;
    }
    assert_eq!(now(&owner, &webhook).await["disabled_reason"], "failing");
    let request = json!({"webhook_id": webhook["id"], "is_paused": false});
    assert_eq!(owner.ok::<UpdateWebhook>(request).await["state"], "active");
    // What waits is sent.
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    assert_eq!(deliveries(&owner, &webhook).await[0]["state"], "delivered");
}

/// The last attempts of a message are a day apart, so nobody waits for one to be told.
async fn one_message_that_fails_is_enough_for_the_mail_after_a_day_and_the_end_after_five(
    app: Arc<TestApp>,
) {
    let (account, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let idle = subscribe(&owner, &Receiver::start().await, json!({})).await;
    for _ in 0..10 {
        receiver.answer_next(answer(500));
    }
    owner.create(json!({})).await;
    let mut attempts = 0;
    let mut pass = async |hours: u64| {
        for _ in 0..hours {
            attempts += posted(&app, &receiver).await.len();
            app.advance(Duration::from_hours(1));
        }
        app.maintain().await;
        app.maintain().await;
        attempts += posted(&app, &receiver).await.len();
        attempts
    };
    let mails = || {
        let notices = app.notices().into_iter();
        let of_webhook = notices.filter(|mail| mail.to == account.email && is_about_failures(mail));
        of_webhook.collect::<Vec<_>>()
    };
    pass(23).await;
    assert!(mails().is_empty());
    let tried = pass(2).await;
    assert!(tried < 10, "{tried}");
    let told = mails();
    assert_eq!(told.len(), 1, "{told:?}");
    let page = format!("/dashboard/webhooks/{}", webhook["id"].as_str().unwrap());
    assert!(
        told[0].text.contains(&page) && told[0].text.contains("“Replay”"),
        "{}",
        told[0].text
    );
    // All ten attempts are over within 93 hours.
    assert_eq!(pass(93).await, 10);
    assert_eq!(now(&owner, &webhook).await["state"], "active");
    pass(3).await;
    let ended = now(&owner, &webhook).await;
    assert_eq!(ended["disabled_reason"], "failing", "{ended}");
    assert_eq!(mails().len(), 2);
    assert_eq!(now(&owner, &idle).await["state"], "active");
}

/// An outage of Muster is no failure of the receiver.
async fn a_failing_webhook_is_not_disabled_before_what_is_due_was_tried(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    receiver.answer_next(answer(500));
    owner.create(json!({})).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    app.advance(DAY * 6);
    app.maintain().await;
    assert_eq!(now(&owner, &webhook).await["state"], "active");
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    app.maintain().await;
    let after = now(&owner, &webhook).await;
    assert_eq!(
        (&after["state"], &after["failing_since"]),
        (&json!("active"), &Value::Null)
    );
}

async fn owners_get_a_mail_after_a_day_of_failures_and_when_a_webhook_is_disabled(
    app: Arc<TestApp>,
) {
    let (account, owner, receiver, _) = subscribed(&app, Plan::Pro, json!({})).await;
    app.drain_jobs().await;
    owner.create(json!({})).await;
    for _ in 0..60 {
        receiver.answer_next(answer(500));
    }
    let mut subjects = Vec::new();
    for _ in 0..30 {
        app.drain_jobs().await;
        app.advance(Duration::from_hours(6));
    }
    for mail in app.notices() {
        if mail.to == account.email && is_about_failures(&mail) {
            subjects.push(mail.subject);
        }
    }
    subjects.sort();
    assert_eq!(
        subjects,
        [
            "A webhook fails (muster.example)",
            "A webhook was disabled (muster.example)"
        ]
    );
}

async fn a_receiver_that_is_gone_disables_its_webhook_and_nothing_is_lost(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    receiver.answer_next(answer(410));
    owner.create(json!({})).await;
    posted(&app, &receiver).await;
    let gone = now(&owner, &webhook).await;
    assert_eq!(
        (&gone["state"], &gone["disabled_reason"]),
        (&json!("disabled"), &json!("gone"))
    );
    owner.create(json!({})).await;
    app.advance(DAY);
    assert!(posted(&app, &receiver).await.is_empty());
    let request = json!({"webhook_id": webhook["id"], "is_paused": false});
    owner.ok::<UpdateWebhook>(request).await;
    assert_eq!(posted(&app, &receiver).await.len(), 2);
}

async fn a_busy_receiver_is_left_alone_for_as_long_as_it_asks(app: Arc<TestApp>) {
    let (_, owner, receiver, _) = subscribed(&app, Plan::Pro, json!({})).await;
    let busy = vec![("retry-after", "600".to_owned())];
    receiver.answer_next((503, busy, String::new()));
    owner.create(json!({})).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    owner.create(json!({})).await;
    app.advance(Duration::from_secs(500));
    assert!(posted(&app, &receiver).await.is_empty());
    app.advance(Duration::from_mins(5));
    assert_eq!(posted(&app, &receiver).await.len(), 2);
}

async fn redirects_are_not_followed(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let elsewhere = vec![("location", "http://169.254.169.254/latest".to_owned())];
    receiver.answer_next((302, elsewhere, String::new()));
    owner.create(json!({})).await;
    posted(&app, &receiver).await;
    let listed = deliveries(&owner, &webhook).await;
    assert_eq!(
        (&listed[0]["state"], &listed[0]["last_status"]),
        (&json!("waiting"), &json!(302))
    );
}

tests::on_both_engines!(
    what_fails_is_tried_again_with_the_same_id,
    after_ten_attempts_a_message_has_failed_and_can_be_replayed,
    a_webhook_that_fails_for_five_days_is_disabled_and_loses_nothing,
    one_message_that_fails_is_enough_for_the_mail_after_a_day_and_the_end_after_five,
    a_failing_webhook_is_not_disabled_before_what_is_due_was_tried,
    owners_get_a_mail_after_a_day_of_failures_and_when_a_webhook_is_disabled,
    a_receiver_that_is_gone_disables_its_webhook_and_nothing_is_lost,
    a_busy_receiver_is_left_alone_for_as_long_as_it_asks,
    redirects_are_not_followed,
);
