//! Many at once, half of them through HTTP and half through gRPC; on PostgreSQL, where there may be several, through two cores.

use std::{collections::HashSet, sync::Arc};

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    binding::Binding,
    v1::bindings::{CancelEvent, CreateEvent, GetAccount, ListEvents, ListMyEvents},
};
use serde_json::{Value, json};
use storage::{Error, Tx};
use tests::{Account, Refusal, Surface, TestApp};
use tokio::{sync::Barrier, task::JoinSet};

/// The free plan's.
const QUOTA: i64 = 3;

/// All cores that may share the database.
async fn cores(app: Arc<TestApp>) -> Vec<Arc<TestApp>> {
    if app.database.is_postgres() {
        let second = TestApp::start(Arc::clone(&app.database)).await;
        vec![app, second]
    } else {
        vec![app]
    }
}

/// Makes the same call that many times at once, spread over cores and surfaces. Who is told that the database is busy tries
/// again, as clients do: what counts is how it ends.
async fn at_once<B: Binding>(
    cores: &[Arc<TestApp>],
    account: &Account,
    request: &Value,
    times: usize,
) -> Vec<Result<Value, Refusal>> {
    let ready = Arc::new(Barrier::new(times));
    let mut calls = JoinSet::new();
    for number in 0..times {
        let surface = [Surface::Http, Surface::Grpc][number % 2];
        let client = cores[number / 2 % cores.len()]
            .over(surface)
            .as_owner(account);
        let (ready, request) = (Arc::clone(&ready), request.clone());
        calls.spawn(async move {
            ready.wait().await;
            loop {
                match client.call::<B>(request.clone()).await {
                    Err(refusal) if refusal.reason == Reason::Unavailable => {}
                    answer => return answer,
                }
            }
        });
    }
    calls.join_all().await
}

fn event() -> Value {
    json!({
        "title": "Rust Meetup", "description": "Talks.", "location": "Hall", "start_date": "2027-05-01T18:00:00Z",
        "is_public": true,
    })
}

async fn sixty_four_creates_at_once_leave_exactly_the_quota(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let cores = cores(app).await;
    let answers = at_once::<CreateEvent>(&cores, &account, &event(), 64).await;
    let refusals = answers.iter().filter_map(|answer| answer.as_ref().err());
    let refused = refusals.map(|refusal| assert_eq!(refusal.reason, Reason::QuotaExceeded));
    assert_eq!(refused.count(), 61);

    for core in cores {
        let owner = core.over(Surface::Grpc).as_owner(&account);
        assert_eq!(owner.ok::<ListMyEvents>(json!({})).await["count"], QUOTA);
        assert_eq!(owner.ok::<ListEvents>(json!({})).await["count"], QUOTA);
        assert_eq!(
            owner.ok::<GetAccount>(json!({})).await["active_events_left"],
            0
        );
    }
}

/// The control: whoever counts without the account's lock does not see a create that is under way beside it. SQLite cannot
/// show it, since there a transaction is the only one.
async fn without_the_account_lock_the_quota_is_oversold(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Grpc).as_owner(&account);
    for _ in 1..QUOTA {
        owner.ok::<CreateEvent>(event()).await;
    }
    let id = owner.ok::<CreateEvent>(event()).await["id"].clone();
    owner.ok::<CancelEvent>(json!({ "id": id })).await;

    let mut unlocked: Tx = app.store.begin().await.unwrap();
    let now = app.clock.now();
    let counted = unlocked
        .count_active_events(account.id, now, i64::MAX)
        .await
        .unwrap();
    assert_eq!(counted, QUOTA - 1);
    owner.ok::<CreateEvent>(event()).await;
    // What was counted no longer holds, and nothing says so.
    let template = app.store.find_event_by_slug("rust-meetup").await.unwrap();
    let late = domain::event::Event {
        id: domain::ids::EventId::new(uuid::Uuid::from_u128(7)),
        slug: "late".to_owned(),
        ..template.unwrap()
    };
    assert!(unlocked.insert_event(&late, true).await.unwrap());
    unlocked.commit().await.unwrap();
    assert_eq!(
        owner.ok::<ListMyEvents>(json!({})).await["count"],
        QUOTA + 1
    );
}

