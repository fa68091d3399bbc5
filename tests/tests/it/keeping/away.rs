//! While core is away, old answers are served, marked as such, for a while.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use core_service::domain::plan::Plan;
use edge::{MemoryOptions, memory::Clock};
use muster_api::Reason;
use serde_json::json;
use tests::{Line, Reply, Surface, TestApp};
use tokio::time::{Instant, sleep};

use super::{Edge, LOOK, TIMEOUT, slugs};

/// An edge at the end of a line, and how many seconds its clock is ahead.
async fn at_the_end_of_a_line(app: &TestApp, stale_seconds: u64) -> (Edge, Line, Arc<AtomicU64>) {
    let line = Line::to(app.grpc.address()).await;
    let ahead = Arc::new(AtomicU64::new(0));
    let (start, seconds) = (Instant::now(), Arc::clone(&ahead));
    let clock =
        Clock::given(move || start.elapsed() + Duration::from_secs(seconds.load(Ordering::SeqCst)));
    let options = MemoryOptions {
        stale: Duration::from_secs(stale_seconds),
        clock,
        ..MemoryOptions::default()
    };
    (Edge::before(app, &line.url(), options).await, line, ahead)
}

/// Cuts the line and waits until the edge notices, so that no news still on their way count as heard later.
async fn lose_core(edge: &Edge, line: &Line) {
    line.cut();
    let is_old = |list: &Reply| list.status != 200 || list.header("age").is_some();
    edge.await_right("/events", "core is away", is_old).await;
}

async fn an_old_answer_says_its_age_and_is_served_no_longer_than_it_may_be(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let (edge, line, ahead) = at_the_end_of_a_line(&app, 300).await;
    let fresh = edge.keep("/events").await;
    assert_eq!(fresh.header("cache-control"), Some("public, max-age=1"));
    assert_eq!(
        (fresh.header("age"), fresh.header("cache-status")),
        (None, None)
    );

    lose_core(&edge, &line).await;
    ahead.fetch_add(100, Ordering::SeqCst);
    let old = edge.get("/events").await;
    assert_eq!(slugs(&old), [&*event.slug]);
    let age: u64 = old.header("age").unwrap().parse().unwrap();
    assert!((100..=140).contains(&age), "{old:?}");
    let status = old.header("cache-status").unwrap();
    assert_eq!(status, format!("muster; hit; ttl=-{age}"));
    assert!(edge.memory.counts().stale > 0);
    // What was never asked for is not known.
    let unknown = edge.get("/events?limit=7").await.refusal();
    assert_eq!(unknown.reason, Reason::Unavailable);

    ahead.fetch_add(201, Ordering::SeqCst);
    let too_old = edge.get("/events").await.refusal();
    assert_eq!(too_old.reason, Reason::Unavailable);

    // What has changed meanwhile is seen as soon as core is back.
    app.core
        .use_cases()
        .suspensions
        .hide(&event.slug, true, None)
        .await
        .unwrap();
    line.mend();
    let is_right = |list: &Reply| list.status == 200 && slugs(list).is_empty();
    edge.await_right("/events", "core is back", is_right).await;
    let fresh = edge.keep("/events").await;
    assert_eq!((fresh.header("age"), slugs(&fresh).len()), (None, 0));
}

async fn an_edge_that_may_not_serves_nothing_old(app: Arc<TestApp>) {
    let (edge, line, _) = at_the_end_of_a_line(&app, 0).await;
    edge.keep("/events").await;
    lose_core(&edge, &line).await;
    let refused = edge.get("/events").await.refusal();
    assert_eq!(refused.reason, Reason::Unavailable);
}

