//! Who is let in over HTTP, and what everyone else is told.

use std::sync::Arc;

use domain::{plan::Plan, scope::Scope};
use muster_api::Reason;
use serde_json::json;
use tests::{Reply, Request, Surface, TestApp, challenge};

const ID: &str = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

/// Every operation that needs a key.
fn guarded(app: &TestApp) -> [Request; 9] {
    let event = format!("/me/events/{ID}");
    let http = &app.http;
    [
        http.post("/events"),
        http.get("/me"),
        http.get("/me/events"),
        http.get(&event),
        http.patch(&event),
        http.get(&format!("{event}/registrations")),
        http.post(&format!("{event}/publish")),
        http.post(&format!("{event}/unpublish")),
        http.post(&format!("{event}/cancel")),
    ]
}

/// Refused for want of a credential that is valid.
fn assert_unauthorized(answer: &Reply) {
    assert_challenged(answer, Some("invalid_token"));
}

/// Refused for want of any credential.
fn assert_anonymous(answer: &Reply) {
    assert_challenged(answer, None);
}

fn assert_challenged(answer: &Reply, error: Option<&str>) {
    let refusal = answer.refusal();
    assert_eq!(refusal.reason, Reason::Unauthorized, "{answer:?}");
    assert_eq!(refusal.details, []);
    let challenge = challenge(answer);
    assert_eq!(challenge["realm"], "muster");
    assert_eq!(challenge["error"].as_str(), error, "{challenge}");
    let metadata = challenge["resource_metadata"].as_str().unwrap();
    assert!(
        metadata.ends_with("/oauth-protected-resource/api/v1"),
        "{metadata}"
    );
}

async fn everything_but_the_catalogue_needs_a_key(app: Arc<TestApp>) {
    for request in guarded(&app) {
        assert_anonymous(&request.clone().send().await);
        assert_unauthorized(&request.bearer("mus_live_wrong").send().await);
    }
}

async fn only_the_header_as_it_should_be_lets_in(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let key = account.key.as_str();
    let (prefix, secret) = key.split_at("mus_live_".len());
    let ask = async |value: &[u8]| {
        let request = app.http.get("/me").header("authorization", value);
        request.send().await
    };
    for good in [
        format!("Bearer {key}"),
        format!("bearer {key}"),
        format!("BEARER {key}"),
        format!("Bearer   {key}"),
    ] {
        ask(good.as_bytes()).await.ok();
    }
    for bad in [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        key.into(),
        format!("Bearer{key}"),
        format!("Bearer:{key}"),
        format!("Bearer\t{key}"),
        format!("Basic {key}"),
        format!("Token {key}"),
        format!("Bearer Bearer {key}"),
        format!("Bearer {key},{key}"),
        format!("Bearer {key} {key}"),
        format!("Bearer \"{key}\""),
        format!("Bearer {key}x"),
        format!("Bearer {}", &key[..key.len() - 1]),
        format!("Bearer {}", key.to_uppercase()),
        format!("Bearer {secret}"),
        format!("Bearer mus_test_{secret}"),
        format!("Bearer {prefix}{}", "0".repeat(36)),
        format!("Bearer {}", "x".repeat(8_000)),
        "Bearer eyJhbGciOiJub25lIn0.e30.".into(),
        "Basic dXNlcjpwYXNz".into(),
        "Bearer '; DROP TABLE api_keys; --".into(),
    ] {
        assert_unauthorized(&ask(bad.as_bytes()).await);
    }
    assert_unauthorized(&ask(b"Bearer \xff\xfe").await);
    assert_unauthorized(&ask("Bearer mus_live_ключ".as_bytes()).await);
}

async fn two_headers_are_none(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let twice = app
        .http
        .get("/me")
        .bearer(&account.key)
        .bearer(&account.key);
    assert_unauthorized(&twice.send().await);
}

async fn a_key_anywhere_else_is_no_key(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let key = &account.key;
    for request in [
        app.http.get(&format!("/me?api_key={key}")),
        app.http.get(&format!("/me?access_token={key}")),
        app.http.get("/me").header("x-api-key", key),
        app.http
            .get("/me")
            .header("cookie", format!("authorization={key}")),
        app.http
            .get("/me")
            .header("proxy-authorization", format!("Bearer {key}")),
    ] {
        assert_anonymous(&request.send().await);
    }
}

