//! What is sent, and what comes back.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use egress::RetryAfter;
use http::{HeaderMap, HeaderValue};
use test_documents::HOST;
use url::Url;

use super::{LIMITS, admitting_loopback, post, to_loopback};
use crate::endpoint::{Endpoint, Reply};

#[tokio::test]
async fn a_body_and_its_headers_are_sent_exactly() {
    let endpoint = Endpoint::secure().await;
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("content-type", "application/json"),
        ("webhook-id", "msg_1"),
        ("webhook-signature", "v1,abc v1,def"),
        // What belongs to the connection is not the caller's.
        ("content-length", "1"),
        ("transfer-encoding", "chunked"),
        ("host", "evil.example"),
        ("connection", "upgrade"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let body: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let url = endpoint.url(HOST, "/hooks?tenant=1%202#fragment");
    let url = Url::parse(&url).unwrap();
    let sent = Bytes::from(body.clone());
    let answer = to_loopback().post(&url, headers, sent, LIMITS).await;
    assert_eq!(answer.unwrap().status, 200);
    let [received] = &endpoint.received()[..] else {
        panic!("one request");
    };
    assert!(received.body == body);
    let line = received.head.lines().next();
    assert_eq!(line, Some("POST /hooks?tenant=1%202 HTTP/1.1"));
    let host = format!("{HOST}:{}", endpoint.port());
    for (name, values) in [
        ("content-type", &["application/json"][..]),
        ("webhook-id", &["msg_1"]),
        ("webhook-signature", &["v1,abc v1,def"]),
        ("content-length", &["100000"]),
        ("host", &[&host]),
        (
            "user-agent",
            &[concat!("Muster/", env!("CARGO_PKG_VERSION"))],
        ),
        ("transfer-encoding", &[]),
        ("connection", &[]),
        ("accept-encoding", &[]),
        ("cookie", &[]),
    ] {
        assert_eq!(received.header(name), values, "{name}");
    }
}

#[tokio::test]
async fn a_caller_may_name_the_sender() {
    let endpoint = Endpoint::plain().await;
    let mut headers = HeaderMap::new();
    headers.insert("user-agent", HeaderValue::from_static("Muster-Webhooks/1"));
    let url = Url::parse(&endpoint.url("127.0.0.1", "/")).unwrap();
    let egress = admitting_loopback();
    let posted = egress.post(&url, headers, Bytes::new(), LIMITS);
    posted.await.unwrap();
    let [received] = &endpoint.received()[..] else {
        panic!("one request");
    };
    assert_eq!(received.header("user-agent"), ["Muster-Webhooks/1"]);
    assert_eq!(received.header("content-length"), ["0"]);
}

#[tokio::test]
async fn every_status_is_an_answer_and_no_redirect_is_followed() {
    let endpoint = Endpoint::plain().await;
    let egress = admitting_loopback();
    let elsewhere = endpoint.url("127.0.0.1", "/elsewhere");
    let metadata = "http://169.254.169.254/latest/meta-data/".to_owned();
    for (status, location) in [
        (204, None),
        (301, Some(elsewhere.clone())),
        (302, Some(metadata)),
        (307, Some(elsewhere)),
        (410, None),
        (500, None),
    ] {
        let location =
            location.map_or_else(String::new, |location| format!("location: {location}\r\n"));
        let length = if status == 204 {
            ""
        } else {
            "content-length: 4\r\n"
        };
        let body = if status == 204 { "" } else { "text" };
        let answer = format!("HTTP/1.1 {status} Status\r\n{location}{length}\r\n{body}");
        endpoint.on("/", Reply::Answer(answer));
        let answer = post(&egress, &endpoint.url("127.0.0.1", "/")).await;
        let answer = answer.unwrap();
        assert_eq!((answer.status, &answer.body[..]), (status, body.as_bytes()));
    }
    assert_eq!(endpoint.received().len(), 6);
    let paths = endpoint.received();
    assert!(paths.iter().all(|one| one.head.starts_with("POST / ")));
}

#[tokio::test]
async fn an_endpoint_says_when_it_wants_to_be_asked_again() {
    let endpoint = Endpoint::plain().await;
    let egress = admitting_loopback();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    for (value, expected) in [
        ("120", Some(RetryAfter::Delay(Duration::from_mins(2)))),
        (
            "Sun, 06 Nov 1994 08:49:37 GMT",
            Some(RetryAfter::Time(time)),
        ),
        ("soon", None),
    ] {
        let answer = format!(
            "HTTP/1.1 503 Unavailable\r\nretry-after: {value}\r\ncontent-length: 0\r\n\r\n"
        );
        endpoint.on("/", Reply::Answer(answer));
        let answer = post(&egress, &endpoint.url("127.0.0.1", "/")).await;
        assert_eq!(answer.unwrap().retry_after, expected, "{value}");
    }
}

#[tokio::test]
async fn a_body_in_chunks_is_read_and_a_compressed_one_left_as_it_came() {
    let endpoint = Endpoint::plain().await;
    let chunks = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    endpoint.on("/", Reply::Answer(chunks.to_owned()));
    let answer = post(&admitting_loopback(), &endpoint.url("127.0.0.1", "/")).await;
    assert_eq!(answer.unwrap().body, b"abcde");
}
