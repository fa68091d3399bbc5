//! What holds for every surface.

use axum::body::Body;
use http::Request;
use http_kit::Router;

use crate::core::{bytes, error, get, mcp, send, willing};

/// A surface, a request for a large answer, and its own word for unknown paths.
struct Case {
    router: Router,
    large: fn() -> Request<Body>,
    hint: &'static str,
}

fn surfaces() -> [Case; 2] {
    let gateway = http_gateway::router(willing(), http_gateway::Options::default());
    let bridge = mcp_bridge::router(willing(), &mcp_bridge::Options::default());
    [
        Case {
            router: gateway,
            large: || get("/api/v1/openapi.json"),
            hint: "/docs",
        },
        Case {
            router: bridge.unwrap(),
            large: || mcp("tools/list"),
            hint: "/mcp",
        },
    ]
}

#[tokio::test]
async fn every_answer_is_safe_to_look_at() {
    for case in surfaces() {
        for request in [(case.large)(), get("/healthz"), get("/nothing")] {
            let path = request.uri().clone();
            let answer = send(&case.router, request).await;
            for (name, value) in [
                (
                    "content-security-policy",
                    "default-src 'none'; frame-ancestors 'none'",
                ),
                ("referrer-policy", "no-referrer"),
                ("x-content-type-options", "nosniff"),
            ] {
                assert_eq!(answer.headers()[name], value, "{path}");
            }
            assert!(answer.headers().contains_key("cache-control"), "{path}");
        }
    }
}

#[tokio::test]
async fn every_problem_is_told_alike() {
    for case in surfaces() {
        let (status, code, message) = error(send(&case.router, get("/nothing")).await).await;
        assert_eq!((status, code.as_str()), (404, "NOT_FOUND"));
        assert!(message.contains(case.hint), "{message}");

        let mut nobody = (case.large)();
        nobody.headers_mut().remove("authorization");
        *nobody.uri_mut() = match case.hint {
            "/docs" => "/api/v1/me/events".parse().unwrap(),
            _ => nobody.uri().clone(),
        };
        let answer = send(&case.router, nobody).await;
        let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
        assert!(
            challenge.starts_with("Bearer realm=\"muster\", "),
            "{challenge}"
        );
        assert!(challenge.contains("resource_metadata="), "{challenge}");
        assert!(!challenge.contains("error"), "{challenge}");
        assert_eq!(error(answer).await.0, 401);

        let long = get(&format!("/{}", "x".repeat(9000)));
        assert_eq!(error(send(&case.router, long).await).await.0, 414);
        let mut wide = get("/healthz");
        let wide_value = "x".repeat(33_000).parse().unwrap();
        wide.headers_mut().insert("x-wide", wide_value);
        assert_eq!(error(send(&case.router, wide).await).await.0, 431);

        let mut post = get("/healthz");
        *post.method_mut() = http::Method::POST;
        let answer = send(&case.router, post).await;
        assert_eq!(answer.headers()["allow"], "GET, HEAD, OPTIONS");
        assert_eq!(error(answer).await.1, "METHOD_NOT_ALLOWED");
    }
}

#[tokio::test]
async fn a_body_above_a_mebibyte_is_refused() {
    for (case, path) in surfaces().into_iter().zip(["/api/v1/events", "/mcp"]) {
        let mut request = mcp("tools/list");
        *request.uri_mut() = path.parse().unwrap();
        *request.body_mut() = " ".repeat((1 << 20) + 1).into();
        let answer = send(&case.router, request).await;
        assert_eq!(answer.headers()["connection"], "close");
        let (status, code, message) = error(answer).await;
        assert_eq!((status, code.as_str()), (413, "PAYLOAD_TOO_LARGE"));
        assert_eq!(message, "the body is larger than 1048576 bytes");
    }
}

#[tokio::test]
async fn large_answers_go_out_as_small_as_their_client_can_read_them() {
    for case in surfaces() {
        let plain = bytes(send(&case.router, (case.large)()).await).await;
        assert!(plain.len() > 10_000, "{}", plain.len());
        for coding in ["gzip", "br", "zstd"] {
            let mut request = (case.large)();
            let accepted = coding.parse().unwrap();
            request.headers_mut().insert("accept-encoding", accepted);
            let answer = send(&case.router, request).await;
            assert_eq!(answer.headers()["content-encoding"], coding);
            assert_eq!(answer.headers()["vary"], "accept-encoding");
            let packed = bytes(answer).await;
            assert!(packed.len() < plain.len() / 3, "{coding}: {}", packed.len());
        }
        let mut small = get("/healthz");
        let accepted = "gzip, br, zstd".parse().unwrap();
        small.headers_mut().insert("accept-encoding", accepted);
        let small = send(&case.router, small).await;
        assert!(!small.headers().contains_key("content-encoding"));
    }
}

#[tokio::test]
async fn health_is_said_on_every_port() {
    for case in surfaces() {
        for (path, said) in [
            ("/healthz", "{\"status\":\"ok\"}\n"),
            ("/readyz", "{\"status\":\"ready\"}\n"),
        ] {
            let answer = send(&case.router, get(path)).await;
            assert_eq!(answer.status(), 200, "{path}");
            assert_eq!(bytes(answer).await, said.as_bytes());
        }
    }
}

#[tokio::test]
async fn json_ends_its_line_so_that_a_terminal_shows_its_prompt_on_the_next() {
    let gateway = http_gateway::router(willing(), http_gateway::Options::default());
    for path in [
        "/api/v1/events",
        "/api/v1/openapi.json",
        "/.well-known/api-catalog",
        "/healthz",
        "/readyz",
        "/version",
        "/nothing",
    ] {
        let text = bytes(send(&gateway, get(path)).await).await;
        assert!(text.ends_with(b"}\n"), "{path}: {}", text.escape_ascii());
        assert!(!text.ends_with(b"\n\n"), "{path}");
    }
}

#[tokio::test]
async fn the_site_tells_programs_of_problems_as_the_others_do() {
    let site = website::router(willing(), website::Options::default());
    assert_eq!(send(&site, get("/")).await.status(), 200);
    let (status, code, message) = error(send(&site, get("/nothing")).await).await;
    assert_eq!((status, code.as_str()), (404, "NOT_FOUND"));
    assert!(message.contains("/docs"), "{message}");
    let long = get(&format!("/{}", "x".repeat(9000)));
    assert_eq!(error(send(&site, long).await).await.0, 414);
    let mut post = get("/events");
    *post.method_mut() = http::Method::POST;
    assert_eq!(error(send(&site, post).await).await.1, "METHOD_NOT_ALLOWED");
    let ready = bytes(send(&site, get("/readyz")).await).await;
    assert_eq!(ready, b"{\"status\":\"ready\"}\n");
}
