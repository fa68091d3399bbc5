//! A cached answer is, in every form, what core's own would be.

use std::sync::Arc;

use bytes::Bytes;
use domain::plan::Plan;
use futures_util::future::join_all;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Empty};
use http_kit::CacheOptions;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde_json::json;
use tests::{Reply, Surface, TestApp};

use super::Edge;

/// Headers without those that differ from answer to answer.
fn headers(reply: &Reply) -> Vec<(String, String)> {
    let headers = reply.headers.iter();
    let own = headers.filter(|(name, _)| !matches!(name.as_str(), "date" | "x-request-id"));
    let mut own: Vec<_> = own
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    own.sort();
    own
}

async fn beside(app: &TestApp) -> Edge {
    let core = format!("http://{}", app.grpc.address());
    Edge::before(app, &core, CacheOptions::default()).await
}

async fn it_has_the_same_headers_and_bytes_as_one_that_is_not_cached(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"description": "Long. ".repeat(500)}))
        .await;
    owner.publish_new(json!({})).await;
    let edge = beside(&app).await;
    for path in [
        "/events".to_owned(),
        "/events?limit=1".to_owned(),
        format!("/events/{}", event.slug),
        "/guides".to_owned(),
        "/use-cases".to_owned(),
    ] {
        let plain = app.http.get(&path).send().await;
        let cached = edge.hit(&path).await;
        assert_eq!(cached.body, plain.body, "{path}");
        assert_eq!(headers(&cached), headers(&plain), "{path}");
        assert_eq!(cached.header("cache-control"), Some("public, max-age=1"));

        let tag = cached.header("etag").unwrap();
        let again = edge
            .http
            .get(&path)
            .header("if-none-match", tag)
            .send()
            .await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
        assert!(again.body.is_empty() && again.header("content-type").is_none());
        assert_eq!(again.header("etag"), Some(tag));

        let head =
            |http: &tests::Http| http.request(Method::HEAD, &format!("/api/v1{path}")).send();
        let (cached, plain) = (head(&edge.http).await, head(&app.http).await);
        assert_eq!(headers(&cached), headers(&plain), "{path}");
        assert!(cached.body.is_empty());
    }
}

/// The list as it comes from the cache, in this encoding.
async fn packed(edge: &Edge, encoding: &str) -> Response<Bytes> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let url = format!("http://{}/api/v1/events", edge.http.address());
    let ask = async || {
        let request = Request::get(&url).header("accept-encoding", encoding);
        let request = request.body(Empty::<Bytes>::new()).unwrap();
        let (parts, body) = client.request(request).await.unwrap().into_parts();
        Response::from_parts(parts, body.collect().await.unwrap().to_bytes())
    };
    edge.await_hit(ask).await
}

async fn it_is_compressed_as_the_client_wants(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    owner
        .publish_new(json!({"description": "Long. ".repeat(500)}))
        .await;
    let edge = beside(&app).await;
    let plain = edge.hit("/events").await;
    for encoding in ["gzip", "br", "zstd"] {
        let (first, second) = (packed(&edge, encoding).await, packed(&edge, encoding).await);
        let header = |name: &str| second.headers().get(name).unwrap();
        assert_eq!(header("content-encoding"), encoding);
        assert_eq!(header("vary"), "accept-encoding");
        assert_eq!(header("etag"), plain.header("etag").unwrap());
        assert!(second.body().len() < plain.body.len() / 2);
        assert_eq!(first.body(), second.body(), "{encoding} is encoded once");
    }
    let tiny = edge.hit("/guides").await;
    assert_eq!(tiny.header("content-encoding"), None);
}

async fn those_who_ask_at_the_same_time_ask_core_once(app: Arc<TestApp>) {
    let edge = beside(&app).await;
    edge.hit("/guides").await;
    // On a busy machine an answer may be late, so that it is asked for again.
    for limit in 5..25 {
        let before = edge.cache.counts().misses;
        let path = format!("/events?limit={limit}");
        let asks = (0..20).map(|_| edge.get(&path));
        for reply in join_all(asks).await {
            assert_eq!(reply.ok()["limit"], limit);
        }
        if edge.cache.counts().misses - before == 1 {
            return;
        }
    }
    panic!("core is asked by each");
}

async fn what_is_personal_is_never_cached(app: Arc<TestApp>) {
    let edge = beside(&app).await;
    let (ada, bob) = (app.account(Plan::Pro).await, app.account(Plan::Pro).await);
    let create = edge.http.post("/events").bearer(&ada.key);
    let event = tests::new_event(json!({}));
    create.json(&event).send().await.ok();
    edge.hit("/events").await;
    let before = edge.cache.counts();
    for (account, count) in [(&ada, 1), (&bob, 0), (&ada, 1)] {
        let own = edge
            .http
            .get("/me/events")
            .bearer(&account.key)
            .send()
            .await;
        assert_eq!(own.ok()["count"], count);
        assert_eq!(own.header("cache-control"), Some("no-store"));
    }
    assert_eq!(edge.get("/me/events").await.status, 401);
    assert_eq!(edge.cache.counts(), before);
}

tests::on_both_engines!(
    it_has_the_same_headers_and_bytes_as_one_that_is_not_cached,
    it_is_compressed_as_the_client_wants,
    those_who_ask_at_the_same_time_ask_core_once,
    what_is_personal_is_never_cached,
);
