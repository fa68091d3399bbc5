//! The endpoints for apps answer as the RFCs say, to anyone, without cookies.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};
use tests::{OAuthApp, Reply, TestApp};

use super::stage;

const PATHS: [&str; 3] = ["/oauth/token", "/oauth/register", "/oauth/revoke"];

/// An error as OAuth writes it; its code.
#[track_caller]
fn error(reply: &Reply, status: u16) -> String {
    assert_eq!(reply.status.as_u16(), status, "{reply:?}");
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply:?}");
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("set-cookie"), None, "{reply:?}");
    let body = reply.json();
    let fields = body.as_object().unwrap();
    let names: Vec<_> = fields.keys().collect();
    assert_eq!(names, ["error", "error_description"], "{body}");
    let description = body["error_description"].as_str().unwrap();
    assert!(!description.is_empty() && description.is_ascii(), "{body}");
    body["error"].as_str().unwrap().to_owned()
}

fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

async fn wrong_calls_of_the_token_endpoint_say_what_is_wrong(app: Arc<TestApp>) {
    let client = OAuthApp::registered(&app, "App").await;
    let id = &*client.client_id;
    let code = [("grant_type", "authorization_code"), ("client_id", id)];
    let refresh = [("grant_type", "refresh_token"), ("client_id", id)];
    for (sent, status, expected) in [
        (fields(&[]), 401, "invalid_client"),
        (fields(&[("client_id", id)]), 400, "invalid_request"),
        (
            fields(&[("grant_type", "password"), ("client_id", id)]),
            400,
            "unsupported_grant_type",
        ),
        (
            fields(&[("grant_type", "client_credentials"), ("client_id", id)]),
            400,
            "unsupported_grant_type",
        ),
        (fields(&code), 400, "invalid_grant"),
        (fields(&refresh), 400, "invalid_grant"),
        (
            fields(&[refresh[0], refresh[1], ("refresh_token", "x")]),
            400,
            "invalid_grant",
        ),
        (
            fields(&[refresh[0], ("client_id", "unknown"), ("refresh_token", "x")]),
            401,
            "invalid_client",
        ),
        (
            fields(&[refresh[0], refresh[1], refresh[1], ("refresh_token", "x")]),
            400,
            "invalid_request",
        ),
        (
            fields(&[refresh[0], refresh[1], ("refresh_token", &"x".repeat(300))]),
            400,
            "invalid_request",
        ),
        (
            fields(&[refresh[0], refresh[1], ("client_secret", "x")]),
            401,
            "invalid_client",
        ),
    ] {
        let reply = client.post("/oauth/token", &sent).await;
        assert_eq!(error(&reply, status), expected, "{sent:?}");
        assert_eq!(reply.header("www-authenticate"), None);
    }
    let request = app.site.request(Method::POST, "/oauth/token");
    let json = request
        .json(&json!({"grant_type": "refresh_token"}))
        .send()
        .await;
    assert_eq!(error(&json, 400), "invalid_request");
    let request = app.site.request(Method::POST, "/oauth/token");
    let basic = request
        .header("authorization", "Basic eDp5")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("grant_type=refresh_token&refresh_token=x");
    let basic = basic.send().await;
    assert_eq!(error(&basic, 401), "invalid_client");
    assert_eq!(
        basic.header("www-authenticate"),
        Some("Basic realm=\"muster\"")
    );
    let large = app.site.request(Method::POST, "/oauth/token");
    let large = large
        .header("content-type", "application/x-www-form-urlencoded")
        .body("x".repeat(2 << 20));
    assert_eq!(error(&large.send().await, 413), "invalid_request");
}

async fn an_answer_with_tokens_is_kept_by_nobody(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let code = client.agreed(&browser, &[]).await.value("code").unwrap();
    let reply = client.exchange(&code, &[]).await;
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("pragma"), Some("no-cache"));
    assert_eq!(reply.header("set-cookie"), None);
    let answer = reply.ok();
    let mut names: Vec<_> = answer.as_object().unwrap().keys().collect();
    names.sort_unstable();
    let expected = [
        "access_token",
        "expires_in",
        "refresh_token",
        "scope",
        "token_type",
    ];
    assert_eq!(names, expected);
}

