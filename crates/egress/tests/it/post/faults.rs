//! Endpoints that take long, say much, or say nothing.

use std::{net::Ipv4Addr, time::Duration};

use bytes::Bytes;
use egress::{Fault, PostLimits, Resolve, Resolving};
use http::HeaderMap;
use test_documents::{HOST, egress};
use tokio::net::TcpListener;
use url::Url;

use super::{LIMITS, SHORT, admitting_loopback, post, post_within, settle, to_loopback};
use crate::endpoint::{Endpoint, Reply};

#[tokio::test]
async fn an_endpoint_that_is_slow_is_given_up_on_and_left() {
    let endpoint = Endpoint::plain().await;
    let egress = admitting_loopback();
    let text = |text: &str| text.to_owned();
    let cases = [
        ("/never", Reply::Stall(String::new())),
        ("/head", Reply::Stall(text("HTTP/1.1 200 OK\r\nserver: "))),
        ("/slow-head", Reply::Trickle(text("HTTP/1.1 200 OK\r\nx: "))),
        (
            "/body",
            Reply::Stall(text("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel")),
        ),
        (
            "/slow-body",
            Reply::Trickle(text("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")),
        ),
    ];
    let requests = cases.len();
    for (nth, (path, reply)) in cases.into_iter().enumerate() {
        endpoint.on(path, reply);
        // A byte each millisecond does not reach it.
        let limits = PostLimits {
            answer_bytes: 1_000_000,
            ..SHORT
        };
        let slow = post_within(&egress, &endpoint.url("127.0.0.1", path), limits).await;
        let slow = slow.unwrap_err();
        assert_eq!((slow.fault, slow.is_private), (Fault::Slow, true), "{path}");
        endpoint.until_ended(nth + 1).await;
    }
    assert_eq!(endpoint.received().len(), requests);
}

#[tokio::test]
async fn an_endless_answer_costs_no_more_than_its_beginning() {
    let endpoint = Endpoint::plain().await;
    let egress = admitting_loopback();
    for (path, head) in [
        ("/close", "connection: close\r\n"),
        ("/length", "content-length: 10000000000\r\n"),
    ] {
        let head = format!("HTTP/1.1 500 Error\r\n{head}\r\n");
        endpoint.on(path, Reply::Endless(head));
        let answer = post(&egress, &endpoint.url("127.0.0.1", path)).await;
        let answer = answer.unwrap();
        assert_eq!((answer.status, answer.body), (500, vec![0; 2_000]));
        assert!(answer.took < LIMITS.time);
    }
    endpoint.until_ended(2).await;
    // What both sides' buffers hold.
    assert!(endpoint.zeros() < 32 << 20, "{} bytes", endpoint.zeros());
}

#[tokio::test]
async fn an_answer_as_long_as_the_limit_leaves_its_connection_in_use() {
    let endpoint = Endpoint::plain().await;
    let egress = admitting_loopback();
    for length in [2_000, 2_000, 2_001] {
        let body = "a".repeat(length);
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
        endpoint.on("/", Reply::Answer(answer));
        let answer = post(&egress, &endpoint.url("127.0.0.1", "/")).await;
        assert_eq!(answer.unwrap().body, vec![b'a'; 2_000]);
        settle().await;
    }
    assert_eq!(endpoint.accepted(), 1);
}

#[tokio::test]
async fn an_endless_head_is_refused() {
    let endpoint = Endpoint::plain().await;
    endpoint.on("/", Reply::Endless("HTTP/1.1 200 OK\r\nx: ".to_owned()));
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    endpoint.on("/long", Reply::Last(long));
    let garbage = "SSH-2.0-OpenSSH_9.9\r\n\r\n".to_owned();
    endpoint.on("/garbage", Reply::Last(garbage));
    for path in ["/", "/long", "/garbage"] {
        let posted = post(&admitting_loopback(), &endpoint.url("127.0.0.1", path)).await;
        assert_eq!(posted.unwrap_err().fault, Fault::Interrupted, "{path}");
    }
}

/// It accepts, and reads and says nothing: neither a handshake nor a request gets anywhere.
#[tokio::test]
async fn a_server_that_reads_nothing_is_given_up_on() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let secure = post_within(&to_loopback(), &format!("https://{HOST}:{port}/"), SHORT).await;
    assert_eq!(secure.unwrap_err().fault, Fault::Slow);
    let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    let body = Bytes::from(vec![0; 64 << 20]);
    let egress = admitting_loopback();
    let plain = egress.post(&url, HeaderMap::new(), body, SHORT);
    assert_eq!(plain.await.unwrap_err().fault, Fault::Slow);
}

struct Silent;

impl Resolve for Silent {
    fn resolve<'a>(&'a self, _name: &'a str) -> Resolving<'a> {
        Box::pin(std::future::pending())
    }
}

/// The clock is the test's, so nobody waits.
#[tokio::test(start_paused = true)]
async fn a_name_that_is_not_found_in_time_is_given_up_on() {
    let egress = egress(Silent, egress::is_public);
    for seconds in [1, 3_600] {
        let limits = PostLimits {
            time: Duration::from_secs(seconds),
            ..LIMITS
        };
        let slow = post_within(&egress, &format!("https://{HOST}/"), limits).await;
        let slow = slow.unwrap_err();
        assert_eq!((slow.fault, slow.is_private), (Fault::Slow, false));
    }
}

#[tokio::test]
async fn who_refuses_connections_and_who_has_no_valid_certificate_is_told_apart() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let closed = listener.local_addr().unwrap().port();
    drop(listener);
    let egress = to_loopback();
    let refused = post(&egress, &format!("https://{HOST}:{closed}/")).await;
    assert_eq!(refused.unwrap_err().fault, Fault::Refused);
    let endpoint = Endpoint::secure().await;
    let foreign = post(&egress, &endpoint.url("evil.example", "/")).await;
    assert_eq!(foreign.unwrap_err().fault, Fault::Tls);
    let plain = Endpoint::plain().await;
    let plain = plain.url(HOST, "/").replace("http:", "https:");
    let plain = post_within(&egress, &plain, SHORT).await.unwrap_err();
    assert!(matches!(plain.fault, Fault::Tls | Fault::Slow));
    assert!(endpoint.received().is_empty());
}
