//! Web pages of other origins, as their browsers see it.

use axum::{body::Body, response::Response};
use http::{Method, Request, StatusCode};
use http_kit::Router;
use mcp_bridge::Options;
use serde_json::json;
use test_toy::Toy;
use tower::ServiceExt;

use crate::bridge::{bridge, request};

const NAMED: &str = "https://app.example.org";

/// A bridge whose settings name one origin.
fn named() -> Router {
    bridge(
        &Toy::default(),
        &Options {
            origins: vec![NAMED.parse().unwrap()],
            ..Options::default()
        },
    )
}

/// What a browser asks before it lets a page call. It sends no key.
fn preflight(origin: &str) -> Request<Body> {
    Request::options("http://localhost/mcp")
        .header("host", "localhost")
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,mcp-protocol-version",
        )
        .body(Body::empty())
        .unwrap()
}

/// A page's call.
fn call(origin: &str) -> Request<Body> {
    let mut call = request("tools/list", &json!({}));
    let origin = origin.parse().unwrap();
    call.headers_mut().insert("origin", origin);
    call
}

async fn send(bridge: &Router, request: Request<Body>) -> Response {
    bridge.clone().oneshot(request).await.unwrap()
}

fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    let value = response.headers().get(name)?;
    Some(value.to_str().unwrap())
}

#[tokio::test]
async fn a_page_of_a_named_origin_asks_first_and_then_reads_every_answer() {
    let bridge = named();
    let asked = send(&bridge, preflight(NAMED)).await;
    assert_eq!(asked.status(), StatusCode::NO_CONTENT);
    for (name, value) in [
        ("access-control-allow-origin", NAMED),
        ("access-control-allow-methods", "POST"),
        ("access-control-allow-headers", "*, Authorization"),
        ("access-control-max-age", "86400"),
    ] {
        assert_eq!(header(&asked, name), Some(value), "{name}");
    }
    let listed = send(&bridge, call(NAMED)).await;
    assert_eq!(listed.status(), StatusCode::OK);
    let mut nobody = call(NAMED);
    nobody.headers_mut().remove("authorization");
    let nobody = send(&bridge, nobody).await;
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
    let mut old = call(NAMED);
    *old.method_mut() = Method::GET;
    let old = send(&bridge, old).await;
    assert_eq!(old.status(), StatusCode::METHOD_NOT_ALLOWED);
    for answer in [listed, nobody, old] {
        assert_eq!(header(&answer, "access-control-allow-origin"), Some(NAMED));
        let exposed = header(&answer, "access-control-expose-headers").unwrap();
        assert!(exposed.contains("www-authenticate"), "{exposed}");
        assert!(header(&answer, "vary").unwrap().contains("origin"));
        assert_eq!(header(&answer, "access-control-allow-credentials"), None);
    }
}

#[tokio::test]
async fn no_other_page_is_told_anything() {
    for bridge in [named(), bridge(&Toy::default(), &Options::default())] {
        for origin in [
            "https://evil.example",
            "https://app.example.org.evil.example",
            "https://app.example.org:8443",
            "http://app.example.org",
            "https://example.org",
            "null",
        ] {
            let asked = send(&bridge, preflight(origin)).await;
            assert_eq!(asked.status(), StatusCode::UNAUTHORIZED, "{origin}");
            let called = send(&bridge, call(origin)).await;
            assert_eq!(called.status(), StatusCode::FORBIDDEN, "{origin}");
            for answer in [asked, called] {
                assert_eq!(header(&answer, "access-control-allow-origin"), None);
            }
        }
    }
}

#[tokio::test]
async fn a_client_of_this_machine_may_call_but_a_page_has_to_be_named() {
    let bridge = named();
    let page = "http://localhost:5173";
    let answer = send(&bridge, call(page)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(header(&answer, "access-control-allow-origin"), None);
    let asked = send(&bridge, preflight(page)).await;
    assert_eq!(asked.status(), StatusCode::UNAUTHORIZED);
}
