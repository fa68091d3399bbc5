//! What is kept: the same bytes, for a day, for nobody else, and nothing of a person in plain.

use std::{sync::Arc, time::Duration};

use core_service::service::LastOwner;
use domain::{idempotency::KeyedCall, plan::Plan};
use muster_api::{
    Reason,
    binding::Rpc as _,
    v1::{
        AddRegistrationRequest,
        bindings::{AddRegistration, CheckIn, CreateEvent},
    },
};
use prost::Message as _;
use serde_json::json;
use tests::{Account, Client, Reply, Surface, TestApp, new_event};

use super::{events_of, guest};

const ALMOST_A_DAY: Duration = Duration::from_secs(24 * 3_600 - 1);

/// Registers ada over HTTP, under a key.
async fn add_ada(app: &TestApp, key: &str, event: &str) -> Reply {
    let request = app.http.post(&format!("/me/events/{event}/registrations"));
    let request = request.bearer(key).header("idempotency-key", "add-ada");
    request.json(&guest("ada")).send().await
}

/// How many answers to the account are kept.
async fn kept(app: &TestApp, account: &Account) -> u64 {
    // Counted by what would go; nothing does without a commit.
    let mut tx = app.store.begin().await.unwrap();
    tx.delete_answers_of(account.id).await.unwrap()
}

fn owner_of(app: &Arc<TestApp>, key: &str) -> Client {
    app.over(Surface::Http).with_key(key)
}

async fn the_same_bytes_come_for_a_day(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = owner_of(&app, &account.key);
    let event = owner.publish_new(json!({})).await;
    let first = add_ada(&app, &account.key, &event.id).await;
    assert_eq!(first.status, 200, "{first:?}");
    app.advance(ALMOST_A_DAY);
    let again = add_ada(&app, &account.key, &event.id).await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    app.maintain().await;
    let again = add_ada(&app, &account.key, &event.id).await;
    assert_eq!(again.body, first.body);

    app.advance(Duration::from_secs(1));
    let refusal = add_ada(&app, &account.key, &event.id).await.refusal();
    assert_eq!(refusal.reason, Reason::AlreadyRegistered);
}

async fn a_refusal_comes_again_in_the_same_bytes(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let event = owner_of(&app, &account.key).publish_new(json!({})).await;
    owner_of(&app, &account.key)
        .ok::<AddRegistration>(json!({"id": event.id, "name": "ada", "email": "ada@example.org"}))
        .await;
    let first = add_ada(&app, &account.key, &event.id).await;
    assert_eq!(first.status, 409, "{first:?}");
    let again = add_ada(&app, &account.key, &event.id).await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    // The answer itself still has an id of its own, for the logs.
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
}

async fn maintenance_lets_go_of_what_is_a_day_old(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = owner_of(&app, &account.key);
    owner
        .under("k")
        .ok::<CreateEvent>(new_event(json!({})))
        .await;
    app.advance(ALMOST_A_DAY);
    app.maintain().await;
    assert_eq!(kept(&app, &account).await, 1);
    app.advance(Duration::from_secs(1));
    app.maintain().await;
    assert_eq!(kept(&app, &account).await, 0);
}

async fn a_revoked_key_is_not_answered(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = owner_of(&app, &account.key).under("k");
    owner.ok::<CreateEvent>(new_event(json!({}))).await;
    app.core
        .use_cases()
        .keys
        .revoke(account.key_id)
        .await
        .unwrap();
    let refusal = owner.refused::<CreateEvent>(new_event(json!({}))).await;
    assert_eq!(refusal.reason, Reason::Unauthorized);
}

async fn two_keys_are_refused(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let create = app.http.post("/events").bearer(&account.key);
    let create = create
        .header("idempotency-key", "a")
        .header("idempotency-key", "b");
    let refusal = create.json(&new_event(json!({}))).send().await.refusal();
    refusal.blames(&["Idempotency-Key"]);
    assert_eq!(events_of(&owner_of(&app, &account.key)).await, 0);
}