async fn who_is_not_let_in_learns_nothing_else(app: Arc<TestApp>) {
    for request in guarded(&app) {
        for bad in [
            request.clone().json_bytes("{"),
            request.clone().json(&json!({"unknown": 1})),
            request
                .clone()
                .header("content-type", "text/plain")
                .body("x"),
            request.clone().json_bytes("x".repeat(2 << 20)),
        ] {
            assert_anonymous(&bad.clone().send().await);
            assert_unauthorized(&bad.bearer("mus_live_wrong").send().await);
        }
    }
    for path in [
        "/me/events?limit=0",
        "/me/events?unknown=1",
        "/me/events/no-uuid",
        "/me/events/%ff",
    ] {
        let request = app.http.get(path);
        assert_anonymous(&request.clone().send().await);
        assert_unauthorized(&request.bearer("mus_live_wrong").send().await);
    }
}

async fn a_key_without_the_scope_is_told_which_it_lacks(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let key = app.key_for(&account, &[Scope::EventsRead]).await;
    app.http.get("/me/events").bearer(&key).send().await.ok();
    let event = format!("/me/events/{ID}");
    for (request, scope) in [
        (app.http.post("/events").json(&json!({})), "events:write"),
        // It goes before whatever else is wrong with the request.
        (app.http.post("/events").json_bytes("{"), "events:write"),
        (
            app.http.post("/events").json(&json!({"unknown": 1})),
            "events:write",
        ),
        (app.http.post(&format!("{event}/cancel")), "events:cancel"),
        (
            app.http.get(&format!("{event}/registrations")),
            "registrations:read",
        ),
        (
            app.http.get(&format!("{event}/registrations?limit=0")),
            "registrations:read",
        ),
        (app.http.get("/me"), "account:read"),
    ] {
        let answer = request.bearer(&key).send().await;
        assert_eq!(answer.status, 403, "{answer:?}");
        let refusal = answer.refusal();
        assert_eq!(refusal.reason, Reason::InsufficientScope, "{answer:?}");
        assert!(refusal.message.contains(scope), "{answer:?}");
        let challenge = challenge(&answer);
        assert_eq!(challenge["error"], "insufficient_scope");
        assert_eq!(challenge["scope"], scope);
    }
    // Other refusals with the same status ask for no other credential.
    let free = app
        .http
        .get(&format!("{event}/registrations"))
        .bearer(&account.key)
        .send()
        .await;
    assert_eq!(free.header("www-authenticate"), None);
}

async fn the_catalogue_ignores_the_header(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let detail = format!("/events/{}", event.slug);
    for path in ["/events", &detail, "/use-cases", "/guides"] {
        let plain = app.http.get(path).send().await.ok();
        for value in [
            format!("Bearer {}", account.key),
            "Bearer wrong".into(),
            "\u{ff}".into(),
            String::new(),
        ] {
            let request = app.http.get(path).header("authorization", value);
            assert_eq!(request.send().await.ok(), plain);
        }
    }
}

async fn a_revoked_key_is_useless_at_once(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let ask = app.http.get("/me").bearer(&account.key);
    ask.clone().send().await.ok();
    app.core
        .use_cases()
        .keys
        .revoke(account.key_id)
        .await
        .unwrap();
    assert_unauthorized(&ask.send().await);
    let other = app
        .core
        .use_cases()
        .keys
        .create(&account.email, "new")
        .await
        .unwrap();
    app.http
        .get("/me")
        .bearer(other.plain.expose())
        .send()
        .await
        .ok();
}

async fn a_refusal_never_repeats_the_credential(app: Arc<TestApp>) {
    let secret = "mus_live_0123456789012345678901234567890123456";
    let answer = app.http.get("/me").bearer(secret).send().await;
    assert_unauthorized(&answer);
    assert!(!format!("{answer:?}").contains("01234567890"), "{answer:?}");
}

tests::on_both_engines!(
    everything_but_the_catalogue_needs_a_key,
    only_the_header_as_it_should_be_lets_in,
    two_headers_are_none,
    a_key_anywhere_else_is_no_key,
    who_is_not_let_in_learns_nothing_else,
    a_key_without_the_scope_is_told_which_it_lacks,
    the_catalogue_ignores_the_header,
    a_revoked_key_is_useless_at_once,
    a_refusal_never_repeats_the_credential,
);
