//! While core is away, old answers are served, marked as such, for a while.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use http_kit::CacheOptions;
use muster_api::Reason;
use serde_json::json;
use tests::{Line, Reply, Surface, TestApp};
use tokio::time::{Instant, sleep};

use super::{Edge, LOOK, TIMEOUT, slugs};

/// Longer than any test takes.
const MAX_STALE: Duration = Duration::from_mins(5);

/// An edge whose connection to core can be cut.
async fn with_a_line(app: &TestApp, max_stale: Duration) -> (Edge, Line) {
    let line = Line::to(app.grpc.address()).await;
    let options = CacheOptions {
        max_stale,
        ..CacheOptions::default()
    };
    (Edge::before(app, &line.url(), options).await, line)
}

/// Cuts the line and waits until the edge notices.
async fn lose_core(edge: &Edge, line: &Line) {
    line.cut();
    let is_old = |list: &Reply| list.status != 200 || list.header("age").is_some();
    edge.await_right("/events", "core is away", is_old).await;
}

async fn an_old_answer_says_its_age_until_core_is_back(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let (edge, line) = with_a_line(&app, MAX_STALE).await;
    let fresh = edge.hit("/events").await;
    assert_eq!(fresh.header("cache-control"), Some("public, max-age=1"));
    assert_eq!(
        (fresh.header("age"), fresh.header("cache-status")),
        (None, None)
    );

    lose_core(&edge, &line).await;
    let old = edge.get("/events").await;
    assert_eq!(slugs(&old), [&*event.slug]);
    let age: u64 = old.header("age").unwrap().parse().unwrap();
    assert!(Duration::from_secs(age) < TIMEOUT, "{old:?}");
    let status = old.header("cache-status").unwrap();
    assert_eq!(status, format!("muster; hit; ttl=-{age}"));
    assert!(edge.cache.counts().stale > 0);
    // What was never asked for is not known.
    let unknown = edge.get("/events?limit=7").await.refusal();
    assert_eq!(unknown.reason, Reason::Unavailable);

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
    let fresh = edge.hit("/events").await;
    assert_eq!((fresh.header("age"), slugs(&fresh).len()), (None, 0));
}

async fn an_edge_that_may_not_serves_nothing_old(app: Arc<TestApp>) {
    let (edge, line) = with_a_line(&app, Duration::ZERO).await;
    edge.hit("/events").await;
    lose_core(&edge, &line).await;
    let refused = edge.get("/events").await.refusal();
    assert_eq!(refused.reason, Reason::Unavailable);
}

async fn an_edge_that_has_just_carried_a_change_serves_what_was_there_before(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let key = app.account(Plan::Pro).await.key;
    let (edge, line) = with_a_line(&app, MAX_STALE).await;
    let detail = format!("/events/{}", event.slug);
    for path in ["/events", &*detail] {
        edge.hit(path).await;
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
    line.mend();
    let is_right = |list: &Reply| list.status == 200 && slugs(list).len() == 2;
    edge.await_right("/events", "core is back", is_right).await;
}

async fn a_change_right_after_an_outage_is_seen_at_once(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let (edge, line) = with_a_line(&app, MAX_STALE).await;
    let path = format!("/me/events/{}", event.id);
    for round in 0..3 {
        edge.hit("/events").await;
        lose_core(&edge, &line).await;
        line.mend();
        let change = json!({"title": format!("Title {round}")});
        let start = Instant::now();
        // The edge has just found that core is away, and asks again after each change.
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
    let (edge, line) = with_a_line(&app, MAX_STALE).await;
    let detail = format!("/events/{}", event.slug);
    for path in ["/events", &*detail] {
        edge.hit(path).await;
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
    let (edge, line) = with_a_line(&app, MAX_STALE).await;
    edge.hit("/events").await;
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
    an_old_answer_says_its_age_until_core_is_back,
    an_edge_that_may_not_serves_nothing_old,
    an_edge_that_has_just_carried_a_change_serves_what_was_there_before,
    a_change_right_after_an_outage_is_seen_at_once,
    what_an_edge_has_seen_gone_does_not_come_back,
);
