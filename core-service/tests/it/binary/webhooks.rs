//! `kill -9` while events change and their messages are posted: no message of an acknowledged change is lost, and what comes twice has
//! the same id.

mod under_load;

use std::collections::{HashMap, HashSet};

use clap::Parser as _;
use core_service::{Core, Options, email::Mailer, service::WebhookPolicy, settings::WebhookArgs};
use domain::clock::Clock;
use muster_api::v1::{CreateWebhookRequest, webhook_service_client::WebhookServiceClient};
use storage::{Purpose, Store};
use test_postgres::Database;
use test_receiver::{Received, Receiver};

use super::{POLL, Running, SECRET_KEY, TIMEOUT, crash::live_and_die, key, with_key};
use crate::fixtures::migrate;

/// How often cores are killed.
const LIVES: usize = 3;

/// When every lease of a killed core has ended.
const LEASES_END_SECONDS: i64 = 300;

const SETTINGS: [&str; 2] = ["--webhook-networks", "127.0.0.0/8"];

#[derive(clap::Parser)]
struct Program {
    #[command(flatten)]
    webhooks: WebhookArgs,
}

/// What the settings above mean.
fn policy() -> WebhookPolicy {
    let key = ["muster", "--secret-key", SECRET_KEY];
    let program = Program::parse_from(key.into_iter().chain(SETTINGS));
    let folder = tempfile::tempdir().unwrap();
    program.webhooks.policy(folder.path()).unwrap()
}

async fn subscribe(running: &Running, key: &str, receiver: &Receiver) {
    let mut webhooks = WebhookServiceClient::new(running.channel().await);
    let request = CreateWebhookRequest {
        url: Some(receiver.url()),
        ..CreateWebhookRequest::default()
    };
    webhooks
        .create_webhook(with_key(key, request))
        .await
        .unwrap();
}

/// Posts what the killed cores left, by a clock at which their leases have ended.
async fn post_the_rest(database: &Database) {
    let options = storage::Options::new(database.url(), Purpose::Serve);
    let store = Store::open(&options).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sender = "Muster <events@muster.example>".parse().unwrap();
    let mailer = Mailer::files(folder.path().to_owned(), sender);
    let later = Clock::system().now().plus_seconds(LEASES_END_SECONDS);
    let mut options = Options {
        clock: Clock::manual(later),
        ..Options::default()
    };
    options.policy.webhooks = policy();
    let core = Core::compose(store, mailer, options).await;
    core.unwrap().runner().drain().await.unwrap();
}

/// What the messages of a type that a receiver got are about, by this field. Whatever came twice has the same id and content.
fn subjects(received: Vec<Received>, kind: &str, field: &str) -> HashSet<String> {
    let mut bodies = HashMap::new();
    for one in received {
        let body = bodies.entry(one.id()).or_insert_with(|| one.body.clone());
        assert_eq!(*body, one.body);
    }
    let mut subjects = HashSet::new();
    for body in bodies.values() {
        let message: serde_json::Value = serde_json::from_slice(body).unwrap();
        if message["type"] == kind {
            let id = message["data"][field].as_str().unwrap().to_owned();
            assert!(
                subjects.insert(id),
                "two messages have different ids: {message}"
            );
        }
    }
    subjects
}

async fn no_message_of_an_acknowledged_change_is_lost_by_kill_9(database: Database) {
    let key = key(database.url()).await;
    let receiver = Receiver::start().await;
    let running = Running::start_with(database.url(), &SETTINGS).await;
    subscribe(&running, &key, &receiver).await;
    running.kill();

    let mut acknowledged = HashMap::new();
    for life in 0..LIVES {
        let running = Running::start_with(database.url(), &SETTINGS).await;
        // Another core posts as well where two may share a database, and dies, too.
        let beside = if database.is_postgres() {
            Some(Running::start_with(database.url(), &SETTINGS).await)
        } else {
            None
        };
        acknowledged.extend(live_and_die(running, &key, life).await);
        drop(beside.map(Running::kill));
    }
    post_the_rest(&database).await;
    let created = subjects(receiver.taken(), "event.created", "event_id");
    let lost: Vec<_> = acknowledged
        .keys()
        .filter(|id| !created.contains(*id))
        .collect();
    assert!(lost.is_empty(), "{lost:?} of {}", acknowledged.len());
}

/// A receiver takes a message, and the core dies before it reads the answer.
async fn what_a_receiver_took_from_a_core_that_died_comes_again_with_the_same_id(
    database: Database,
) {
    let key = key(database.url()).await;
    let receiver = Receiver::start().await;
    receiver.hang();
    let running = Running::start_with(database.url(), &SETTINGS).await;
    subscribe(&running, &key, &receiver).await;
    let mut events = super::EventServiceClient::new(running.channel().await);
    let request = with_key(&key, super::public_event("Twice".to_owned()));
    events.create_event(request).await.unwrap();
    let came = tokio::time::timeout(TIMEOUT, async {
        while receiver.count() == 0 {
            tokio::time::sleep(POLL).await;
        }
    });
    came.await.unwrap();
    running.kill();
    let first = receiver.taken();
    receiver.recover();
    post_the_rest(&database).await;
    let second = receiver.taken();
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_eq!(first[0].id(), second[0].id());
    assert_eq!(first[0].body, second[0].body);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    no_message_of_an_acknowledged_change_is_lost_by_kill_9,
    what_a_receiver_took_from_a_core_that_died_comes_again_with_the_same_id,
);