async fn an_edge_that_has_just_carried_a_change_serves_what_was_there_before(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let key = app.account(Plan::Pro).await.key;
    let (edge, line, ahead) = at_the_end_of_a_line(&app, 300).await;
    let detail = format!("/events/{}", event.slug);
    for path in ["/events", &*detail] {
        edge.keep(path).await;
    }
    let create = edge.http.post("/events").bearer(&key);
    let new = tests::new_event(json!({"is_public": true}));
    create.json(&new).send().await.ok();
    line.cut();
    let is_old = |list: &Reply| list.status == 200 && list.header("age").is_some();
    edge.await_right("/events", "core is away", is_old).await;
    for path in ["/events", &*detail] {
        let old = edge.get(path).await;
        let age = old.header("age").unwrap();
        let status = format!("muster; hit; ttl=-{age}");
        assert_eq!(old.header("cache-status"), Some(&*status), "{path}");
    }
    assert_eq!(slugs(&edge.get("/events").await), [&*event.slug]);
    ahead.fetch_add(301, Ordering::SeqCst);
    let too_old = edge.get("/events").await.refusal();
    assert_eq!(too_old.reason, Reason::Unavailable);
    line.mend();
    let is_right = |list: &Reply| list.status == 200 && slugs(list).len() == 2;
    edge.await_right("/events", "core is back", is_right).await;
}

async fn whoever_changes_something_as_soon_as_core_is_back_sees_it_at_once(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let (edge, line, _) = at_the_end_of_a_line(&app, 300).await;
    let path = format!("/me/events/{}", event.id);
    for round in 0..3 {
        edge.keep("/events").await;
        lose_core(&edge, &line).await;
        line.mend();
        let change = json!({"title": format!("Title {round}")});
        let start = Instant::now();
        // The edge has just found that core is away, and looks again with each change.
        while edge
            .http
            .patch(&path)
            .bearer(&account.key)
            .json(&change)
            .send()
            .await
            .status
            != 200
        {
            assert!(start.elapsed() < TIMEOUT);
            sleep(LOOK).await;
        }
        let list = edge.get("/events").await;
        assert_eq!(list.header("age"), None, "{list:?}");
        assert_eq!(list.ok()["items"][0]["title"], change["title"]);
    }
}

async fn what_an_edge_has_seen_gone_does_not_come_back(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let (edge, line, _) = at_the_end_of_a_line(&app, 300).await;
    let detail = format!("/events/{}", event.slug);
    for path in ["/events", &*detail] {
        edge.keep(path).await;
    }
    let suspensions = &app.core.use_cases().suspensions;
    suspensions.hide(&event.slug, true, None).await.unwrap();
    edge.await_right("/events", "taken down", |list| slugs(list).is_empty())
        .await;
    edge.await_right(&detail, "taken down", |reply| reply.status == 404)
        .await;
    lose_core(&edge, &line).await;
    assert!(slugs(&edge.get("/events").await).is_empty());
    let gone = edge.get(&detail).await.refusal();
    assert_eq!(gone.reason, Reason::Unavailable);
}

async fn changes_that_fail_leave_the_old_answers(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let key = app.account(Plan::Pro).await.key;
    let (edge, line, _) = at_the_end_of_a_line(&app, 300).await;
    edge.keep("/events").await;
    lose_core(&edge, &line).await;
    for _ in 0..2 {
        let new = json!({"title": "Lost", "description": "Talks.", "location": "Hall", "start_date": "2030-05-01T18:00:00Z"});
        let lost = edge.http.post("/events").bearer(&key).json(&new);
        assert_eq!(lost.send().await.refusal().reason, Reason::Unavailable);
        let old = edge.get("/events").await;
        assert_eq!(slugs(&old), [&*event.slug]);
        assert!(old.header("age").is_some(), "{old:?}");
    }
}

tests::on_both_engines!(
    changes_that_fail_leave_the_old_answers,
    an_old_answer_says_its_age_and_is_served_no_longer_than_it_may_be,
    an_edge_that_may_not_serves_nothing_old,
    an_edge_that_has_just_carried_a_change_serves_what_was_there_before,
    whoever_changes_something_as_soon_as_core_is_back_sees_it_at_once,
    what_an_edge_has_seen_gone_does_not_come_back,
);
