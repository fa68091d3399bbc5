use crate::client::{GOOD, Gateway};

#[tokio::test]
async fn an_unknown_path_is_a_json_404() {
    let gateway = Gateway::start().await;
    for path in [
        "/",
        "/api/v1/thing",
        "/api/v1/things/a/b",
        "/api//v1/things",
        "/%61pi/v1/things",
    ] {
        for method in ["GET", "POST", "DELETE", "OPTIONS", "BREW"] {
            let message = gateway
                .send(method, path, &[], b"")
                .await
                .error(404, "NOT_FOUND");
            assert_eq!(message, "nothing is at this path; see /docs");
        }
    }
}

#[tokio::test]
async fn a_wrong_method_is_a_json_405_that_says_what_is_allowed() {
    let gateway = Gateway::start().await;
    for (method, path, allow) in [
        ("DELETE", "/api/v1/things", "GET, HEAD, OPTIONS, POST"),
        ("PUT", "/api/v1/me/things/1", "GET, HEAD, OPTIONS, PATCH"),
        ("GET", "/api/v1/me/things/1/cancel", "OPTIONS, POST"),
        ("HEAD", "/api/v1/me/things/1/cancel", "OPTIONS, POST"),
        ("TRACE", "/api/v1/things/1", "GET, HEAD, OPTIONS"),
        ("BREW", "/api/v1", "GET, HEAD, OPTIONS"),
    ] {
        let reply = gateway.send(method, path, &[], b"").await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, Some(allow)),
            "{method} {path}"
        );
        if method != "HEAD" {
            reply.error(405, "METHOD_NOT_ALLOWED");
        }
    }
}

#[tokio::test]
async fn head_says_what_get_would_say_without_the_body() {
    let gateway = Gateway::start().await;
    for path in [
        "/api/v1/things/1",
        "/api/v1/things/missing",
        "/api/v1/nothing",
        "/healthz",
        "/api/v1/openapi.json",
        "/api/v1/things/1/picture",
    ] {
        let (get, head) = (
            gateway.get(path).await,
            gateway.send("HEAD", path, &[], b"").await,
        );
        assert_eq!(head.status, get.status, "{path}");
        assert!(head.body.is_empty());
        for header in ["content-type", "content-length", "cache-control", "etag"] {
            assert_eq!(head.header(header), get.header(header), "{path} {header}");
        }
    }
}

#[tokio::test]
async fn options_says_what_a_path_takes_without_asking_core() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .send("OPTIONS", "/api/v1/me/things/1", &[], b"")
        .await;
    assert_eq!(
        (reply.status, reply.header("allow")),
        (204, Some("GET, HEAD, OPTIONS, PATCH"))
    );
    assert!(reply.body.is_empty());
    assert_eq!(gateway.toy.count(), 0);
}

#[tokio::test]
async fn pages_of_any_origin_may_read_what_is_public() {
    let gateway = Gateway::start().await;
    let origin = "Origin: https://example.com";
    for path in [
        "/api/v1/things",
        "/api/v1/things/1",
        "/api/v1/things/missing",
        "/api/v1/things/%zz",
        "/api/v1/things/1/picture",
    ] {
        let reply = gateway.send("GET", path, &[origin], b"").await;
        assert_eq!(
            reply.header("access-control-allow-origin"),
            Some("*"),
            "{path}"
        );
        let wanted = "Access-Control-Request-Method: GET";
        let preflight = gateway.send("OPTIONS", path, &[origin, wanted], b"").await;
        assert_eq!(preflight.status, 204);
        assert_eq!(
            preflight.header("access-control-allow-origin"),
            Some("*"),
            "{path}"
        );
        assert_eq!(
            preflight.header("access-control-allow-methods"),
            Some("GET, HEAD")
        );
    }
}

#[tokio::test]
async fn a_slash_at_the_end_leads_to_the_path_without() {
    let gateway = Gateway::start().await;
    for (method, path, target) in [
        ("GET", "/api/v1/", "/api/v1"),
        ("GET", "/api/v1/things/?limit=1", "/api/v1/things?limit=1"),
        ("POST", "/api/v1/things//", "/api/v1/things"),
    ] {
        let reply = gateway.send(method, path, &[], b"").await;
        let location = reply.header("location");
        assert_eq!((reply.status, location), (308, Some(target)), "{path}");
    }
    // These would lead to another host.
    for path in ["//example.com/", "/\\\\example.com/"] {
        let reply = gateway.send("GET", path, &[], b"").await;
        assert_eq!(reply.header("location"), None, "{path}");
    }
}

#[tokio::test]
async fn pages_of_any_origin_may_call_what_a_bearer_token_authorizes() {
    let gateway = Gateway::start().await;
    let origin = "Origin: https://example.com";
    for (method, path) in [
        ("GET", "/api/v1/me/things/1"),
        ("PATCH", "/api/v1/me/things/1"),
        ("POST", "/api/v1/me/things/1/cancel"),
    ] {
        let reply = gateway.send(method, path, &[origin, GOOD], b"").await;
        let allowed = reply.header("access-control-allow-origin");
        assert_eq!(allowed, Some("*"), "{method} {path}");
        // Never with cookies.
        assert_eq!(reply.header("access-control-allow-credentials"), None);
        let wanted = format!("Access-Control-Request-Method: {method}");
        let preflight = gateway.send("OPTIONS", path, &[origin, &wanted], b"").await;
        let headers = preflight.header("access-control-allow-headers");
        assert_eq!((preflight.status, headers), (204, Some("*, Authorization")));
    }
}

#[tokio::test]
async fn what_is_no_operation_is_shared_with_nobody() {
    let gateway = Gateway::start().await;
    let origin = "Origin: https://example.com";
    for path in ["/api/v1/nothing", "/healthz"] {
        let reply = gateway.send("GET", path, &[origin], b"").await;
        let allowed = reply.header("access-control-allow-origin");
        assert_eq!(allowed, None, "{path}");
    }
}

#[tokio::test]
async fn a_path_that_is_too_long_is_a_json_414() {
    let gateway = Gateway::start().await;
    let path = |length: usize| {
        format!(
            "/api/v1/things/{}",
            "x".repeat(length - "/api/v1/things/".len())
        )
    };
    assert_eq!(gateway.get(&path(8192)).await.status, 200);
    gateway.get(&path(8193)).await.error(414, "INVALID_REQUEST");
    // Hyper's own limit is answered without a body.
    assert_eq!(gateway.get(&path(70_000)).await.status, 414);
}

#[tokio::test]
async fn headers_that_are_too_large_are_a_json_431() {
    let gateway = Gateway::start().await;
    let ask = async |length: usize| {
        let header = format!("X-Large: {}", "x".repeat(length));
        gateway.send("GET", "/api/v1/things", &[&header], b"").await
    };
    assert_eq!(ask(32_000).await.status, 200);
    ask(33_000).await.error(431, "INVALID_REQUEST");
    assert_eq!(ask(100_000).await.status, 431);
}

#[tokio::test]
async fn what_is_not_http_is_answered_400() {
    let gateway = Gateway::start().await;
    for request in [
        "GARBAGE\r\n\r\n",
        "GET /x y HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nBad Header: x\r\n\r\n",
    ] {
        assert_eq!(
            gateway.raw(request.as_bytes()).await.status,
            400,
            "{request:?}"
        );
    }
}
