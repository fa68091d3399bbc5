//! The page on which a person decides: nobody else sees or sends it, nothing is shown in it that an attacker wants.

use std::sync::Arc;

use http::Method;
use muster_api::Scope;
use tests::{Browser, OAuthApp, Returned, TestApp, Tokens, consent_fields, pairs};

use super::stage;
use crate::site::attributes;

const SESSION: &str = "__Host-muster";
const BROWSER: &str = "__Host-muster-browser";

/// What the form of a page sends when its button is pressed.
async fn agreement(browser: &Browser, path: &str) -> Vec<(String, String)> {
    let page = browser.page(path).await;
    let mut fields = consent_fields(page.html(200));
    fields.push(("action".to_owned(), "connect".to_owned()));
    fields
}

async fn a_request_is_open_to_its_own_person_and_browser_only(app: Arc<TestApp>) {
    let (account, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let fields = agreement(&browser, &path).await;
    let (_, stranger, _) = stage(&app).await;
    // The same person elsewhere, and their session with another browser's secret.
    app.advance(std::time::Duration::from_mins(2));
    let elsewhere = Browser::signed_in(&app, &account.email).await;
    let without = Browser::new(&app);
    without.set_cookie(SESSION, &browser.cookie(SESSION).unwrap());
    let mixed = Browser::new(&app);
    mixed.set_cookie(SESSION, &browser.cookie(SESSION).unwrap());
    mixed.set_cookie(BROWSER, &stranger.cookie(BROWSER).unwrap());
    let signed_out = Browser::new(&app);
    signed_out.set_cookie(BROWSER, &browser.cookie(BROWSER).unwrap());
    for other in [&stranger, &elsewhere, &without, &mixed, &signed_out] {
        for reply in [
            other.page(&path).await,
            other.send(&path, &pairs(&fields)).await,
        ] {
            let html = reply.html(404);
            assert!(html.contains("no longer open"), "{html}");
            assert!(!html.contains("Claude Code"), "{html}");
        }
    }
    assert_eq!(browser.send(&path, &pairs(&fields)).await.status, 303);
    // Only once.
    browser.send(&path, &pairs(&fields)).await.html(404);
}

async fn a_request_lapses(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let fields = agreement(&browser, &path).await;
    app.advance(std::time::Duration::from_mins(11));
    browser.page(&path).await.html(404);
    browser.send(&path, &pairs(&fields)).await.html(404);
}

async fn no_other_site_sends_the_form_or_frames_the_page(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let fields = agreement(&browser, &path).await;
    let cookies = format!(
        "{SESSION}={}; {BROWSER}={}",
        browser.cookie(SESSION).unwrap(),
        browser.cookie(BROWSER).unwrap()
    );
    for place in [
        Some(("sec-fetch-site", "cross-site")),
        Some(("sec-fetch-site", "same-site")),
        Some(("origin", "https://evil.example")),
        Some(("origin", "null")),
        None,
    ] {
        let form = app.site.form(&path, &pairs(&fields));
        let mut form = form.without("sec-fetch-site").header("cookie", &cookies);
        if let Some((name, value)) = place {
            form = form.header(name, value);
        }
        assert_eq!(form.send().await.status, 403, "{place:?}");
    }
    // Reading decides nothing, whatever the query says.
    let tempting = format!("{path}?action=connect&scopes=events:read");
    for method in [Method::GET, Method::HEAD] {
        let request = app.site.request(method, &tempting);
        let reply = request.header("cookie", &cookies).send().await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    for path in [&*path, "/oauth/authorize", &client.request(&[])] {
        let reply = browser.page(path).await;
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        // Browsers would stop the way back to the app.
        assert!(!policy.contains("form-action"), "{policy}");
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(
            reply.header("referrer-policy"),
            Some("same-origin"),
            "{path}"
        );
        // An app may have opened it in a window that comes back to it.
        let opener = reply.header("cross-origin-opener-policy");
        assert_eq!(opener, Some("unsafe-none"), "{path}");
    }
    assert_eq!(browser.send(&path, &pairs(&fields)).await.status, 303);
}

async fn what_looks_at_a_request_begins_none(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let cookies = format!("{SESSION}={}", browser.cookie(SESSION).unwrap());
    let request = app.site.request(Method::HEAD, &client.request(&[]));
    let reply = request.header("cookie", cookies).send().await;
    let location = reply.header("location").unwrap();
    assert!(location.starts_with("/sign-in?next="), "{location}");
}

/// Addresses get into histories, logs of proxies, and headers of requests elsewhere.
async fn no_address_and_no_referrer_has_anything_of_a_request(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let id = path.strip_prefix("/oauth/authorize/").unwrap();
    assert!(id.parse::<uuid::Uuid>().is_ok(), "{path}");
    let fields = agreement(&browser, &path).await;
    let request = client.request(&[]);
    let nobody = Browser::new(&app);
    let sign_in = nobody.follow(&nobody.page(&request).await).await;
    let shown = [
        browser.page(&path).await,
        sign_in,
        browser.page(&client.request(&[("client_id", "x")])).await,
        browser.page("/dashboard/apps").await,
    ];
    for reply in &shown {
        let policy = reply.header("referrer-policy").unwrap();
        assert!(["same-origin", "no-referrer"].contains(&policy), "{policy}");
        let html = std::str::from_utf8(&reply.body).unwrap();
        for name in ["href", "src", "action"] {
            for address in attributes(html, name) {
                let is_own = address.starts_with('/') && !address.starts_with("//");
                assert!(is_own || address.starts_with('#'), "{address}");
            }
        }
    }
    let page = shown[0].html(200);
    let challenge = client.parameters(&[]).remove(4);
    assert_eq!(challenge.0, "code_challenge");
    for secret in ["the state", &challenge.1, &client.client_id, "/callback"] {
        assert!(!page.contains(secret), "{secret}: {page}");
    }
    let agreed = browser.send(&path, &pairs(&fields)).await;
    let location = agreed.header("location").unwrap();
    let (_, query) = location.split_once('?').unwrap();
    let names = query.split('&').filter_map(|pair| pair.split('=').next());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    assert_eq!(names, ["code", "iss", "state"]);
    let code = Returned::of(&agreed).value("code").unwrap();
    assert!(code.starts_with("mus_ac_"), "{code}");
}

/// The scopes that an app has once a person pressed this button.
async fn granted(browser: &Browser, client: &OAuthApp, button: &str) -> String {
    let path = client.consent(browser, &[]).await;
    let page = browser.page(&path).await;
    let mut fields = consent_fields(page.html(200));
    fields.push(("action".to_owned(), button.to_owned()));
    let returned = Returned::of(&browser.send(&path, &pairs(&fields)).await);
    let code = returned.value("code").unwrap();
    Tokens::of(&client.exchange(&code, &[]).await).scope
}

async fn one_button_grants_reading_and_one_everything(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let page = browser.page(&path).await;
    let html = page.html(200);
    assert!(html.contains(">Read only<"), "{html}");
    assert!(html.contains(">Everything it asks for<"), "{html}");
    let reading = "events:read registrations:read account:read";
    assert_eq!(granted(&browser, &client, "read").await, reading);
    let all: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    assert_eq!(granted(&browser, &client, "all").await, all.join(" "));
    // Settings are changed by people, so no app is offered that.
    assert!(!all.contains(&"account:write"), "{all:?}");
    // An app that names no scope asks for reading.
    let path = client.consent(&browser, &[("scope", "")]).await;
    let page = browser.page(&path).await;
    assert!(!page.html(200).contains(">Read only<"));
    let scopes = consent_fields(page.html(200)).into_iter();
    let scopes = scopes.filter(|(name, _)| name == "scopes");
    assert_eq!(scopes.count(), 3);
}

/// An app that may change everything is worth a key.
async fn more_than_reading_needs_a_recent_code(app: Arc<TestApp>) {
    let (account, browser, client) = stage(&app).await;
    app.advance(std::time::Duration::from_mins(16));
    let reading = "events:read registrations:read account:read";
    assert_eq!(granted(&browser, &client, "read").await, reading);

    let path = client.consent(&browser, &[]).await;
    let fields = agreement(&browser, &path).await;
    let mut all = consent_fields(browser.page(&path).await.html(200));
    all.push(("action".to_owned(), "all".to_owned()));
    for fields in [&fields, &all] {
        let refused = browser.send(&path, &pairs(fields)).await;
        let html = refused.html(403);
        assert!(html.contains("confirm that it is you"), "{html}");
        assert!(attributes(html, "href").contains(&"/sign-in/again"));
    }
    browser.send("/sign-in/again", &[("action", "send")]).await;
    let code = app.newest_code(&account.email).await;
    browser.send("/sign-in/again", &[("code", &code)]).await;
    let agreed = browser.send(&path, &pairs(&fields)).await;
    assert!(Returned::of(&agreed).value("code").is_some());
}

async fn a_name_that_is_code_is_a_text(app: Arc<TestApp>) {
    let (_, browser, _) = stage(&app).await;
    for name in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "Muster</bdi> (verified)",
        "{{ 7 * 7 }}",
    ] {
        let client = OAuthApp::registered(&app, name).await;
        let path = client.consent(&browser, &[]).await;
        let page = browser.page(&path).await;
        let html = page.html(200);
        assert!(!html.contains(name) || !name.contains('<'), "{html}");
        assert!(!html.contains("onerror=alert(1)>"), "{html}");
        assert!(html.contains("Nobody has checked this name"), "{html}");
        for inline in ["<style", " style=", "javascript:", " onclick="] {
            assert!(!html.contains(inline), "{inline}: {html}");
        }
    }
}

async fn while_core_is_away_a_decision_can_be_sent_again(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let fields = agreement(&browser, &path).await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nowhere.local_addr().unwrap();
    drop(nowhere);
    let away = app
        .serve_site(&tests::core_at(&format!("http://{address}")))
        .await;
    let kept = browser.at(&away).send(&path, &pairs(&fields)).await;
    let html = kept.html(503);
    assert!(html.contains(&format!("action=\"{path}\"")), "{html}");
    let policy = kept.header("content-security-policy").unwrap();
    assert!(!policy.contains("form-action"), "{policy}");
    assert_eq!(browser.send(&path, &pairs(&fields)).await.status, 303);
}

tests::on_both_engines!(
    a_request_is_open_to_its_own_person_and_browser_only,
    a_request_lapses,
    no_other_site_sends_the_form_or_frames_the_page,
    what_looks_at_a_request_begins_none,
    no_address_and_no_referrer_has_anything_of_a_request,
    one_button_grants_reading_and_one_everything,
    more_than_reading_needs_a_recent_code,
    a_name_that_is_code_is_a_text,
    while_core_is_away_a_decision_can_be_sent_again,
);
