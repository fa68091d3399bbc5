//! Cores whose secret key changes.

use muster_api::v1::{
    CreateWebhookRequest, RotateWebhookSecretRequest, Webhook,
    webhook_service_client::WebhookServiceClient,
};
use test_postgres::Database;
use tonic::transport::Channel;

use super::{
    EventServiceClient, Running, TIMEOUT, key, public_event, receiver::Receiver, with_key,
};
use crate::fixtures::migrate;

fn start(database: &Database, secret_keys: &str) -> Running {
    let arguments = [
        "--webhook-networks",
        "127.0.0.0/8",
        "--secret-key",
        secret_keys,
    ];
    Running::start_in(tempfile::tempdir().unwrap(), database.url(), &arguments)
}

/// One is enough, whatever it is.
async fn change_something(channel: Channel, key: &str) {
    let mut events = EventServiceClient::new(channel);
    let event = public_event("Rust Night".to_owned());
    events.create_event(with_key(key, event)).await.unwrap();
}

async fn subscribe(channel: Channel, key: &str, receiver: &Receiver) -> Webhook {
    let webhook = CreateWebhookRequest {
        url: Some(receiver.url.clone()),
        types: vec!["event.created".to_owned()],
        ..CreateWebhookRequest::default()
    };
    let mut webhooks = WebhookServiceClient::new(channel);
    let created = webhooks.create_webhook(with_key(key, webhook)).await;
    created.unwrap().into_inner()
}

async fn a_message_is_signed_with_the_new_secret_when_the_key_of_the_former_one_is_lost(
    database: Database,
) {
    let key = key(database.url()).await;
    let receiver = Receiver::start("204 No Content");
    let first = start(&database, &"07".repeat(32));
    let webhook = subscribe(first.channel().await, &key, &receiver).await;
    drop(first);

    let second = start(&database, &"08".repeat(32));
    let channel = second.channel().await;
    let asked = RotateWebhookSecretRequest {
        webhook_id: webhook.id,
    };
    let mut webhooks = WebhookServiceClient::new(channel.clone());
    let rotated = webhooks.rotate_webhook_secret(with_key(&key, asked)).await;
    let rotated = rotated.unwrap().into_inner();
    assert!(rotated.former_secret_until.is_some(), "both should sign");
    change_something(channel, &key).await;
    let signature = receiver.signatures.recv_timeout(TIMEOUT).unwrap();
    assert_eq!(signature.split(' ').count(), 1, "{signature}");
}

async fn messages_wait_while_the_key_is_missing_and_leave_once_it_is_there(database: Database) {
    let key = key(database.url()).await;
    let receiver = Receiver::start("204 No Content");
    let (old, new) = ("07".repeat(32), "08".repeat(32));
    let first = start(&database, &old);
    subscribe(first.channel().await, &key, &receiver).await;
    drop(first);

    let mut without = start(&database, &new);
    without.await_log("that is not in MUSTER_SECRET_KEY");
    change_something(without.channel().await, &key).await;
    without.await_log("`muster doctor` says which key is missing");
    assert!(receiver.signatures.try_recv().is_err());
    // Killed, it would leave the lease of the job behind.
    without.terminate();
    without.ended();

    let both = start(&database, &format!("{new},{old}"));
    both.channel().await;
    receiver.signatures.recv_timeout(TIMEOUT).unwrap();
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_message_is_signed_with_the_new_secret_when_the_key_of_the_former_one_is_lost,
    messages_wait_while_the_key_is_missing_and_leave_once_it_is_there,
);
