//! What receivers of webhooks answered goes with whom it is about.

use domain::{
    ids::{AccountId, EventId, RegistrationId, WebhookId},
    registration::Status,
    webhook::{
        Content, DeliveryAttempt, Scheme, Subject, Webhook, WebhookMessage, WebhookState,
        WebhookType, WebhookTypes,
    },
};
use storage::{Store, SuccessfulDelivery};
use test_postgres::Database;
use uuid::Uuid;

use crate::fixtures::{NOW, Rows, add_account, add_event, add_registrations, migrate, open};

pub(super) fn webhook(account: AccountId) -> Webhook {
    Webhook {
        id: WebhookId::new(Uuid::from_u128(1)),
        account_id: account,
        number: 1,
        event_id: None,
        url: Some("https://example.org/hook".to_owned()),
        description: None,
        types: WebhookTypes::default(),
        content: Content::Thin,
        scheme: Scheme::V1,
        secret: Vec::new(),
        former_secret: None,
        former_until: None,
        public_key: None,
        state: WebhookState::Active,
        disabled_reason: None,
        last_success_at: None,
        failing_since: None,
        warned_at: None,
        created_by: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

pub(super) fn message(
    account: AccountId,
    seq: i32,
    event: EventId,
    registration: Option<RegistrationId>,
) -> WebhookMessage {
    WebhookMessage {
        id: Uuid::from_u128(seq.try_into().unwrap()),
        account_id: account,
        seq,
        kind: WebhookType::EventUpdated,
        at: NOW,
        subject: Subject {
            event_id: Some(event),
            registration_id: registration,
            ..Subject::default()
        },
        actor: "system".to_owned(),
    }
}

/// Records that the receiver took a message and said something, so many seconds later.
async fn deliver(store: &Store, webhook: &Webhook, message: &WebhookMessage, seconds: i64) {
    let delivery = SuccessfulDelivery {
        webhook: webhook.id,
        number: webhook.number,
        message: message.id,
        url: webhook.url.clone().unwrap(),
        attempt: DeliveryAttempt {
            at: NOW.plus_seconds(seconds),
            took_ms: 1,
            status: Some(200),
            answer: Some("hello Ada".to_owned()),
            error: None,
        },
    };
    let mut tx = store.begin().await.unwrap();
    tx.record_deliveries(&[delivery]).await.unwrap();
    tx.commit().await.unwrap();
}

async fn answers(store: &Store, webhook: &Webhook, message: &WebhookMessage) -> Vec<bool> {
    let attempts = store.list_delivery_attempts(webhook.id, message.id, 10);
    let attempts = attempts.await.unwrap();
    attempts.iter().map(|one| one.answer.is_some()).collect()
}

async fn answers_about_a_registration_go_with_it_and_none_comes_afterwards(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let event = rows.event(account.id, 24);
    add_event(&store, &event).await;
    let statuses = [Status::Confirmed, Status::Confirmed];
    let guests = add_registrations(&store, &rows, event.id, &statuses).await;
    let webhook = webhook(account.id);
    let about = [Some(guests[0].id), Some(guests[1].id), None];
    let messages: Vec<WebhookMessage> = (1..)
        .zip(about)
        .map(|(seq, guest)| message(account.id, seq, event.id, guest))
        .collect();
    let mut tx = store.begin().await.unwrap();
    tx.lock_webhook_stream(account.id).await.unwrap();
    tx.insert_webhook(&webhook).await.unwrap();
    tx.insert_webhook_messages(&messages).await.unwrap();
    tx.commit().await.unwrap();
    for message in &messages {
        deliver(&store, &webhook, message, 1).await;
        assert_eq!(answers(&store, &webhook, message).await, [true]);
    }

    let mut tx = store.begin().await.unwrap();
    tx.delete_registration(guests[0].id).await.unwrap();
    tx.delete_webhook_answers_about(guests[0].id).await.unwrap();
    tx.commit().await.unwrap();
    for message in &messages {
        deliver(&store, &webhook, message, 2).await;
    }
    assert_eq!(
        answers(&store, &webhook, &messages[0]).await,
        [false, false]
    );
    for message in &messages[1..] {
        assert_eq!(answers(&store, &webhook, message).await, [true, true]);
    }
}

test_postgres::on_both_engines!(
    prepare: migrate;
    answers_about_a_registration_go_with_it_and_none_comes_afterwards,
);
