use crate::client::{GOOD, Gateway, LAMP};

#[tokio::test]
async fn core_tags_answers_and_nothing_else_of_its_metadata_is_shown() {
    let gateway = Gateway::start().await;
    let reply = gateway.get("/api/v1/things/tagged").await;
    assert_eq!(reply.header("cache-control"), Some("no-cache"));
    assert_eq!(reply.header("etag"), Some("W/\"v1\""));
    assert_eq!(
        (reply.header("x-internal"), reply.header("grpc-status")),
        (None, None)
    );
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(
        reply.header("content-security-policy"),
        Some("default-src 'none'; frame-ancestors 'none'")
    );
}

#[tokio::test]
async fn what_only_its_caller_may_see_is_not_stored() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .send("GET", "/api/v1/me/things/1", &[GOOD], b"")
        .await;
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(
        gateway
            .get("/api/v1/things/1")
            .await
            .header("cache-control"),
        Some("no-cache")
    );
}

#[tokio::test]
async fn what_the_client_has_already_is_not_sent_again() {
    let gateway = Gateway::start().await;
    for (path, tag) in [
        ("/api/v1/things/tagged", "W/\"v1\""),
        ("/api/v1/things/1/picture", "\"p1\""),
    ] {
        let other = tag.trim_start_matches("W/");
        for known in [
            tag.to_owned(),
            other.to_owned(),
            format!("\"x\", {tag}"),
            "*".to_owned(),
        ] {
            let known = format!("If-None-Match: {known}");
            for method in ["GET", "HEAD"] {
                let reply = gateway.send(method, path, &[&known], b"").await;
                assert_eq!(
                    (reply.status, reply.header("etag")),
                    (304, Some(tag)),
                    "{method} {path} {known}"
                );
                assert!(
                    reply.body.is_empty() && reply.header("content-length").is_none(),
                    "{reply:?}"
                );
            }
        }
        assert_eq!(
            gateway
                .send("GET", path, &["If-None-Match: \"x\", W/\"y\""], b"")
                .await
                .status,
            200
        );
    }
}

#[tokio::test]
async fn what_core_does_not_tag_has_a_tag_of_its_bytes() {
    let gateway = Gateway::start().await;
    let read = async |path| {
        let reply = gateway.send("GET", path, &[GOOD], b"").await;
        reply.header("etag").unwrap().to_owned()
    };
    let one = read("/api/v1/me/things/1").await;
    assert!(one.starts_with("W/\""), "{one}");
    assert_eq!(read("/api/v1/me/things/1").await, one);
    assert_ne!(read("/api/v1/me/things/2").await, one);
    let made = gateway.post("/api/v1/things", LAMP).await;
    assert_eq!((made.status, made.header("etag")), (200, None));
}

#[tokio::test]
async fn a_file_is_streamed_with_its_own_type() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .send(
            "GET",
            "/api/v1/things/1/picture",
            &["Accept-Encoding: gzip"],
            b"",
        )
        .await;
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("image/png"))
    );
    assert_eq!(
        (reply.body.len(), &reply.body[3000..], reply.complete),
        (3003, &b"PNG"[..], true)
    );
    assert_eq!(reply.header("content-encoding"), None);
    assert_eq!(
        reply.header("cache-control"),
        Some("public, max-age=3600, stale-while-revalidate=60")
    );
    assert_eq!(
        reply.header("content-disposition"),
        Some("inline; filename=\"picture.png\"")
    );
    gateway
        .get("/api/v1/things/missing/picture")
        .await
        .error(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_file_that_breaks_off_is_seen_to_be_incomplete() {
    let gateway = Gateway::start().await;
    let reply = gateway.get("/api/v1/things/half/picture").await;
    // Not even begun, when it breaks off at once.
    assert!(reply.status == 0 || !reply.complete, "{reply:?}");
}

#[tokio::test]
async fn large_answers_are_compressed_for_those_who_can_read_it() {
    let gateway = Gateway::start().await;
    let plain = gateway.get("/api/v1/things/large").await;
    assert_eq!(
        (plain.header("content-encoding"), plain.header("vary")),
        (None, Some("accept-encoding"))
    );
    for (accepted, chosen) in [
        ("gzip", Some("gzip")),
        ("gzip, br", Some("br")),
        ("*", Some("gzip")),
        ("gzip, deflate, br, zstd", Some("zstd")),
        ("zstd;q=0.5, gzip;q=0.9", Some("gzip")),
        ("gzip;q=0", None),
        ("deflate", None),
    ] {
        let accept = format!("Accept-Encoding: {accepted}");
        let reply = gateway
            .send("GET", "/api/v1/things/large", &[&accept], b"")
            .await;
        assert_eq!(reply.header("content-encoding"), chosen, "{accepted}");
        let is_small = reply.body.len() < plain.body.len() / 5;
        assert_eq!(is_small, chosen.is_some(), "{accepted}");
    }
    let small = gateway
        .send("GET", "/api/v1/things/1", &["Accept-Encoding: gzip"], b"")
        .await;
    assert_eq!(small.header("content-encoding"), None);
}

#[tokio::test]
async fn the_request_id_is_answered_and_passed_on() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .send(
            "GET",
            "/api/v1/things/missing",
            &["X-Request-Id: from-client-1"],
            b"",
        )
        .await;
    assert_eq!(reply.header("x-request-id"), Some("from-client-1"));
    reply.error(404, "NOT_FOUND");
    assert_eq!(
        gateway.toy.header("x-request-id").as_deref(),
        Some("from-client-1")
    );
}

#[tokio::test]
async fn the_trace_and_the_deadline_are_passed_on() {
    let gateway = Gateway::start().await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (trace_header, state) = (format!("Traceparent: {trace}"), "Tracestate: a=b");
    gateway
        .send(
            "GET",
            "/api/v1/things",
            &[&trace_header, state, "Cookie: a=b", "Grpc-Timeout: 2S"],
            b"",
        )
        .await;
    assert_eq!(gateway.toy.header("traceparent").as_deref(), Some(trace));
    assert_eq!(gateway.toy.header("tracestate").as_deref(), Some("a=b"));
    assert_eq!(gateway.toy.header("cookie"), None);
    let timeout = gateway.toy.header("grpc-timeout").unwrap();
    let micros: u64 = timeout.strip_suffix('u').unwrap().parse().unwrap();
    assert!(
        micros > 0 && micros <= 2_000_000,
        "no more than the caller's: {timeout}"
    );
}
