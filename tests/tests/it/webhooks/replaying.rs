//! Messages that are not stuck: whatever kept them, they leave again, at the latest when they are replayed.

use std::{sync::Arc, time::Duration};

use core_service::service::LastOwner;
use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, GetWebhookDelivery, PingWebhook, ReplayWebhook, RotateWebhookSecret,
    },
};
use serde_json::{Value, json};
use tests::{Client, TestApp};

use super::{DAY, deliveries, posted, subscribed};

async fn attempts(owner: &Client, webhook: &Value, message: &Value) -> Vec<Value> {
    let request = json!({"webhook_id": webhook["id"], "message_id": message});
    let detail = owner.ok::<GetWebhookDelivery>(request).await;
    detail["attempts"].as_array().unwrap().clone()
}

async fn a_receiver_that_asks_for_a_year_gets_its_message_after_a_day(app: Arc<TestApp>) {
    let (_, owner, receiver, _) = subscribed(&app, Plan::Pro, json!({})).await;
    let year = vec![("retry-after", (365 * 24 * 60 * 60).to_string())];
    receiver.answer_next((503, year, String::new()));
    owner.create(json!({})).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    app.advance(Duration::from_mins(24 * 60 - 1));
    assert!(posted(&app, &receiver).await.is_empty());
    app.advance(Duration::from_mins(2));
    assert_eq!(posted(&app, &receiver).await.len(), 1);
}

async fn a_replay_makes_what_it_names_due_at_once_and_leaves_the_rest(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    for _ in 0..2 {
        receiver.answer_next((500, Vec::new(), String::new()));
        owner.create(json!({})).await;
    }
    assert_eq!(posted(&app, &receiver).await.len(), 2);
    let waiting = deliveries(&owner, &webhook).await;
    assert_eq!(waiting[0]["state"], "waiting");
    let id = &waiting[0]["message_id"];
    let wrong = json!({"webhook_id": webhook["id"], "message_ids": [id, "x", id, "y"]});
    let refusal = owner.refused::<ReplayWebhook>(wrong).await;
    refusal.blames(&["message_ids[1]", "message_ids[3]"]);
    // One that is named twice is sent once.
    let replay = json!({"webhook_id": webhook["id"], "message_ids": [id, id]});
    let replayed = owner.ok::<ReplayWebhook>(replay).await;
    assert_eq!(replayed, json!({"replayed": 1, "has_more": false}));
    let got = posted(&app, &receiver).await;
    assert_eq!(got.len(), 1);
    assert_eq!(json!(got[0].id()), *id);
    let after = deliveries(&owner, &webhook).await;
    assert_eq!(
        (&after[0]["state"], &after[1]["state"]),
        (&json!("delivered"), &json!("waiting"))
    );
}

async fn a_replay_of_a_time_sends_what_failed_in_it(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    // An hour apart, from 12:00 on.
    for _ in 0..3 {
        owner.create(json!({})).await;
        app.advance(Duration::from_hours(1));
    }
    assert_eq!(posted(&app, &receiver).await.len(), 3);
    app.update_all("webhook_deliveries SET state = 'failed'")
        .await;
    let id = &webhook["id"];
    let (since, until) = ("2027-01-15T12:30:00Z", "2027-01-15T14:00:00Z");
    for (wrong, field) in [
        (
            json!({"webhook_id": id, "failed_until": until}),
            "failed_since",
        ),
        (
            json!({"webhook_id": id, "failed_since": until, "failed_until": since}),
            "failed_until",
        ),
        (
            json!({"webhook_id": id, "failed_since": since, "failed_until": "soon"}),
            "failed_until",
        ),
        (
            json!({"webhook_id": id, "message_ids": [id], "failed_until": until}),
            "failed_until",
        ),
    ] {
        let refusal = owner.refused::<ReplayWebhook>(wrong).await;
        refusal.blames(&[field]);
    }
    let replay = json!({"webhook_id": id, "failed_since": since, "failed_until": until});
    let replayed = owner.ok::<ReplayWebhook>(replay).await;
    assert_eq!(replayed, json!({"replayed": 1, "has_more": false}));
    let got = posted(&app, &receiver).await;
    assert_eq!(got.len(), 1);
    let at = got[0].json()["timestamp"].clone();
    assert_eq!(at, "2027-01-15T13:00:00Z");
    let states = deliveries(&owner, &webhook).await;
    let states: Vec<_> = states.iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["failed", "delivered", "failed"]);
    let rest = json!({"webhook_id": id, "failed_since": "2027-01-15T12:00:00Z"});
    let replayed = owner.ok::<ReplayWebhook>(rest).await;
    assert_eq!(replayed["replayed"], 2);
}

