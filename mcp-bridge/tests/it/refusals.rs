//! What is refused before MCP is spoken: in JSON, as on every surface, whatever rmcp says.

use axum::body::Body;
use http::{Method, Request};
use mcp_bridge::Options;
use serde_json::json;
use test_toy::Toy;
use tower::ServiceExt;

use crate::bridge::{bridge, json, request};

type Change = fn(&mut Request<Body>);

fn set(request: &mut Request<Body>, name: &'static str, value: &'static str) {
    request.headers_mut().insert(name, value.parse().unwrap());
}

#[tokio::test]
async fn every_refusal_is_json_and_says_what_would_be_right() {
    let bridge = bridge(&Toy::default(), &Options::default());
    let cases: [(Change, u16, &str, &str); 6] = [
        (
            |call| set(call, "origin", "https://evil.example"),
            403,
            "INVALID_REQUEST",
            "--mcp-origins",
        ),
        (
            |call| set(call, "origin", "null"),
            403,
            "INVALID_REQUEST",
            "--mcp-origins",
        ),
        (
            |call| set(call, "host", "evil.example"),
            403,
            "INVALID_REQUEST",
            "--mcp-hosts",
        ),
        (
            |call| *call.method_mut() = Method::GET,
            405,
            "METHOD_NOT_ALLOWED",
            "this path takes POST, not GET",
        ),
        (
            |call| set(call, "content-type", "text/plain"),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "must be application/json",
        ),
        (
            |call| set(call, "host", "a b"),
            400,
            "INVALID_REQUEST",
            "Host header",
        ),
    ];
    for (change, status, code, message) in cases {
        let mut call = request("tools/list", &json!({}));
        change(&mut call);
        let answer = bridge.clone().oneshot(call).await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{message}");
        let allow = answer.headers().get("allow").cloned();
        assert_eq!(allow.is_some_and(|allow| allow == "POST"), status == 405);
        assert_eq!(answer.headers()["content-type"], "application/json");
        let body = json(answer).await;
        let error = &body["error"];
        assert_eq!(error["code"], code, "{body}");
        assert!(
            error["message"].as_str().unwrap().contains(message),
            "{body}"
        );
        assert!(!error["request_id"].as_str().unwrap().is_empty(), "{body}");
    }
}

/// Gemini CLI, the Java SDK, Dify and others send one of these.
#[tokio::test]
async fn whatever_a_client_accepts_it_is_answered_in_json() {
    let bridge = bridge(&Toy::default(), &Options::default());
    for accept in [
        None,
        Some("application/json"),
        Some("*/*"),
        Some("text/event-stream"),
        Some("text/event-stream, application/json;q=0.5"),
    ] {
        let mut call = request("tools/list", &json!({}));
        call.headers_mut().remove("accept");
        if let Some(accept) = accept {
            set(&mut call, "accept", accept);
        }
        let answer = bridge.clone().oneshot(call).await.unwrap();
        assert_eq!(answer.status(), 200, "{accept:?}");
        assert_eq!(answer.headers()["content-type"], "application/json");
        let tools = json(answer).await["result"]["tools"].take();
        assert!(!tools.as_array().unwrap().is_empty(), "{accept:?}");
    }
}

#[tokio::test]
async fn nobody_is_sent_for_a_token_to_where_core_does_not_say_that_there_is_one() {
    let bridge = bridge(&Toy::default(), &Options::default());
    for (path, status, code) in [
        ("oauth-protected-resource/mcp", 503, "UNAVAILABLE"),
        ("openid-configuration", 404, "NOT_FOUND"),
    ] {
        let asked = Request::get(format!("/.well-known/{path}"));
        let asked = asked.body(Body::empty()).unwrap();
        let answer = bridge.clone().oneshot(asked).await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{path}");
        assert_eq!(json(answer).await["error"]["code"], code, "{path}");
    }
}
