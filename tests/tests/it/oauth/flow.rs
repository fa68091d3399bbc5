//! An app is connected: from the first refusal to the last.

use std::sync::Arc;

use domain::plan::Plan;
use http::{Method, StatusCode};
use serde_json::json;
use tests::{Browser, OAuthApp, Returned, TestApp, Tokens, challenge, consent_fields, pairs};

use super::stage;
use crate::site::attributes;

/// The path of an absolute URL of the system.
fn path(url: &serde_json::Value) -> String {
    let url = url.as_str().unwrap();
    url.strip_prefix(TestApp::PUBLIC_URL).unwrap().to_owned()
}

async fn an_agent_finds_everything_from_the_address_of_mcp(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let refused = app.mcp.request("tools/list", json!({})).send().await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let challenge = challenge(&refused);
    // It needs none yet.
    let reading = "events:read registrations:read account:read";
    assert_eq!(challenge["scope"], reading);
    let resource = path(&challenge["resource_metadata"]);
    let resource = app
        .mcp
        .http
        .request(Method::GET, &resource)
        .send()
        .await
        .ok();
    assert_eq!(path(&resource["authorization_servers"][0]), "");
    let server = "/.well-known/oauth-authorization-server";
    let server = app.site.request(Method::GET, server).send().await.ok();
    assert_eq!(path(&server["registration_endpoint"]), "/oauth/register");

    let client = OAuthApp::registered(&app, "Claude Code").await;
    let asked = [
        ("resource", resource["resource"].as_str().unwrap()),
        ("scope", "events:read account:read openid offline_access"),
    ];
    // Nobody is signed in, so the way leads there first, and back again.
    let browser = Browser::new(&app);
    let request = client.request(&asked);
    let reply = browser.page(&request).await;
    let page = browser.follow(&reply).await;
    let next = consent_fields(page.html(200)).remove(0);
    assert_eq!(next.0, "next");
    let next = crate::site::unescaped(&next.1);
    assert_eq!(next, request);
    let sent = [("email", &*account.email), ("next", &*next)];
    browser.send("/sign-in", &sent).await;
    let code = app.newest_code(&account.email).await;
    let entered = browser
        .send("/sign-in/code", &[("code", &code), ("next", &next)])
        .await;
    let begun = browser.follow(&entered).await;
    let consent = begun.header("location").unwrap().to_owned();
    let page = browser.follow(&begun).await;
    let html = page.html(200);
    for words in [
        "Claude Code",
        "127.0.0.1",
        &account.email,
        "program on your computer",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    let mut fields = consent_fields(html);
    let scopes: Vec<_> = fields.iter().filter(|(name, _)| name == "scopes").collect();
    assert_eq!(scopes.len(), 2, "{scopes:?}");
    fields.push(("action".to_owned(), "connect".to_owned()));
    let returned = Returned::of(&browser.send(&consent, &pairs(&fields)).await);
    assert_eq!(returned.uri, client.redirect_uri);
    assert_eq!(returned.value("state").as_deref(), Some("the state"));
    assert_eq!(returned.value("iss").as_deref(), Some(TestApp::PUBLIC_URL));
    let code = returned.value("code").unwrap();
    let tokens = Tokens::of(&client.exchange(&code, &[]).await);
    assert_eq!(tokens.scope, "events:read account:read");

    let mcp = app.mcp.with_key(&tokens.access);
    let found = mcp.call("get_account", json!({})).await.answer();
    assert_eq!(found["email"], account.email);
    let again = Tokens::of(&client.refresh(&tokens, &[]).await);
    assert_ne!(again, tokens);
    let mcp = app.mcp.with_key(&again.access);
    mcp.call("list_my_events", json!({})).await.answer();

    let revoked = client.revoke(&again.refresh).await;
    assert_eq!((revoked.status.as_u16(), revoked.body.len()), (200, 0));
    app.advance(std::time::Duration::from_secs(5));
    let refused = mcp.request(
        "tools/call",
        json!({"name": "get_account", "arguments": {}}),
    );
    assert_eq!(refused.send().await.status, StatusCode::UNAUTHORIZED);
    let refused = client.refresh(&again, &[]).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.json()["error"], "invalid_grant");
}