async fn a_replay_revives_a_message_whose_job_failed(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    let id = deliveries(&owner, &webhook).await[0]["message_id"].clone();
    // As by a version that failed such jobs.
    app.fail_mails_of(id.as_str().unwrap()).await;
    assert!(posted(&app, &receiver).await.is_empty());
    let replay = json!({"webhook_id": webhook["id"], "message_ids": [id]});
    owner.ok::<ReplayWebhook>(replay).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    assert_eq!(deliveries(&owner, &webhook).await[0]["state"], "delivered");
}

async fn a_message_that_muster_cannot_post_fails_in_the_end_and_can_be_replayed(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    // No core can read that.
    app.update_all("webhooks SET content = 'unknown'").await;
    for _ in 0..10 {
        assert!(posted(&app, &receiver).await.is_empty());
        app.advance(DAY * 2);
    }
    app.update_all("webhooks SET content = 'thin'").await;
    let failed = deliveries(&owner, &webhook).await.remove(0);
    assert_eq!(failed["state"], "failed");
    let id = &failed["message_id"];
    let tried = attempts(&owner, &webhook, id).await;
    let why = "it could not be posted: the log of this site says why";
    assert_eq!(tried[0]["error"], why);
    let replay = json!({"webhook_id": webhook["id"], "message_ids": [id]});
    owner.ok::<ReplayWebhook>(replay).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
}

async fn a_secret_that_cannot_be_read_is_an_attempt_and_a_new_one_sends_what_waits(
    app: Arc<TestApp>,
) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let which = json!({"webhook_id": webhook["id"]});
    app.update_all("webhooks SET secret = substr(secret, 1, 20)")
        .await;
    owner.create(json!({})).await;
    for _ in 0..12 {
        assert!(posted(&app, &receiver).await.is_empty());
        app.advance(DAY);
    }
    let waiting = deliveries(&owner, &webhook).await.remove(0);
    assert_eq!(waiting["state"], "waiting");
    let tried = attempts(&owner, &webhook, &waiting["message_id"]).await;
    assert_eq!(tried.len(), 1, "{tried:?}");
    let why = tried[0]["error"].as_str().unwrap();
    assert!(why.starts_with("its secret cannot be read"), "{why}");
    let refusal = owner.refused::<PingWebhook>(which.clone()).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    owner.ok::<RotateWebhookSecret>(which).await;
    app.advance(Duration::from_hours(1));
    assert_eq!(posted(&app, &receiver).await.len(), 1);
}

async fn what_met_a_suspension_leaves_when_it_ends(app: Arc<TestApp>) {
    let (account, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    let suspensions = &app.core.use_cases().suspensions;
    suspensions.suspend(account.id, None).await.unwrap();
    assert!(posted(&app, &receiver).await.is_empty());
    suspensions.resume(account.id).await.unwrap();
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    assert_eq!(deliveries(&owner, &webhook).await[0]["state"], "delivered");
}

async fn nothing_that_a_receiver_said_of_an_erased_person_stays(app: Arc<TestApp>) {
    let types = json!({"types": ["event.created", "registration.created"]});
    let (account, owner, receiver, webhook) = subscribed(&app, Plan::Pro, types).await;
    let event = owner.publish_new(json!({})).await;
    // Deliveries are listed in the order of time.
    app.advance(Duration::from_secs(1));
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    owner.ok::<AddRegistration>(guest).await;
    assert_eq!(posted(&app, &receiver).await.len(), 2);
    // Of receivers in a private network nothing is stored.
    app.update_all(
        "webhook_attempts SET answer = 'hello Ada', about = (SELECT m.registration_id FROM webhook_messages m WHERE m.id = webhook_attempts.message_id)",
    )
    .await;
    let people = &app.core.use_cases().people;
    let erased = people.erase("ada@example.org", &LastOwner::Refuse).await;
    erased.unwrap();
    let both = deliveries(&owner, &webhook).await;
    let mut answers = Vec::new();
    for one in &both {
        let tried = attempts(&owner, &webhook, &one["message_id"]).await;
        answers.push((one["type"].clone(), tried[0]["answer"].clone()));
    }
    let expected = [
        (json!("registration.created"), Value::Null),
        (json!("event.created"), json!("hello Ada")),
    ];
    assert_eq!(answers, expected);

    let removed = people.erase(&account.email, &LastOwner::Remove).await;
    removed.unwrap();
    app.maintain().await;
    for table in ["webhook_messages", "webhook_deliveries", "webhook_attempts"] {
        assert_eq!(app.count_rows(table).await, 0, "{table}");
    }
}

tests::on_both_engines!(
    a_receiver_that_asks_for_a_year_gets_its_message_after_a_day,
    a_replay_makes_what_it_names_due_at_once_and_leaves_the_rest,
    a_replay_of_a_time_sends_what_failed_in_it,
    a_replay_revives_a_message_whose_job_failed,
    a_message_that_muster_cannot_post_fails_in_the_end_and_can_be_replayed,
    a_secret_that_cannot_be_read_is_an_attempt_and_a_new_one_sends_what_waits,
    what_met_a_suspension_leaves_when_it_ends,
    nothing_that_a_receiver_said_of_an_erased_person_stays,
);
