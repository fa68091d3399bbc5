//! What strangers cannot do to the cache.

use std::sync::Arc;

use domain::plan::Plan;
use http::StatusCode;
use http_kit::CacheOptions;
use serde_json::json;
use tests::{TestApp, new_event};
use tokio::time::Instant;

use super::{Edge, TIMEOUT};

async fn edge(app: &TestApp) -> Edge {
    let core = format!("http://{}", app.grpc.address());
    Edge::before(app, &core, CacheOptions::default()).await
}

/// Does something between two requests for the list until the second one is answered from the cache. On a busy machine an entry
/// may be too old by then.
async fn await_hit_after(edge: &Edge, act: impl AsyncFn()) {
    let start = Instant::now();
    loop {
        edge.hit("/events").await;
        act().await;
        let before = edge.cache.counts();
        edge.get("/events").await;
        if edge.cache.counts().hits > before.hits {
            return;
        }
        assert!(start.elapsed() < TIMEOUT, "never from the cache");
    }
}

async fn a_made_up_key_does_not_empty_the_cache(app: Arc<TestApp>) {
    let edge = edge(&app).await;
    let create = async || {
        let event = new_event(json!({"is_public": true}));
        let key = "mus_live_00000000000000000000000000000000";
        let create = edge.http.post("/events").bearer(key).json(&event);
        let refused = create.send().await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    };
    await_hit_after(&edge, create).await;
}

async fn an_invalid_change_does_not_empty_the_cache(app: Arc<TestApp>) {
    let edge = edge(&app).await;
    let account = app.account(Plan::Pro).await;
    let create = async || {
        let event = new_event(json!({"title": ""}));
        let create = edge.http.post("/events").bearer(&account.key).json(&event);
        assert!(create.send().await.status.is_client_error());
    };
    await_hit_after(&edge, create).await;
}

async fn a_tiny_time_limit_makes_nobody_else_see_old_answers(app: Arc<TestApp>) {
    let edge = edge(&app).await;
    let first = edge.cache.counts().misses;
    let start = Instant::now();
    // Until the list was asked for again several times.
    while edge.cache.counts().misses < first + 3 {
        let hasty = edge.http.get("/events").header("grpc-timeout", "1n");
        assert!(hasty.send().await.status.is_server_error());
        let reply = edge.get("/events").await;
        assert_eq!((reply.status.as_u16(), reply.header("age")), (200, None));
        assert!(start.elapsed() < TIMEOUT);
    }
}

async fn a_credential_reads_what_others_filled(app: Arc<TestApp>) {
    let edge = edge(&app).await;
    let account = app.account(Plan::Pro).await;
    let signed = async || edge.http.get("/events").bearer(&account.key).send().await;
    signed().await;
    assert_eq!(edge.cache.counts().misses, 0, "it stores nothing");
    let start = Instant::now();
    loop {
        edge.get("/events").await;
        let before = edge.cache.counts();
        assert_eq!(signed().await.status, StatusCode::OK);
        if edge.cache.counts().hits > before.hits {
            return;
        }
        assert!(start.elapsed() < TIMEOUT);
    }
}

tests::on_both_engines!(
    a_made_up_key_does_not_empty_the_cache,
    an_invalid_change_does_not_empty_the_cache,
    a_tiny_time_limit_makes_nobody_else_see_old_answers,
    a_credential_reads_what_others_filled,
);
