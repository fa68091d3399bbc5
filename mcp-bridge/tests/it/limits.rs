//! Limits: how long, how many, how often core is asked, and what happens when the client goes away.

use std::time::Duration;

use http::StatusCode;
use http_kit::CallOptions;
use mcp_bridge::Options;
use serde_json::json;
use test_toy::Toy;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tower::ServiceExt;

use crate::bridge::{bridge, json, request, waiting};

/// Longer than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn closing_the_stream_cancels_the_call_in_core() {
    let toy = Toy::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = server::CancellationToken::new();
    let router = bridge(&toy, &Options::default());
    let serving = server::serve::serve(
        listener,
        router,
        server::serve::Limits::http(),
        stop.clone(),
    );
    let serving = tokio::spawn(serving);
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": waiting()}).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer good\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: {}\r\n\r\n{message}",
        message.len()
    );
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(head.as_bytes()).await.unwrap();
    timeout(LONG, toy.begun()).await.unwrap();
    drop(client);
    timeout(LONG, toy.dropped()).await.unwrap();
    stop.cancel();
    serving.await.unwrap();
}

#[tokio::test]
async fn a_call_that_takes_too_long_ends_with_an_error_in_words() {
    let toy = Toy::default();
    let bridge = bridge(
        &toy,
        &Options {
            calls: CallOptions {
                request_time: Duration::from_millis(50),
                ..CallOptions::default()
            },
            ..Options::default()
        },
    );
    let call = request("tools/call", &waiting());
    let answer = json(bridge.oneshot(call).await.unwrap()).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("UNAVAILABLE: the request took too long"),
        "{text}"
    );
    timeout(LONG, toy.dropped()).await.unwrap();
}

#[tokio::test]
async fn more_requests_than_there_are_places_are_turned_away() {
    let toy = Toy::default();
    let bridge = bridge(
        &toy,
        &Options {
            concurrency: 1,
            ..Options::default()
        },
    );
    let waiting = bridge.clone().oneshot(request("tools/call", &waiting()));
    let waiting = tokio::spawn(waiting);
    timeout(LONG, toy.begun()).await.unwrap();
    let answer = bridge
        .clone()
        .oneshot(request("tools/list", &json!({})))
        .await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers().contains_key("retry-after"));
    // Once the client is gone, its permit is free.
    waiting.abort();
    timeout(LONG, toy.dropped()).await.unwrap();
    let answer = bridge.oneshot(request("tools/list", &json!({}))).await;
    assert_eq!(answer.unwrap().status(), StatusCode::OK);
}

/// Otherwise one key could keep all others out.
#[tokio::test]
async fn a_key_has_a_part_of_the_places_however_its_scheme_is_written() {
    let toy = Toy::default();
    let bridge = bridge(
        &toy,
        &Options {
            concurrency: 8,
            ..Options::default()
        },
    );
    let held = bridge.clone().oneshot(request("tools/call", &waiting()));
    let held = tokio::spawn(held);
    timeout(LONG, toy.begun()).await.unwrap();
    let list = async |credential: &str| {
        let mut list = request("tools/list", &json!({}));
        let credential = credential.parse().unwrap();
        list.headers_mut().insert("authorization", credential);
        bridge.clone().oneshot(list).await.unwrap()
    };
    for same in ["Bearer good", "bEARER good"] {
        let refused = list(same).await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS, "{same}");
        assert!(refused.headers().contains_key("retry-after"));
    }
    assert_eq!(list("Bearer GOOD").await.status(), StatusCode::OK);
    held.abort();
}

#[tokio::test]
async fn bodies_that_never_end_take_no_place() {
    let toy = Toy::default();
    let options = Options {
        concurrency: 1,
        ..Options::default()
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = bridge(&toy, &options);
    let stop = server::CancellationToken::new();
    let limits = server::serve::Limits::http();
    tokio::spawn(server::serve::serve(listener, router.clone(), limits, stop));
    let mut slow = Vec::new();
    for _ in 0..3 {
        let mut client = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer good\r\nexpect: 100-continue\r\n\
             accept: application/json\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n"
        );
        client.write_all(head.as_bytes()).await.unwrap();
        // The bridge asks for the body.
        let mut asked = [0; 25];
        timeout(LONG, client.read_exact(&mut asked))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
        slow.push(client);
    }
    let answer = router.oneshot(request("tools/list", &json!({}))).await;
    assert_eq!(answer.unwrap().status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn core_is_asked_about_a_credential_once_in_two_seconds() {
    let toy = Toy::default();
    let bridge = bridge(&toy, &Options::default());
    for _ in 0..5 {
        let answer = bridge
            .clone()
            .oneshot(request("tools/list", &json!({})))
            .await;
        assert_eq!(answer.unwrap().status(), StatusCode::OK);
    }
    assert_eq!(toy.checks(), 1);
    tokio::time::advance(Duration::from_secs(2)).await;
    bridge
        .oneshot(request("tools/list", &json!({})))
        .await
        .unwrap();
    assert_eq!(toy.checks(), 2);
}

#[tokio::test]
async fn a_credential_that_core_refuses_is_asked_about_every_time() {
    let toy = Toy::default();
    let bridge = bridge(&toy, &Options::default());
    for round in 1..=3 {
        let mut bad = request("tools/list", &json!({}));
        bad.headers_mut()
            .insert("authorization", "Bearer bad".parse().unwrap());
        let answer = bridge.clone().oneshot(bad).await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
        assert!(answer.headers().contains_key("www-authenticate"));
        assert_eq!(toy.checks(), round);
    }
}
