//! A kept answer is, in every form, what core's own would be.

use std::sync::Arc;

use bytes::Bytes;
use core_service::domain::plan::Plan;
use edge::MemoryOptions;
use futures_util::future::join_all;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Empty};
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
    Edge::before(app, &core, MemoryOptions::default()).await
}

async fn it_has_the_same_headers_and_bytes_as_one_that_is_not_kept(app: Arc<TestApp>) {
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
        let kept = edge.keep(&path).await;
        assert_eq!(kept.body, plain.body, "{path}");
        assert_eq!(headers(&kept), headers(&plain), "{path}");
        assert_eq!(kept.header("cache-control"), Some("public, max-age=1"));

        let tag = kept.header("etag").unwrap();
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
        let (kept, plain) = (head(&edge.http).await, head(&app.http).await);
        assert_eq!(headers(&kept), headers(&plain), "{path}");
        assert!(kept.body.is_empty());
    }
}

/// The list as it comes from memory, in this coding.
async fn packed(edge: &Edge, coding: &str) -> Response<Bytes> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let url = format!("http://{}/api/v1/events", edge.http.address());
    let ask = async || {
        let request = Request::get(&url).header("accept-encoding", coding);
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
    let plain = edge.keep("/events").await;
    for coding in ["gzip", "br", "zstd"] {
        let (first, second) = (packed(&edge, coding).await, packed(&edge, coding).await);
        let header = |name: &str| second.headers().get(name).unwrap();
        assert_eq!(header("content-encoding"), coding);
        assert_eq!(header("vary"), "accept-encoding");
        assert_eq!(header("etag"), plain.header("etag").unwrap());
        assert!(second.body().len() < plain.body.len() / 2);
        assert_eq!(first.body(), second.body(), "{coding} is encoded once");
    }
    let tiny = edge.keep("/guides").await;
    assert_eq!(tiny.header("content-encoding"), None);
}

async fn those_who_ask_at_the_same_time_ask_core_once(app: Arc<TestApp>) {
    let edge = beside(&app).await;
    edge.keep("/guides").await;
    // On a busy machine an answer may be late, so that it is asked for again.
    for limit in 5..25 {
        let before = edge.memory.counts().misses;
        let paths = [
            format!("/events?limit={limit}&offset=0"),
            format!("/events?offset=0&limit={limit}"),
        ];
        let asks = (0..20).map(|number| edge.get(&paths[number % 2]));
        for reply in join_all(asks).await {
            assert_eq!(reply.ok()["limit"], limit);
        }
        if edge.memory.counts().misses - before == 1 {
            return;
        }
    }
    panic!("core is asked by each");
}

async fn what_is_personal_is_never_kept(app: Arc<TestApp>) {
    let edge = beside(&app).await;
    let (ada, bob) = (app.account(Plan::Pro).await, app.account(Plan::Pro).await);
    let create = edge.http.post("/events").bearer(&ada.key);
    let event = tests::new_event(json!({}));
    create.json(&event).send().await.ok();
    edge.keep("/events").await;
    let before = edge.memory.counts();
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
    assert_eq!(edge.memory.counts(), before);
}

tests::on_both_engines!(
    it_has_the_same_headers_and_bytes_as_one_that_is_not_kept,
    it_is_compressed_as_the_client_wants,
    those_who_ask_at_the_same_time_ask_core_once,
    what_is_personal_is_never_kept,
);
