//! What people notice on the pages of what is done in their name, and how they take it back.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use serde_json::json;
use tests::{Browser, Surface, TestApp};

use super::{members::account, unescaped};

async fn a_new_browser_is_told_by_mail_and_on_the_page_of_sessions(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    Browser::signed_in(&app, &account.email).await;
    let new = Browser::signed_in(&app, &account.email).await;
    app.drain_jobs().await;
    let mails = app.notices();
    let told = mails.iter().filter(|mail| {
        mail.to == account.email && mail.subject.starts_with("You signed in with a new browser")
    });
    assert_eq!(told.count(), 1, "{mails:?}");
    let page = new.page("/dashboard/sessions").await;
    let html = unescaped(page.html(200));
    assert!(
        html.contains("signed in with a browser that was new"),
        "{html}"
    );
    assert!(html.contains("name=\"disconnect_apps\" value=\"true\" checked"));
    let activity = new.page("/dashboard/activity").await;
    let html = unescaped(activity.html(200));
    assert!(
        html.contains("signed in with a browser that was new"),
        "{html}"
    );
}

async fn who_downloaded_the_list_is_told_in_the_activity(app: Arc<TestApp>) {
    let (account, browser) = account(&app).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    let page = format!("/dashboard/events/{}", event.id);
    let list = browser.page(&format!("{page}/registrations.csv")).await;
    assert_eq!(list.status, 200, "{list:?}");
    let file = browser.page("/dashboard/activity.csv").await;
    assert_eq!(file.status, 200, "{file:?}");
    let activity = browser.page("/dashboard/activity").await;
    let html = unescaped(activity.html(200));
    for told in [
        "downloaded the attendee list of \"Rust Night\"",
        "downloaded the activity",
    ] {
        assert!(html.contains(told), "{told}: {html}");
    }
    let of_event = browser.page(&format!("{page}/activity")).await;
    assert!(of_event.html(200).contains("downloaded the attendee list"));
}

async fn a_changed_address_is_taken_back_by_a_page_and_a_code(app: Arc<TestApp>) {
    let (account, thief) = account(&app).await;
    let start = [("email", "mallory@evil.example")];
    let sent = thief.send("/dashboard/account/email", &start).await;
    assert_eq!(sent.status, 303, "{sent:?}");
    let code = app.newest_code("mallory@evil.example").await;
    let changed = thief
        .send("/dashboard/account/email/code", &[("code", &code)])
        .await;
    assert_eq!(changed.status, 303, "{changed:?}");
    app.drain_jobs().await;
    let mails = app.mails();
    let page = "https://muster.example/sign-in/take-back";
    let notice = mails
        .iter()
        .find(|mail| mail.to == account.email && mail.text.contains(page));
    assert!(notice.is_some(), "{mails:?}");

    let owner = Browser::new(&app);
    let form = owner.page("/sign-in/take-back").await;
    assert!(form.html(200).contains("Take your address back"));
    app.advance(Duration::from_secs(1));
    let asked = [("email", &*account.email)];
    let asked = owner.send("/sign-in/take-back", &asked).await;
    let typing = owner.follow(&asked).await;
    assert!(typing.html(200).contains("name=\"code\""), "{typing:?}");
    let wrong = owner
        .send("/sign-in/take-back/code", &[("code", "12")])
        .await;
    assert!(wrong.html(400).contains("id=\"code-wrong\""), "{wrong:?}");
    let code = app.newest_code(&account.email).await;
    let taken = owner
        .send("/sign-in/take-back/code", &[("code", &code)])
        .await;
    let home = owner.follow(&taken).await;
    assert!(home.status.is_success() || home.status == 303, "{home:?}");
    let page = owner.page("/dashboard/account").await;
    assert!(page.html(200).contains(&account.email), "{page:?}");
    let out = thief.page("/dashboard/account").await;
    assert_eq!(out.status, 303, "{out:?}");
}

tests::on_both_engines!(
    a_new_browser_is_told_by_mail_and_on_the_page_of_sessions,
    who_downloaded_the_list_is_told_in_the_activity,
    a_changed_address_is_taken_back_by_a_page_and_a_code,
);