async fn a_private_link_is_not_to_be_found(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let event = owner_of(&app, &account.key).publish_new(json!({})).await;
    let added = add_ada(&app, &account.key, &event.id).await.json();
    let link = added["cancel_url"].as_str().unwrap();
    let token = link.rsplit('/').next().unwrap();
    let holds = |bytes: &[u8], text: &str| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };

    let request = AddRegistrationRequest {
        id: event.id,
        name: Some("ada".to_owned()),
        email: Some("ada@example.org".to_owned()),
        answers: Vec::new(),
        party_size: Some(1),
        ..AddRegistrationRequest::default()
    };
    let request = request.encode_to_vec();
    let call = KeyedCall::new(account.id, "add-ada", AddRegistration::GRPC_PATH, &request);
    let found = app.store.find_answer(&call, app.clock.now()).await;
    let sealed = found.unwrap().unwrap().sealed;
    assert!(holds(&call.opened(&sealed).unwrap(), token));
    assert!(!holds(&sealed, token));
    if let Some(path) = app.database.url().strip_prefix("sqlite://") {
        for file in ["", "-wal"] {
            let bytes = std::fs::read(format!("{path}{file}")).unwrap();
            for text in [token, "add-ada"] {
                assert!(!holds(&bytes, text), "{text} is in {path}{file}");
            }
        }
    }
}

async fn erasing_a_person_takes_the_answers_that_tell_of_them(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = owner_of(&app, &account.key);
    let event = owner.publish_new(json!({})).await;
    let added = add_ada(&app, &account.key, &event.id).await.json();
    let check_in = json!({"id": event.id, "registration_id": added["id"]});
    owner.under("door").ok::<CheckIn>(check_in.clone()).await;
    // Nothing happens a second time, but it is an answer of its own.
    owner
        .under("door-again")
        .ok::<CheckIn>(check_in.clone())
        .await;
    let create = || new_event(json!({}));
    owner.under("other").ok::<CreateEvent>(create()).await;
    assert_eq!(kept(&app, &account).await, 4);

    let people = &app.core.use_cases().people;
    people
        .erase("ada@example.org", &LastOwner::Refuse)
        .await
        .unwrap();
    assert_eq!(kept(&app, &account).await, 1);
    let refusal = owner.under("door").refused::<CheckIn>(check_in).await;
    assert_eq!(refusal.reason, Reason::NotFound);
    let heir = LastOwner::Named("heir@example.org".to_owned());
    people.erase(&account.email, &heir).await.unwrap();
    assert_eq!(kept(&app, &account).await, 0);
}

async fn another_replica_answers_the_same(app: Arc<TestApp>) {
    if !app.database.is_postgres() {
        return;
    }
    let other = TestApp::start(Arc::clone(&app.database)).await;
    let account = app.account(Plan::Business).await;
    let event = owner_of(&app, &account.key).publish_new(json!({})).await;
    let first = add_ada(&app, &account.key, &event.id).await;
    let again = add_ada(&other, &account.key, &event.id).await;
    assert_eq!((again.status, again.body), (first.status, first.body));
    let request = json!({"id": event.id, "name": "bob", "email": "bob@example.org"});
    let keyed = owner_of(&other, &account.key).under("add-ada");
    let refusal = keyed.refused::<AddRegistration>(request).await;
    assert_eq!(refusal.reason, Reason::IdempotencyKeyReused);
}

tests::on_both_engines!(
    the_same_bytes_come_for_a_day,
    a_refusal_comes_again_in_the_same_bytes,
    maintenance_lets_go_of_what_is_a_day_old,
    a_revoked_key_is_not_answered,
    two_keys_are_refused,
    a_private_link_is_not_to_be_found,
    erasing_a_person_takes_the_answers_that_tell_of_them,
    another_replica_answers_the_same,
);
