//! Who asks for what there is learns nothing of it.

use std::sync::Arc;

use tests::{Browser, OAuthApp, Reply, TestApp, Tokens, consent_fields, pairs};
use uuid::Uuid;

use super::stage;

/// Status, media type and content: all that could tell two answers apart.
fn seen(reply: &Reply) -> (u16, Option<&str>, Vec<u8>) {
    let media_type = reply.header("content-type");
    (
        reply.status.as_u16(),
        media_type,
        reply.body.as_ref().to_vec(),
    )
}

async fn unknown_apps_are_all_alike(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let id = &client.client_id;
    let almost = format!("{}{}", &id[1..], &id[..1]);
    for browser in [&browser, &Browser::new(&app)] {
        let of = async |id: &str| browser.page(&client.request(&[("client_id", id)])).await;
        let unknown = of("unknown").await;
        assert_eq!(unknown.status, 400);
        for other in [&*almost, &id.to_lowercase(), &"A".repeat(43), "0"] {
            assert_eq!(seen(&of(other).await), seen(&unknown), "{other}");
        }
        // Whoever knows an app, but not its address, learns no address.
        let foreign = client.request(&[("redirect_uri", "https://evil.example/callback")]);
        let foreign = browser.page(&foreign).await;
        assert!(!foreign.html(400).contains("33418"), "{foreign:?}");
    }
}

async fn codes_and_tokens_that_are_of_no_use_are_all_alike(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let other = OAuthApp::registered(&app, "Other").await;
    let code = async |client: &OAuthApp| client.agreed(&browser, &[]).await.value("code").unwrap();
    let used = code(&client).await;
    let tokens = Tokens::of(&client.exchange(&used, &[]).await);
    let (foreign, expired) = (code(&other).await, code(&client).await);
    let revoked = client.connected(&browser, &[]).await;
    client.revoke(&revoked.refresh).await;
    app.advance(std::time::Duration::from_mins(1));
    let fresh = code(&other).await;

    let unknown = client
        .exchange(&format!("mus_ac_{}", "0".repeat(36)), &[])
        .await;
    assert_eq!(unknown.json()["error"], "invalid_grant");
    for code in [&*foreign, &fresh, &expired, "", "x", &tokens.access, &used] {
        let reply = client.exchange(code, &[]).await;
        assert_eq!(seen(&reply), seen(&unknown), "{code}");
    }

    let of = |token: &str| Tokens {
        refresh: token.to_owned(),
        ..tokens.clone()
    };
    let unknown = format!("mus_rt_{}", "0".repeat(36));
    let unknown = client.refresh(&of(&unknown), &[]).await;
    assert_eq!(unknown.json()["error"], "invalid_grant");
    let foreign = other.connected(&browser, &[]).await.refresh;
    for token in [&foreign, &revoked.refresh, "x", &revoked.access, &fresh] {
        let reply = client.refresh(&of(token), &[]).await;
        assert_eq!(seen(&reply), seen(&unknown), "{token}");
    }
}

async fn authorizations_that_are_not_ones_own_are_all_alike(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let (_, stranger, _) = stage(&app).await;
    let open = client.consent(&browser, &[]).await;
    let fields = consent_fields(browser.page(&open).await.html(200));
    let decided = client.consent(&browser, &[]).await;
    browser.send(&decided, &[("action", "cancel")]).await;
    let unknown = format!("/oauth/authorize/{}", Uuid::from_u128(1));
    let none = stranger.page(&unknown).await;
    assert_eq!(none.status, 404);
    for path in [&open, &decided] {
        assert_eq!(seen(&stranger.page(path).await), seen(&none), "{path}");
        let sent = stranger.send(path, &pairs(&fields)).await;
        assert_eq!(sent.status, 404, "{sent:?}");
    }
}

tests::on_both_engines!(
    unknown_apps_are_all_alike,
    codes_and_tokens_that_are_of_no_use_are_all_alike,
    authorizations_that_are_not_ones_own_are_all_alike,
);
