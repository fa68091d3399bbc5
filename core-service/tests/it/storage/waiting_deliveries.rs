//! Deliveries to webhooks that wait: as jobs, and as rows once their webhook is not active.

use domain::{
    job::{ClaimedJob, JobKind},
    webhook::{DeliveryState, Webhook, WebhookMessage, WebhookState},
};
use storage::Store;
use test_postgres::Database;

use super::webhook_answers::{message, webhook};
use crate::fixtures::{NOW, Rows, add_account, add_event, migrate, open};

/// A webhook, and messages with jobs, each a second after the one before.
async fn add_jobs(store: &Store, count: i32) -> (Webhook, Vec<WebhookMessage>) {
    let rows = Rows::new();
    let account = add_account(store, &rows).await;
    let event = rows.event(account.id, 24);
    add_event(store, &event).await;
    let webhook = webhook(account.id);
    let messages: Vec<WebhookMessage> = (1..=count)
        .map(|seq| message(account.id, seq, event.id, None))
        .collect();
    let mut tx = store.begin().await.unwrap();
    tx.lock_webhook_stream(account.id).await.unwrap();
    tx.insert_webhook(&webhook).await.unwrap();
    tx.insert_webhook_messages(&messages).await.unwrap();
    for (second, message) in (0..).zip(&messages) {
        let now = NOW.plus_seconds(second);
        tx.insert_jobs(&[webhook.job(message)], now).await.unwrap();
    }
    tx.commit().await.unwrap();
    (webhook, messages)
}

/// Claims at most so many of its jobs an hour later.
async fn claim(store: &Store, webhook: &Webhook, limit: usize, lease: i64) -> Vec<ClaimedJob> {
    let (destination, kind) = (webhook.destination(), JobKind::WebhookDelivery);
    let now = NOW.plus_seconds(3_600);
    let mut tx = store.begin().await.unwrap();
    let claimed = tx.claim_jobs(&destination, kind, now, now.plus_seconds(lease), limit);
    let claimed = claimed.await.unwrap();
    tx.commit().await.unwrap();
    claimed
}

async fn jobs_that_did_not_begin_come_before_those_that_were_added_later(database: Database) {
    let store = open(&database).await;
    let (webhook, messages) = add_jobs(&store, 3).await;
    for _ in 0..2 {
        let claimed = claim(&store, &webhook, 1, 60).await;
        assert_eq!(claimed[0].key.subject_id, messages[0].id);
        assert_eq!(claimed[0].tries, 1);
        let mut tx = store.begin().await.unwrap();
        assert_eq!(tx.release_jobs(&[&claimed[0]]).await.unwrap(), 1);
        tx.commit().await.unwrap();
    }
}

/// Its claims are counted from the beginning then, as were those before.
async fn a_try_whose_job_was_removed_and_added_again_leaves_it_to_the_next(database: Database) {
    let store = open(&database).await;
    let (webhook, messages) = add_jobs(&store, 1).await;
    let former = claim(&store, &webhook, 1, 60).await.remove(0);
    let mut tx = store.begin().await.unwrap();
    tx.park_deliveries(&webhook).await.unwrap();
    tx.schedule_waiting_deliveries(&webhook, NOW).await.unwrap();
    tx.commit().await.unwrap();
    let current = claim(&store, &webhook, 1, 90).await.remove(0);
    assert_eq!((former.attempt, current.attempt), (1, 1));
    for (job, is_leased) in [(&former, false), (&current, true)] {
        let found = store.find_delivery(job).await.unwrap().unwrap();
        assert_eq!(found.is_leased, is_leased);
        assert_eq!(found.delivery.message, messages[0]);
        assert_eq!(found.delivery.state, DeliveryState::Waiting);
        let mut tx = store.begin().await.unwrap();
        let released = tx.release_jobs(&[job]).await.unwrap();
        assert_eq!(released, u64::from(is_leased));
        tx.commit().await.unwrap();
    }
}

async fn what_is_parked_after_its_message_is_gone_leaves_nothing(database: Database) {
    let store = open(&database).await;
    let (webhook, _) = add_jobs(&store, 2).await;
    let mut tx = store.begin().await.unwrap();
    let day = NOW.plus_seconds(86_400);
    assert_eq!(tx.delete_webhook_messages(day, 1).await.unwrap(), 1);
    tx.park_deliveries(&webhook).await.unwrap();
    tx.schedule_waiting_deliveries(&webhook, NOW).await.unwrap();
    tx.commit().await.unwrap();
    let jobs = store.list_jobs(JobKind::WebhookDelivery, 10).await.unwrap();
    assert_eq!(jobs.len(), 1);
}

async fn deliveries_are_late_since_they_were_due_unless_their_webhook_is_paused(
    database: Database,
) {
    let store = open(&database).await;
    let (webhook, _) = add_jobs(&store, 2).await;
    let oldest = async |now| {
        let counts = store.count_webhooks(now, 10).await.unwrap();
        assert_eq!(counts.len(), 1, "{counts:?}");
        assert_eq!(counts[0].number, 1);
        counts[0].oldest_due_at
    };
    let hour = NOW.plus_seconds(3_600);
    assert_eq!(oldest(NOW.plus_seconds(-1)).await, None);
    assert_eq!(oldest(hour).await, Some(NOW));
    // One is tried, and then waits for its next attempt.
    let claimed = claim(&store, &webhook, 1, 60).await.remove(0);
    assert_eq!(oldest(hour).await, Some(NOW.plus_seconds(1)));
    let retry = hour.plus_seconds(300);
    let mut tx = store.begin().await.unwrap();
    tx.postpone_job(&claimed, retry, true, "500").await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(claim(&store, &webhook, 2, 600).await.len(), 1);
    assert_eq!(oldest(hour).await, None);
    assert_eq!(oldest(retry).await, Some(retry));
    let paused = Webhook {
        state: WebhookState::Paused,
        ..webhook
    };
    let mut tx = store.begin().await.unwrap();
    tx.update_webhook(&paused).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(oldest(retry).await, None);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    jobs_that_did_not_begin_come_before_those_that_were_added_later,
    a_try_whose_job_was_removed_and_added_again_leaves_it_to_the_next,
    what_is_parked_after_its_message_is_gone_leaves_nothing,
    deliveries_are_late_since_they_were_due_unless_their_webhook_is_paused,
);