async fn cancelling_at_once_schedules_mail_once(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Grpc).as_owner(&account);
    let id = owner.ok::<CreateEvent>(event()).await["id"].clone();
    let people = [
        Status::Confirmed,
        Status::Pending,
        Status::Cancelled,
        Status::Waitlisted,
    ];
    app.register(id.as_str().unwrap(), &people).await;

    let cores = cores(Arc::clone(&app)).await;
    let request = json!({ "id": id, "reason": "rain" });
    let answers = at_once::<CancelEvent>(&cores, &account, &request, 8).await;
    let mut notified = Vec::new();
    for answer in answers {
        let answer = answer.unwrap();
        assert_eq!(answer["reason"], "rain");
        notified.push(answer["registrants_notified"].as_i64().unwrap());
    }
    notified.sort_unstable();
    assert_eq!(notified, [0, 0, 0, 0, 0, 0, 0, 3]);
    assert_eq!(app.cancellation_mails().await.len(), 3);
    // The control: whoever did not look whether the event is cancelled already would be refused by the jobs' keys.
    let event = domain::ids::EventId::new(id.as_str().unwrap().parse().unwrap());
    let mut tx: Tx = app.store.begin().await.unwrap();
    let again = tx
        .schedule_cancellation_mails(event, None, app.clock.now(), None)
        .await;
    assert!(matches!(again, Err(Error::Duplicate { .. })), "{again:?}");
    drop(tx);
    let cancellations = app.audit(id.as_str().unwrap()).await.into_iter();
    assert_eq!(
        cancellations
            .filter(|entry| entry.action == "event.cancel")
            .count(),
        1
    );
}

async fn ten_thousand_registrants_are_told_by_one_cancellation(app: Arc<TestApp>) {
    const EVERYBODY: usize = 10_000;
    let owner = app.over(Surface::Http).owner(Plan::Free).await;
    let id = owner.ok::<CreateEvent>(event()).await["id"].clone();
    let people = app
        .register(id.as_str().unwrap(), &[Status::Confirmed; EVERYBODY])
        .await;

    let answer = owner.ok::<CancelEvent>(json!({ "id": id })).await;
    assert_eq!(answer["registrants_notified"], EVERYBODY);
    let mails = app.cancellation_mails().await;
    let told: HashSet<_> = mails.iter().map(|mail| mail.key.subject_id).collect();
    let registered: HashSet<_> = people.iter().map(|person| person.id.uuid()).collect();
    assert_eq!((told, mails.len()), (registered, EVERYBODY));
}

async fn events_of_one_title_created_at_once_have_different_slugs(app: Arc<TestApp>) {
    const EVENTS: usize = 32;
    let account = app.account(Plan::Business).await;
    let cores = cores(app).await;
    let answers = at_once::<CreateEvent>(&cores, &account, &event(), EVENTS).await;
    let slug =
        |answer: Result<Value, Refusal>| answer.unwrap()["slug"].as_str().unwrap().to_owned();
    let slugs: HashSet<String> = answers.into_iter().map(slug).collect();
    assert_eq!(slugs.len(), EVENTS);
    assert!(slugs.contains("rust-meetup"));
    assert!(
        slugs.iter().all(|slug| slug.starts_with("rust-meetup")),
        "{slugs:?}"
    );
}

tests::on_both_engines!(
    sixty_four_creates_at_once_leave_exactly_the_quota,
    cancelling_at_once_schedules_mail_once,
    ten_thousand_registrants_are_told_by_one_cancellation,
    events_of_one_title_created_at_once_have_different_slugs;
    on_postgres: without_the_account_lock_the_quota_is_oversold,
);
