use crate::client::{GOOD, Gateway, JSON, LAMP, Reply};

/// Refused for want of any credential.
#[track_caller]
fn assert_anonymous(reply: &Reply) {
    let challenge = reply.header("www-authenticate");
    assert_eq!(challenge, Some("Bearer realm=\"muster\""), "{reply:?}");
    reply.error(401, "UNAUTHORIZED");
}

/// Refused for want of a valid one.
#[track_caller]
fn assert_unauthorized(reply: &Reply) -> String {
    let challenge = reply.header("www-authenticate");
    let expected = "Bearer realm=\"muster\", error=\"invalid_token\"";
    assert_eq!(challenge, Some(expected), "{reply:?}");
    reply.error(401, "UNAUTHORIZED")
}

#[tokio::test]
async fn a_method_that_needs_a_credential_says_so_without_asking_core() {
    let gateway = Gateway::start().await;
    for (method, path) in [
        ("GET", "/api/v1/me"),
        ("GET", "/api/v1/me/things/%zz?what=1"),
        ("POST", "/api/v1/things"),
        ("PATCH", "/api/v1/me/things/1"),
        ("GET", "/api/v1/me/things/1/export"),
    ] {
        assert_anonymous(&gateway.send(method, path, &[], b"").await);
    }
    assert_eq!(gateway.toy.count(), 0);
}

#[tokio::test]
async fn a_malformed_authorization_header_is_no_credential() {
    let gateway = Gateway::start().await;
    for header in [
        "Authorization:",
        "Authorization: good",
        "Authorization: Bearer",
        "Authorization: Basic Z29vZA==",
        "Authorization: Bearer good better",
        "Authorization: Bearer go\u{f6}d",
        "Authorization: Bearer good\r\nAuthorization: Bearer good",
    ] {
        assert_unauthorized(&gateway.send("GET", "/api/v1/me", &[header], b"").await);
    }
    assert_eq!(gateway.toy.count(), 0);
    for header in ["authorization: bearer good", "AUTHORIZATION: BEARER good"] {
        assert_eq!(
            gateway
                .send("GET", "/api/v1/me", &[header], b"")
                .await
                .status,
            200,
            "{header}"
        );
    }
}

#[tokio::test]
async fn a_missing_credential_is_reported_before_the_body_is_there() {
    let gateway = Gateway::start().await;
    // The body never comes.
    let request = format!(
        "POST /api/v1/things HTTP/1.1\r\nHost: x\r\n{JSON}\r\nContent-Length: 100\r\nConnection: close\r\n\r\n"
    );
    assert_anonymous(&gateway.raw(request.as_bytes()).await);
}

#[tokio::test]
async fn a_credential_that_core_refuses_is_unauthorized() {
    let gateway = Gateway::start().await;
    let bad = "Authorization: Bearer bad";
    let reply = gateway
        .send("POST", "/api/v1/things", &[bad, JSON], LAMP)
        .await;
    assert_eq!(
        assert_unauthorized(&reply),
        "the API key is unknown or revoked"
    );
}

#[tokio::test]
async fn a_bad_credential_is_reported_before_what_else_is_wrong() {
    let gateway = Gateway::start().await;
    let bad = "Authorization: Bearer bad";
    let large = vec![b' '; (1 << 20) + 1];
    for (method, path, body) in [
        ("POST", "/api/v1/things", &b"{not json"[..]),
        ("POST", "/api/v1/things", b""),
        ("POST", "/api/v1/things?what=1", b"{}"),
        ("POST", "/api/v1/things", &large),
        ("GET", "/api/v1/me/things/%zz", b""),
        ("POST", "/api/v1/me/things/1/publish", b"{\"a\":1}"),
    ] {
        assert_unauthorized(&gateway.send(method, path, &[bad, JSON], body).await);
        let reply = gateway.send(method, path, &[GOOD, JSON], body).await;
        assert!(
            matches!(reply.status, 400 | 413),
            "{method} {path}: {reply:?}"
        );
    }
}

#[tokio::test]
async fn public_methods_ignore_credentials() {
    let gateway = Gateway::start().await;
    for header in [
        "X-None: 1",
        "Authorization: Bearer bad",
        "Authorization: nonsense",
    ] {
        assert_eq!(
            gateway
                .send("GET", "/api/v1/things", &[header], b"")
                .await
                .status,
            200,
            "{header}"
        );
        assert_eq!(gateway.toy.header("authorization"), None);
        gateway
            .send("GET", "/api/v1/things?count=x", &[header], b"")
            .await
            .error(400, "INVALID_REQUEST");
    }
}
