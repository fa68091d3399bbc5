//! The page with the connected apps.

use std::{sync::Arc, time::Duration};

use tests::{Browser, TestApp};

use super::{joined, stage};
use crate::site::attributes;

const PATH: &str = "/dashboard/apps";

/// The identifiers of the grants that the page shows.
async fn shown(browser: &Browser) -> Vec<String> {
    let page = browser.page(PATH).await;
    let html = page.html(200);
    let buttons = html.split("name=\"id\"").skip(1);
    buttons
        .map(|rest| attributes(rest, "value").remove(0).to_owned())
        .collect()
}

async fn an_app_is_seen_and_disconnected(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let page = browser.page(PATH).await;
    let html = page.html(200);
    assert!(html.contains("No apps yet"), "{html}");
    assert!(html.contains("https://muster.example/mcp"), "{html}");

    let asked = [
        ("scope", "account:read events:read"),
        ("resource", "https://muster.example/api/v1"),
    ];
    let tokens = client.connected(&browser, &asked).await;
    let other = client.connected(&browser, &[]).await;
    let page = browser.page(PATH).await;
    let html = page.html(200);
    for words in [
        "Claude Code",
        "127.0.0.1",
        "Through the API",
        "Nobody has checked",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    assert_eq!(html.matches("Never used").count(), 2, "{html}");
    app.advance(Duration::from_mins(10));
    app.http.get("/me").bearer(&tokens.access).send().await.ok();
    app.maintain().await;
    let page = browser.page(PATH).await;
    let html = page.html(200);
    assert!(html.contains("15 January 2027, 12:10 UTC"), "{html}");
    assert_eq!(html.matches("Never used").count(), 1, "{html}");

    // The one that was used comes first.
    let ids = shown(&browser).await;
    assert_eq!(ids.len(), 2);
    let done = browser.send(PATH, &[("id", &ids[0])]).await;
    let page = browser.follow(&done).await;
    assert!(page.html(200).contains("The app is disconnected."));
    app.advance(Duration::from_secs(5));
    let refused = app.http.get("/me").bearer(&tokens.access).send().await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        client.refresh(&tokens, &[]).await.json()["error"],
        "invalid_grant"
    );
    // The other one goes on.
    app.http.get("/me").bearer(&other.access).send().await.ok();
    assert_eq!(shown(&browser).await, ids[1..]);
}

async fn nobody_sees_or_ends_the_apps_of_others(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let (_, stranger, _) = stage(&app).await;
    let tokens = client.connected(&browser, &[]).await;
    let ids = shown(&browser).await;
    assert!(shown(&stranger).await.is_empty());
    stranger.send(PATH, &[("id", &ids[0])]).await;
    app.advance(Duration::from_secs(5));
    app.http.get("/me").bearer(&tokens.access).send().await.ok();
    assert_eq!(shown(&browser).await, ids);
}

async fn who_leaves_an_account_leaves_nothing_behind(app: Arc<TestApp>) {
    let (_, owner, client) = stage(&app).await;
    let member = joined(&app, &owner, "olga@example.org", "organizer").await;
    let tokens = client.connected(&member, &[]).await;
    app.http.get("/me").bearer(&tokens.access).send().await.ok();

    let members = owner.page("/dashboard/members").await;
    let links = attributes(members.html(200), "href");
    let olga = links
        .iter()
        .rfind(|link| link.starts_with("/dashboard/members/"));
    let removed = owner.send(olga.unwrap(), &[("action", "remove")]).await;
    assert_eq!(removed.status, 303, "{removed:?}");
    app.advance(Duration::from_secs(5));
    let refused = app.http.get("/me").bearer(&tokens.access).send().await;
    assert!(refused.status.is_client_error(), "{refused:?}");
    assert!(client.refresh(&tokens, &[]).await.status.is_client_error());
}

tests::on_both_engines!(
    an_app_is_seen_and_disconnected,
    nobody_sees_or_ends_the_apps_of_others,
    who_leaves_an_account_leaves_nothing_behind,
);
