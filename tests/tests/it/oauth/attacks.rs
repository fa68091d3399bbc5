//! Requests that must not lead anywhere, and answers that must not be mixed up.

use std::sync::Arc;

use tests::{Browser, OAuthApp, Reply, Returned, TestApp, Tokens};

use super::stage;
use crate::site::{attributes, unescaped};

/// Shown here, with words and a cure, and without a way to wherever the request wanted.
#[track_caller]
fn assert_shown(reply: &Reply, what: &str) {
    assert_eq!(reply.status, 400, "{what}: {reply:?}");
    assert!(reply.header("location").is_none(), "{what}: {reply:?}");
    let html = reply.html(400);
    assert!(
        html.contains("This app cannot be connected"),
        "{what}: {html}"
    );
    assert!(html.contains("What to do"), "{what}: {html}");
    assert!(!html.contains("evil.example\""), "{what}: {html}");
}

/// The client is told so, by a redirect.
#[track_caller]
fn assert_told(reply: &Reply, client: &OAuthApp, error: &str) {
    let returned = Returned::of(reply);
    assert_eq!(returned.uri, client.redirect_uri, "{reply:?}");
    assert_eq!(returned.value("error").as_deref(), Some(error), "{reply:?}");
    assert_eq!(returned.value("state").as_deref(), Some("the state"));
    assert_eq!(returned.value("iss").as_deref(), Some(TestApp::PUBLIC_URL));
    assert_eq!(returned.value("code"), None);
}

async fn only_the_registered_address_gets_an_answer(app: Arc<TestApp>) {
    let (_, browser, _) = stage(&app).await;
    let nobody = Browser::new(&app);
    let uri = "https://app.example/callback";
    let client = OAuthApp::registered_at(&app, "App", uri).await;
    client.consent(&browser, &[]).await;
    for variant in [
        "",
        "https://evil.example/callback",
        "https://app.example/callback/",
        "https://app.example/callback/../callback",
        "https://app.example/callback/../../evil",
        "https://app.example/callback?x=1",
        "https://app.example/callback#x",
        "https://app.example/callback%2f",
        "https://app.example/%63allback",
        "https://app.example/callbackx",
        "https://app.example/CALLBACK",
        "https://APP.example/callback",
        "HTTPS://app.example/callback",
        "https://app.example./callback",
        "https://app.example:443/callback",
        "https://app.example/./callback",
        "https://app.example//callback",
        "https://app.example/callback/..;/callback",
        "https://app.example/%2e%2e/callback",
        "https://app.example/callback%00",
        "https://app.example/callback%0d%0alocation:x",
        "https://app.example/%2563allback",
        "https%3A%2F%2Fapp.example%2Fcallback",
        "https://app.example/callback,https://evil.example/callback",
        "https://app.example/callback https://evil.example/callback",
        "https://evil.example/?https://app.example/callback",
        "https://evil.example#https://app.example/callback",
        "https://xn--pp-mia.example/callback",
        "https://\u{430}pp.example/callback",
        "https://app.example:8443/callback",
        "http://app.example/callback",
        "https://app.example.evil.example/callback",
        "https://app.example@evil.example/callback",
        "https://user:password@app.example/callback",
        "https://evil.example\\@app.example/callback",
        "https://app.example\\.evil.example/callback",
        "//app.example/callback",
        "/callback",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://app.example/callback\r\nlocation: https://evil.example",
    ] {
        for browser in [&browser, &nobody] {
            let request = client.request(&[("redirect_uri", variant)]);
            assert_shown(&browser.page(&request).await, variant);
        }
    }
}

async fn a_program_on_the_computer_may_have_another_port_and_nothing_else(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let other_port = "http://127.0.0.1:50505/callback";
    let asked = [("redirect_uri", other_port)];
    let returned = client.agreed(&browser, &asked).await;
    assert_eq!(returned.uri, other_port);
    for variant in [
        "http://localhost:33418/callback",
        "http://[::1]:33418/callback",
        "https://127.0.0.1:33418/callback",
        "http://127.0.0.1:33418/other",
        "http://127.0.0.2:33418/callback",
        "http://127.0.0.1.evil.example:33418/callback",
        "http://127.0.0.1:33418@evil.example/callback",
        "http://0x7f000001:33418/callback",
    ] {
        let request = client.request(&[("redirect_uri", variant)]);
        assert_shown(&browser.page(&request).await, variant);
    }
}

