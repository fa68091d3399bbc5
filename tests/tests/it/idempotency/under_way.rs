//! Calls with the same key at once: one is done, the others get its answer or are told that it is under way.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::plan::Plan;
use muster_api::{
    Reason,
    binding::Binding,
    v1::bindings::{AddRegistration, CreateEvent, ListRegistrations},
};
use serde_json::{Value, json};
use tests::{Client, Database, Refusal, Surface, TestApp, new_event};
use tokio::task::JoinSet;

use super::{events_of, guest};

/// How long a call waits for an earlier one.
const WAIT: Duration = Duration::from_secs(1);

/// A second core where the database takes one, else the same again.
async fn beside(app: &Arc<TestApp>) -> Arc<TestApp> {
    if app.database.is_postgres() {
        TestApp::start(Arc::<Database>::clone(&app.database)).await
    } else {
        Arc::clone(app)
    }
}

/// Creates an event on each of two cores while nothing can be written for the account.
async fn both_while_the_account_is_held(cores: [&Arc<TestApp>; 2]) {
    let account = cores[0].account(Plan::Business).await;
    let mut held = cores[0].store.begin().await.unwrap();
    held.lock_account(account.id).await.unwrap().unwrap();
    let mut calls = JoinSet::new();
    let began = Instant::now();
    for core in cores {
        let keyed = core.over(Surface::Http).as_owner(&account).under("k");
        calls.spawn(async move { keyed.call::<CreateEvent>(new_event(json!({}))).await });
    }
    let refused = calls.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!(refused.reason, Reason::IdempotencyKeyInUse, "{refused:?}");
    let waited = began.elapsed();
    assert!(waited >= WAIT, "{waited:?}");
    // Far below the 5 s after which a database itself gives a lock up.
    assert!(waited < 4 * WAIT, "{waited:?}");
    drop(held);
    let created = calls.join_next().await.unwrap().unwrap().unwrap();
    for core in cores {
        let owner = core.over(Surface::Http).as_owner(&account);
        let again = owner
            .under("k")
            .ok::<CreateEvent>(new_event(json!({})))
            .await;
        assert_eq!(again, created);
        assert_eq!(events_of(&owner).await, 1);
    }
}

async fn who_comes_second_is_told_so_after_a_second(app: Arc<TestApp>) {
    both_while_the_account_is_held([&app, &app]).await;
}

async fn who_comes_second_through_another_replica_is_told_so(app: Arc<TestApp>) {
    if app.database.is_postgres() {
        both_while_the_account_is_held([&app, &beside(&app).await]).await;
    }
}

/// Calls again while it is told to.
async fn answered<B: Binding>(client: Client, request: Value) -> Result<Value, Refusal> {
    loop {
        match client.call::<B>(request.clone()).await {
            Err(refusal)
                if [Reason::IdempotencyKeyInUse, Reason::Unavailable].contains(&refusal.reason) => {
            }
            answer => return answer,
        }
    }
}

/// The one answer to a call that is made twenty times at once, on two cores.
async fn twenty_at_once<B: Binding>(app: &Arc<TestApp>, key: &str, request: &Value) -> Value {
    let other = beside(app).await;
    let mut calls = JoinSet::new();
    for number in 0..20 {
        let core = if number % 2 == 0 { app } else { &other };
        let keyed = core.over(Surface::Grpc).with_key(key).under("k");
        calls.spawn(answered::<B>(keyed, request.clone()));
    }
    let answers = calls.join_all().await;
    let first = answers[0].clone().unwrap();
    for answer in answers {
        assert_eq!(answer.unwrap(), first);
    }
    first
}

async fn twenty_creates_at_once_make_one_event(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    twenty_at_once::<CreateEvent>(&app, &account.key, &new_event(json!({}))).await;
    let owner = app.over(Surface::Grpc).as_owner(&account);
    assert_eq!(events_of(&owner).await, 1);
}

async fn twenty_registrations_at_once_make_one(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Grpc).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let mut request = guest("ada");
    request["id"] = json!(event.id);
    twenty_at_once::<AddRegistration>(&app, &account.key, &request).await;
    let found = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(found["count"], 1);
}

tests::on_both_engines!(
    who_comes_second_is_told_so_after_a_second,
    who_comes_second_through_another_replica_is_told_so,
    twenty_creates_at_once_make_one_event,
    twenty_registrations_at_once_make_one,
);
