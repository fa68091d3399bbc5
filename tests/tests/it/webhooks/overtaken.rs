//! Attempts that end after their webhook was changed, paused or deleted.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::{DeleteWebhook, GetWebhookDelivery, ReplayWebhook, UpdateWebhook};
use serde_json::{Value, json};
use tests::{Client, Receiver, TestApp};
use tokio::task::JoinHandle;

use super::{SECOND, deliveries, now, posted, subscribed};

/// More than a message takes on a busy machine.
const SOON: Duration = Duration::from_secs(10);

const POLL: Duration = Duration::from_millis(20);

/// An attempt that hangs at this receiver, until it is released.
async fn hanging(app: &Arc<TestApp>, receiver: &Receiver) -> JoinHandle<usize> {
    receiver.hang();
    let running = tokio::spawn({
        let app = Arc::clone(app);
        async move { app.drain_jobs().await }
    });
    let came = tokio::time::timeout(SOON, async {
        while receiver.count() == 0 {
            tokio::time::sleep(POLL).await;
        }
    });
    came.await.expect("a message should come");
    receiver.taken();
    running
}

async fn attempts(owner: &Client, webhook: &Value) -> Vec<Value> {
    let message = deliveries(owner, webhook).await.remove(0);
    let request = json!({"webhook_id": webhook["id"], "message_id": message["message_id"]});
    let detail = owner.ok::<GetWebhookDelivery>(request).await;
    detail["attempts"].as_array().unwrap().clone()
}

async fn a_late_failure_leaves_a_delivered_message_delivered(app: Arc<TestApp>) {
    let (_, owner, former, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    let first = hanging(&app, &former).await;
    let receiver = Receiver::start().await;
    let id = &webhook["id"];
    app.advance(SECOND);
    let pause = json!({"webhook_id": id, "is_paused": true, "url": receiver.url()});
    owner.ok::<UpdateWebhook>(pause).await;
    let unpause = json!({"webhook_id": id, "is_paused": false});
    owner.ok::<UpdateWebhook>(unpause).await;
    app.advance(SECOND);
    let second = posted(&app, &receiver).await;
    assert_eq!(second.len(), 1);
    former.release(500);
    first.await.unwrap();

    let delivery = deliveries(&owner, &webhook).await.remove(0);
    assert_eq!(delivery["state"], "delivered");
    let statuses: Vec<_> = attempts(&owner, &webhook)
        .await
        .iter()
        .map(|one| one["status"].clone())
        .collect();
    assert_eq!(statuses, [json!(200), json!(500)]);
    assert_eq!(now(&owner, &webhook).await["failing_since"], Value::Null);
    let replay = json!({"webhook_id": id, "message_ids": [delivery["message_id"]]});
    assert_eq!(owner.ok::<ReplayWebhook>(replay).await["replayed"], 1);
    assert_eq!(posted(&app, &receiver).await.len(), 1);
}

async fn a_late_failure_leaves_the_next_attempt_its_job(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    let first = hanging(&app, &receiver).await;
    app.advance(SECOND);
    for is_paused in [true, false] {
        let set = json!({"webhook_id": webhook["id"], "is_paused": is_paused});
        owner.ok::<UpdateWebhook>(set).await;
    }
    receiver.release(500);
    first.await.unwrap();
    // It is due since the webhook goes on, and waits for nothing.
    app.drain_jobs().await;
    assert_eq!(receiver.taken().len(), 1);
    assert_eq!(deliveries(&owner, &webhook).await[0]["state"], "delivered");
}

async fn what_a_former_url_answers_changes_nothing_of_the_webhook(app: Arc<TestApp>) {
    let (_, owner, former, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let receiver = Receiver::start().await;
    owner.create(json!({})).await;
    let first = hanging(&app, &former).await;
    let redirect = json!({"webhook_id": webhook["id"], "url": receiver.url()});
    owner.ok::<UpdateWebhook>(redirect).await;
    former.release(410);
    first.await.unwrap();
    let after = now(&owner, &webhook).await;
    assert_eq!(
        (&after["state"], &after["failing_since"]),
        (&json!("active"), &Value::Null)
    );
    app.drain_jobs().await;
    assert_eq!(receiver.taken().len(), 1);
    assert_eq!(deliveries(&owner, &webhook).await[0]["state"], "delivered");
}

async fn what_a_former_url_took_is_posted_to_the_current_one(app: Arc<TestApp>) {
    let (_, owner, former, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let receiver = Receiver::start().await;
    owner.create(json!({})).await;
    let first = hanging(&app, &former).await;
    let redirect = json!({"webhook_id": webhook["id"], "url": receiver.url()});
    owner.ok::<UpdateWebhook>(redirect).await;
    former.release(200);
    first.await.unwrap();
    assert_eq!(now(&owner, &webhook).await["last_success_at"], Value::Null);
    // The lease of the first attempt ends.
    app.advance(Duration::from_mins(2));
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    assert_eq!(deliveries(&owner, &webhook).await[0]["state"], "delivered");
}

async fn a_new_url_begins_without_the_failures_of_the_former_one(app: Arc<TestApp>) {
    let (_, owner, former, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    former.answer_next((500, Vec::new(), String::new()));
    owner.create(json!({})).await;
    posted(&app, &former).await;
    assert_ne!(now(&owner, &webhook).await["failing_since"], Value::Null);
    let receiver = Receiver::start().await;
    let redirect = json!({"webhook_id": webhook["id"], "url": receiver.url()});
    let after = owner.ok::<UpdateWebhook>(redirect).await;
    assert_eq!(after["failing_since"], Value::Null);
}

async fn a_webhook_that_is_deleted_during_an_attempt_leaves_nothing(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    owner.create(json!({})).await;
    let first = hanging(&app, &receiver).await;
    let which = json!({"webhook_id": webhook["id"]});
    owner.ok::<DeleteWebhook>(which).await;
    receiver.release(500);
    first.await.unwrap();
    app.maintain().await;
    for table in ["webhook_deliveries", "webhook_attempts", "deleted_webhooks"] {
        assert_eq!(app.count_rows(table).await, 0, "{table}");
    }
    let jobs = "jobs WHERE kind = 'webhook_delivery'";
    assert_eq!(app.count_rows(jobs).await, 0);
}

tests::on_both_engines!(
    a_late_failure_leaves_a_delivered_message_delivered,
    a_late_failure_leaves_the_next_attempt_its_job,
    what_a_former_url_answers_changes_nothing_of_the_webhook,
    what_a_former_url_took_is_posted_to_the_current_one,
    a_new_url_begins_without_the_failures_of_the_former_one,
    a_webhook_that_is_deleted_during_an_attempt_leaves_nothing,
);