async fn registering_again_makes_the_same_client(app: Arc<TestApp>) {
    let register = async |metadata: Value| {
        let request = app.site.request(Method::POST, "/oauth/register");
        request.json(&metadata).send().await
    };
    let reply = register(json!({
        "client_name": "App", "redirect_uris": ["http://127.0.0.1:1000/cb"],
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "token_endpoint_auth_method": "none", "unknown_member": {"x": [1]},
    }))
    .await;
    assert_eq!(reply.status, 201, "{reply:?}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let first = reply.json();
    assert_eq!(first["token_endpoint_auth_method"], "none");
    assert_eq!(first["redirect_uris"], json!(["http://127.0.0.1:1000/cb"]));
    let members = first.as_object().unwrap();
    assert!(!members.contains_key("client_secret"), "{first}");
    assert!(members.values().all(|value| !value.is_null()), "{first}");
    let again = json!({"client_name": "App", "redirect_uris": ["http://127.0.0.1:2000/cb"]});
    assert_eq!(
        register(again).await.json()["client_id"],
        first["client_id"]
    );
    let other = json!({"client_name": "App", "redirect_uris": ["http://127.0.0.1:2000/other"]});
    assert_ne!(
        register(other).await.json()["client_id"],
        first["client_id"]
    );
}

async fn metadata_that_no_app_may_have_is_refused(app: Arc<TestApp>) {
    let register = async |body: String| {
        let request = app.site.request(Method::POST, "/oauth/register");
        request.json_bytes(body).send().await
    };
    for uri in [
        "http://app.example/cb",
        "https://app.example/cb#x",
        "https://user@app.example/cb",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "not a url",
        "",
    ] {
        let body = json!({"redirect_uris": [uri]}).to_string();
        assert_eq!(
            error(&register(body).await, 400),
            "invalid_redirect_uri",
            "{uri}"
        );
    }
    for body in [
        "{".to_owned(),
        "[]".to_owned(),
        String::new(),
        json!({"redirect_uris": ["https://app.example/cb"], "grant_types": ["password"]})
            .to_string(),
    ] {
        let reply = register(body).await;
        assert_eq!(error(&reply, 400), "invalid_client_metadata", "{reply:?}");
    }
    let long =
        json!({"redirect_uris": ["https://app.example/cb"], "client_name": "x".repeat(100_000)});
    let reply = register(long.to_string()).await;
    assert_eq!(error(&reply, 413), "invalid_client_metadata");
    let request = app.site.request(Method::POST, "/oauth/register");
    let reply = request.json_bytes(&b"\xff\xfe"[..]).send().await;
    assert_eq!(error(&reply, 400), "invalid_client_metadata");
}

async fn revoking_says_nothing_of_what_there_is(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let other = OAuthApp::registered(&app, "Other").await;
    let tokens = client.connected(&browser, &[]).await;
    for token in ["x", "mus_at_x", &tokens.access, &tokens.refresh] {
        let reply = other.revoke(token).await;
        assert_eq!(
            (reply.status.as_u16(), reply.body.len()),
            (200, 0),
            "{reply:?}"
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"));
    }
    // It is another client's.
    app.advance(std::time::Duration::from_secs(5));
    app.http.get("/me").bearer(&tokens.access).send().await.ok();
    let nothing = client.post("/oauth/revoke", &[]).await;
    assert_eq!(error(&nothing, 401), "invalid_client");
    let id = [("client_id", &*client.client_id)];
    let nothing = client.post("/oauth/revoke", &fields(&id)).await;
    assert_eq!(error(&nothing, 400), "invalid_request");
    assert_eq!(client.revoke(&tokens.access).await.status, 200);
    app.advance(std::time::Duration::from_secs(5));
    let refused = app.http.get("/me").bearer(&tokens.access).send().await;
    assert_eq!(refused.status, 401);
    // An access token ends alone.
    assert_eq!(client.refresh(&tokens, &[]).await.status, 200);
}

async fn unknown_and_used_codes_are_told_apart_by_nobody(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let code = client.agreed(&browser, &[]).await.value("code").unwrap();
    client.exchange(&code, &[]).await.ok();
    let used = client.exchange(&code, &[]).await;
    let unknown = client
        .exchange(&format!("{}A", &code[..code.len() - 1]), &[])
        .await;
    assert_eq!(used.status, unknown.status);
    assert_eq!(used.body, unknown.body);
}

async fn only_post_is_taken(app: Arc<TestApp>) {
    for path in PATHS {
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            let reply = app.site.request(method, path).send().await;
            assert_eq!(reply.status, 405, "{path}: {reply:?}");
            assert_eq!(reply.header("allow"), Some("OPTIONS, POST"), "{path}");
        }
    }
}

async fn a_session_is_worth_nothing_there(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let code = client.agreed(&browser, &[]).await.value("code").unwrap();
    let session = format!("__Host-muster={}", browser.cookie("__Host-muster").unwrap());
    let request = app.site.request(Method::POST, "/oauth/token");
    let request = request
        .header("cookie", session)
        .header("origin", "https://evil.example")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!(
            "grant_type=authorization_code&code={code}&client_id={}",
            client.client_id
        ));
    // Without the verifier the code is worth nothing either.
    let reply = request.send().await;
    assert!(reply.status.is_client_error(), "{reply:?}");
    assert_eq!(reply.header("set-cookie"), None);
}

async fn strangers_cannot_try_without_end(app: Arc<TestApp>) {
    let client = OAuthApp::registered(&app, "App").await;
    let guess = fields(&[
        ("grant_type", "refresh_token"),
        ("client_id", &client.client_id),
        ("refresh_token", "mus_rt_guess"),
    ]);
    let mut limited = None;
    for _ in 0..1_000 {
        let reply = client.post("/oauth/token", &guess).await;
        if reply.status == 429 {
            limited = Some(reply);
            break;
        }
    }
    let limited = limited.expect("someone who guesses is stopped");
    assert_eq!(error(&limited, 429), "temporarily_unavailable");
    assert!(limited.header("retry-after").is_some(), "{limited:?}");
}

tests::on_both_engines!(
    wrong_calls_of_the_token_endpoint_say_what_is_wrong,
    an_answer_with_tokens_is_kept_by_nobody,
    registering_again_makes_the_same_client,
    metadata_that_no_app_may_have_is_refused,
    revoking_says_nothing_of_what_there_is,
    unknown_and_used_codes_are_told_apart_by_nobody,
    only_post_is_taken,
    a_session_is_worth_nothing_there,
    strangers_cannot_try_without_end,
);