async fn what_came_twice_is_not_chosen_from(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    for name in ["client_id", "redirect_uri"] {
        for value in [
            "https://evil.example/callback",
            &client.client_id,
            &client.redirect_uri,
        ] {
            let request = format!("{}&{name}={value}", client.request(&[]));
            assert_shown(&browser.page(&request).await, name);
        }
    }
    for (name, value) in [
        ("state", "other"),
        ("scope", "events:read&scope=events:write"),
        ("code_challenge", "x"),
        ("response_type", "code"),
    ] {
        let request = format!("{}&{name}={value}", client.request(&[]));
        let reply = browser.page(&request).await;
        let returned = Returned::of(&reply);
        assert_eq!(returned.uri, client.redirect_uri, "{name}");
        let error = returned.value("error");
        assert_eq!(error.as_deref(), Some("invalid_request"), "{name}");
    }
}

/// An app of several servers tells their answers apart by `state` and `iss` (RFC 9207).
async fn an_answer_has_the_state_of_the_app_and_our_issuer_once(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let hostile = "x&iss=https://evil.example&code=stolen#part\r\nlocation: https://evil.example";
    for changed in [
        vec![("state", hostile)],
        vec![("state", hostile), ("iss", "https://evil.example")],
        vec![("state", hostile), ("code", "mus_ac_of_an_attacker")],
    ] {
        let agreed = client.agreed(&browser, &changed).await;
        let path = client.consent(&browser, &changed).await;
        let refused = browser.send(&path, &[("action", "cancel")]).await;
        let mut wrong = changed.clone();
        wrong.push(("code_challenge_method", "plain"));
        let told = browser.page(&client.request(&wrong)).await;
        for returned in [agreed, Returned::of(&refused), Returned::of(&told)] {
            assert_eq!(returned.uri, client.redirect_uri);
            assert_eq!(returned.value("state").as_deref(), Some(hostile));
            let issuer = returned.value("iss");
            assert_eq!(issuer.as_deref(), Some(TestApp::PUBLIC_URL));
            let code = returned.value("code");
            assert!(code.is_none_or(|code| !code.contains("attacker")));
        }
    }
    // Without a state there is none, and no app registers an address with an answer in it.
    let silent = client.agreed(&browser, &[("state", "")]).await;
    assert_eq!(silent.value("state"), None);
    for answer in ["iss=https://evil.example", "code=stolen", "state=x"] {
        let uri = format!("https://app.example/callback?{answer}");
        let metadata = serde_json::json!({"redirect_uris": [uri]});
        let request = app.site.request(http::Method::POST, "/oauth/register");
        let reply = request.json(&metadata).send().await;
        assert_eq!(reply.json()["error"], "invalid_redirect_uri", "{answer}");
    }
}

async fn an_app_that_nobody_knows_is_not_led_back(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let nobody = Browser::new(&app);
    for id in [
        "",
        "unknown",
        "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d",
        "http://127.0.0.1/client.json",
        "https://127.0.0.1/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/client.json",
        "https://10.0.0.1/client.json",
        "https://localhost/client.json",
        "https://user@app.example/client.json",
        "<script>alert(1)</script>",
    ] {
        for browser in [&browser, &nobody] {
            let request = client.request(&[("client_id", id)]);
            assert_shown(&browser.page(&request).await, id);
        }
    }
}

async fn a_wrong_request_of_a_known_app_is_told_to_it(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    for (changed, error) in [
        (vec![("code_challenge", "")], "invalid_request"),
        (vec![("code_challenge_method", "")], "invalid_request"),
        (vec![("code_challenge_method", "plain")], "invalid_request"),
        (vec![("code_challenge", "short")], "invalid_request"),
        (
            vec![("response_type", "token")],
            "unsupported_response_type",
        ),
        (vec![("response_type", "")], "invalid_request"),
        (
            vec![("resource", "https://evil.example/mcp")],
            "invalid_target",
        ),
        (vec![("request", "eyJ")], "invalid_request"),
        (
            vec![("request_uri", "https://evil.example")],
            "invalid_request",
        ),
        (vec![("response_mode", "fragment")], "invalid_request"),
    ] {
        let reply = browser.page(&client.request(&changed)).await;
        assert_told(&reply, &client, error);
    }
}

