//! Apps that people connect by OAuth, as apps, browsers and attackers see it. What core decides is tested there, too.

mod apps;
mod attacks;
mod consent;
mod endpoints;
mod flood;
mod flow;
mod guessing;
mod metadata;
mod surfaces;

use std::sync::Arc;

use domain::plan::Plan;
use tests::{Account, Browser, OAuthApp, TestApp};

use crate::site::attributes;

/// An account whose owner is signed in, and an app.
async fn stage(app: &Arc<TestApp>) -> (Account, Browser, OAuthApp) {
    let account = app.account(Plan::Pro).await;
    let browser = Browser::signed_in(app, &account.email).await;
    let client = OAuthApp::registered(app, "Claude Code").await;
    (account, browser, client)
}

/// Someone new whom an owner has invited to their account, and who has accepted.
async fn joined(app: &Arc<TestApp>, owner: &Browser, email: &str, role: &str) -> Browser {
    let invited = [("email", email), ("role", role)];
    assert_eq!(owner.send("/dashboard/members", &invited).await.status, 303);
    let member = Browser::signed_in(app, email).await;
    let page = member.page("/dashboard/start").await;
    let links = attributes(page.html(200), "href");
    let link = links.iter().find(|link| link.starts_with("/invitations/"));
    member.send(link.unwrap(), &[("action", "accept")]).await;
    member
}
