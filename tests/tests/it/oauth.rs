//! Apps that people connect by OAuth, as apps, browsers and attackers see it. What core decides is tested there, too.

mod apps;
mod attacks;
mod consent;
mod endpoints;
mod flow;
mod metadata;
mod surfaces;

use std::sync::Arc;

use core_service::domain::plan::Plan;
use tests::{Account, Browser, OAuthApp, TestApp};

/// An account whose owner is signed in, and an app.
async fn stage(app: &Arc<TestApp>) -> (Account, Browser, OAuthApp) {
    let account = app.account(Plan::Pro).await;
    let browser = Browser::signed_in(app, &account.email).await;
    let client = OAuthApp::registered(app, "Claude Code").await;
    (account, browser, client)
}