/// Anyone can register an app, and mail people a link to this site that ends on its page (RFC 9700, section 4.11.2).
async fn nobody_is_led_to_the_page_of_an_app_without_wanting_it(app: Arc<TestApp>) {
    let (_, browser, _) = stage(&app).await;
    let nobody = Browser::new(&app);
    let uri = "https://app.example/callback";
    let client = OAuthApp::registered_at(&app, "App", uri).await;
    for changed in [
        [("code_challenge_method", "plain")],
        [("response_type", "token")],
        [("resource", "https://other.example/mcp")],
        [("response_mode", "fragment")],
    ] {
        let request = client.request(&changed);
        let shown = nobody.page(&request).await;
        assert_shown(&shown, "nobody");
        let html = shown.html(400);
        assert!(html.contains("app.example"), "{html}");
        assert!(!html.contains("href=\"https://app.example"), "{html}");
        let links = attributes(html, "href");
        let sign_in = links.iter().find(|link| link.starts_with("/sign-in?"));
        assert!(sign_in.is_some(), "{links:?}");

        let shown = browser.page(&request).await;
        assert_shown(&shown, "someone");
        let links = attributes(shown.html(400), "href");
        let back = links.iter().find(|link| link.starts_with(uri));
        let back = unescaped(back.unwrap());
        for part in ["error=", "state=the", "iss="] {
            assert!(back.contains(part), "{back}");
        }
    }
}

async fn parameters_longer_than_any_valid_one_are_refused_in_words(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let long = "x".repeat(3_000);
    for name in ["client_id", "redirect_uri", "scope", "code_challenge"] {
        let reply = browser.page(&client.request(&[(name, &long)])).await;
        assert_shown(&reply, name);
    }
    let nobody = Browser::new(&app);
    let reply = nobody
        .page(&client.request(&[("state", &"x".repeat(4_000))]))
        .await;
    let html = reply.html(400);
    assert!(html.contains("Sign in first"), "{html}");
}

async fn a_code_is_of_no_use_to_others_and_a_second_use_ends_the_grant(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let other = OAuthApp::registered(&app, "Other").await;
    let code = client.agreed(&browser, &[]).await.value("code").unwrap();
    let wrong = "x".repeat(43);
    for (app, changed) in [
        (&other, vec![("redirect_uri", &*client.redirect_uri)]),
        (&client, vec![("code_verifier", &*wrong)]),
        (&client, vec![("code_verifier", "")]),
        (
            &client,
            vec![("redirect_uri", "http://127.0.0.1:1/callback")],
        ),
        (&client, vec![("resource", "https://evil.example")]),
    ] {
        let reply = app.exchange(&code, &changed).await;
        assert_eq!(reply.status, 400, "{changed:?}: {reply:?}");
        let error = reply.json()["error"].clone();
        let error = error.as_str().unwrap();
        let known = ["invalid_grant", "invalid_request", "invalid_target"];
        assert!(known.contains(&error), "{changed:?}: {error}");
    }
    let fresh = client.agreed(&browser, &[]).await.value("code").unwrap();
    let tokens = Tokens::of(&client.exchange(&fresh, &[]).await);
    app.http.get("/me").bearer(&tokens.access).send().await.ok();
    // Whoever found the code in a log cannot end anything by it.
    for wrong in [&*wrong, ""] {
        let guessed = client.exchange(&fresh, &[("code_verifier", wrong)]).await;
        assert_eq!(guessed.json()["error"], "invalid_grant");
    }
    app.advance(std::time::Duration::from_secs(5));
    app.http.get("/me").bearer(&tokens.access).send().await.ok();
    let replayed = client.exchange(&fresh, &[]).await;
    assert_eq!(replayed.json()["error"], "invalid_grant");
    app.advance(std::time::Duration::from_secs(5));
    let refused = app.http.get("/me").bearer(&tokens.access).send().await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        client.refresh(&tokens, &[]).await.json()["error"],
        "invalid_grant"
    );
}

async fn a_refresh_never_widens(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let asked = [("scope", "events:read account:read")];
    let tokens = client.connected(&browser, &asked).await;
    let wider = client
        .refresh(&tokens, &[("scope", "events:read events:write")])
        .await;
    assert_eq!(wider.json()["error"], "invalid_scope");
    let narrow = client.refresh(&tokens, &[("scope", "events:read")]).await;
    let narrow = Tokens::of(&narrow);
    assert_eq!(narrow.scope, "events:read");
    let refused = app.http.get("/me").bearer(&narrow.access).send().await;
    assert_eq!(refused.status, 403);
}

tests::on_both_engines!(
    only_the_registered_address_gets_an_answer,
    a_program_on_the_computer_may_have_another_port_and_nothing_else,
    what_came_twice_is_not_chosen_from,
    an_answer_has_the_state_of_the_app_and_our_issuer_once,
    an_app_that_nobody_knows_is_not_led_back,
    a_wrong_request_of_a_known_app_is_told_to_it,
    nobody_is_led_to_the_page_of_an_app_without_wanting_it,
    parameters_longer_than_any_valid_one_are_refused_in_words,
    a_code_is_of_no_use_to_others_and_a_second_use_ends_the_grant,
    a_refresh_never_widens,
);
