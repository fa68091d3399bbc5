//! Receivers that never answer: nobody else waits for them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::plan::Plan;
use serde_json::json;
use server::CancellationToken;
use tests::{Browser, Mail, Receiver, Surface, TestApp};

use super::subscribe;

/// Accounts with as many webhooks as a plan has: 130 in all.
const ACCOUNTS: usize = 13;
const WEBHOOKS: usize = 10;

/// Less than an attempt may take, so that what comes within this time did not wait for one.
const SOON: Duration = Duration::from_secs(10);

/// Within what time a code leaves, from the call on.
const CODE_WITHIN: Duration = Duration::from_secs(2);

const POLL: Duration = Duration::from_millis(20);

pub(super) async fn await_soon(what: &str, mut is_there: impl FnMut() -> bool) {
    let there = tokio::time::timeout(SOON, async {
        while !is_there() {
            tokio::time::sleep(POLL).await;
        }
    });
    assert!(there.await.is_ok(), "{what} did not come");
}

async fn while_many_receivers_hang_mails_and_other_webhooks_leave_at_once(app: Arc<TestApp>) {
    let hanging = Receiver::start().await;
    hanging.hang();
    let http = app.over(Surface::Http);
    for _ in 0..ACCOUNTS {
        let owner = http.as_owner(&app.account(Plan::Business).await);
        for _ in 0..WEBHOOKS {
            subscribe(&owner, &hanging, json!({})).await;
        }
        owner.create(json!({})).await;
    }
    let healthy = Receiver::start().await;
    let account = app.account(Plan::Business).await;
    let owner = http.as_owner(&account);
    subscribe(&owner, &healthy, json!({})).await;

    let stop = CancellationToken::new();
    let running = tokio::spawn({
        let (runner, stop) = (app.core.runner().clone(), stop.clone());
        async move { runner.run(stop).await }
    });
    let all = ACCOUNTS * WEBHOOKS;
    await_soon("a message", || hanging.count() == all).await;
    let browser = Browser::new(&app);
    let called = Instant::now();
    let asked = browser.send("/sign-in", &[("email", &account.email)]).await;
    assert_eq!(asked.status, 303);
    await_soon("a code", || {
        let is_code =
            |mail: &Mail| mail.to == account.email && mail.subject.ends_with("is your Muster code");
        app.mails().iter().any(is_code)
    })
    .await;
    let took = called.elapsed();
    assert!(took < CODE_WITHIN, "{took:?}");
    owner.create(json!({})).await;
    await_soon("another's message", || healthy.count() == 1).await;
    stop.cancel();
    running.abort();
}

tests::on_both_engines!(while_many_receivers_hang_mails_and_other_webhooks_leave_at_once);