async fn who_does_not_agree_sends_the_app_away(app: Arc<TestApp>) {
    let (_account, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let refused = browser.send(&path, &[("action", "cancel")]).await;
    let returned = Returned::of(&refused);
    assert_eq!(returned.uri, client.redirect_uri);
    assert_eq!(returned.value("error").as_deref(), Some("access_denied"));
    assert_eq!(returned.value("state").as_deref(), Some("the state"));
    assert_eq!(returned.value("iss").as_deref(), Some(TestApp::PUBLIC_URL));
    assert_eq!(returned.value("code"), None);
    // It was decided.
    let html = browser.page(&path).await;
    assert!(html.html(404).contains("connect it again"));
}

async fn what_a_person_leaves_out_is_not_granted(app: Arc<TestApp>) {
    let (_account, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let page = browser.page(&path).await;
    let mut fields = consent_fields(page.html(200));
    fields.retain(|(name, value)| name != "scopes" || value == "events:read");
    fields.push(("action".to_owned(), "connect".to_owned()));
    // What was not asked for cannot be slipped in.
    fields.push(("scopes".to_owned(), "keys:write".to_owned()));
    let returned = Returned::of(&browser.send(&path, &pairs(&fields)).await);
    let code = returned.value("code").unwrap();
    let tokens = Tokens::of(&client.exchange(&code, &[]).await);
    assert_eq!(tokens.scope, "events:read");

    // Next time the page says so.
    let path = client.consent(&browser, &[]).await;
    let page = browser.page(&path).await;
    assert_eq!(page.html(200).matches("granted before").count(), 1);
}

async fn without_any_scope_the_page_asks_again(app: Arc<TestApp>) {
    let (account, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[("scope", "events:read")]).await;
    let id = account.id.to_string();
    let nothing = [("action", "connect"), ("account_id", &*id)];
    let page = browser.send(&path, &nothing).await;
    let html = page.html(400);
    assert!(html.contains("id=\"scopes-wrong\""), "{html}");
    assert_eq!(attributes(html, "action"), [path]);
}

async fn a_person_with_several_accounts_chooses_one(app: Arc<TestApp>) {
    let (account, browser, client) = stage(&app).await;
    let other = app.account(Plan::Pro).await;
    let theirs = Browser::signed_in(&app, &other.email).await;
    let invited = [("email", &*account.email), ("role", "door")];
    assert_eq!(
        theirs.send("/dashboard/members", &invited).await.status,
        303
    );
    let page = browser.page("/dashboard").await;
    let links = attributes(page.html(200), "href");
    let invitation = links.iter().find(|link| link.starts_with("/invitations/"));
    browser
        .send(invitation.unwrap(), &[("action", "accept")])
        .await;

    let path = client.consent(&browser, &[]).await;
    let page = browser.page(&path).await;
    let html = page.html(200);
    assert_eq!(html.matches("type=\"radio\"").count(), 2, "{html}");
    assert!(html.contains("your role does not include it"), "{html}");
    let mut fields = consent_fields(html);
    fields.retain(|(name, _)| name != "account_id");
    fields.push(("account_id".to_owned(), other.id.to_string()));
    fields.push(("action".to_owned(), "connect".to_owned()));
    let returned = Returned::of(&browser.send(&path, &pairs(&fields)).await);
    let code = returned.value("code").unwrap();
    let tokens = Tokens::of(&client.exchange(&code, &[]).await);
    // As far as the role of door staff goes.
    let mut scopes: Vec<_> = tokens.scope.split(' ').collect();
    scopes.sort_unstable();
    assert!(scopes.contains(&"registrations:check_in"), "{scopes:?}");
    assert!(!scopes.contains(&"events:write"), "{scopes:?}");
}

tests::on_both_engines!(
    an_agent_finds_everything_from_the_address_of_mcp,
    who_does_not_agree_sends_the_app_away,
    what_a_person_leaves_out_is_not_granted,
    without_any_scope_the_page_asks_again,
    a_person_with_several_accounts_chooses_one,
);
