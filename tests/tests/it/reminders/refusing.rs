//! "No reminders for this event": the link in a reminder. Opening it changes nothing, since mail scanners do.

use std::sync::Arc;

use http::Method;
use muster_api::v1::bindings::ListRegistrations;
use serde_json::{Value, json};
use tests::{Mail, Request, TestApp};

use super::Scene;

/// Someone with the first of two reminders.
async fn reminded(app: Arc<TestApp>) -> (Scene, Mail) {
    let scene = Scene::set(app, json!({"reminders": [48, 24]}), &["ada", "bob"]).await;
    scene.pass_until("2027-01-18T18:00:00Z");
    let mail = scene.reminders().await.remove(0);
    (scene, mail)
}

/// The path of the page on which reminders are refused.
fn path(mail: &Mail) -> String {
    let mut words = mail.text.split_whitespace();
    let url = words.find(|word| word.ends_with("/no-reminders")).unwrap();
    let path = url.strip_prefix(TestApp::PUBLIC_URL);
    path.unwrap().to_owned()
}

/// What a provider posts when someone unsubscribes in their mail program (RFC 8058): without a word of where it comes from.
fn one_click(app: &TestApp, path: &str) -> Request {
    let request = app.site.request(Method::POST, path);
    request
        .header("content-type", "application/x-www-form-urlencoded")
        .body("List-Unsubscribe=One-Click")
}

async fn statuses(scene: &Scene) -> Vec<Value> {
    let listed = json!({"id": scene.event.id});
    let listed = scene.owner.ok::<ListRegistrations>(listed).await;
    let items = listed["items"].as_array().unwrap().iter();
    items.map(|one| one["status"].clone()).collect()
}

async fn opening_the_link_changes_nothing(app: Arc<TestApp>) {
    let (scene, mail) = reminded(app).await;
    let path = path(&mail);
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        let reply = scene.app.site.request(method, &path).send().await;
        assert!(reply.status.is_success(), "{reply:?}");
    }
    let page = scene.app.site.page(&path).send().await;
    let html = page.html(200);
    assert!(html.contains("No reminders for this event?"), "{html}");
    assert!(html.contains(&format!("action=\"{path}\" method=\"post\"")));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada", "ada", "bob", "bob"]);
}

async fn the_button_stops_reminders_and_nothing_else(app: Arc<TestApp>) {
    let (scene, mail) = reminded(app).await;
    let path = path(&mail);
    for _again in 0..2 {
        let reply = scene.app.site.form(&path, &[]).send().await;
        let html = reply.html(200);
        assert!(
            html.contains("You won’t get reminders for this event"),
            "{html}"
        );
    }
    assert_eq!(statuses(&scene).await, ["Confirmed", "Confirmed"]);
    let refusals = scene.activity().await.into_iter();
    let refusals = refusals.filter(|said| said == "ada wants no reminders of \"Rust Meetup\"");
    assert_eq!(refusals.count(), 1);
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada", "bob", "bob"]);
    // What changes is told nevertheless.
    scene.change(json!({"location": "Elsewhere"})).await;
    scene.pass_until("2027-01-19T18:05:00Z");
    scene.app.drain_jobs().await;
    let mails = scene.app.mails();
    let is_told = |mail: &&Mail| mail.subject.starts_with("New time or place");
    assert_eq!(mails.iter().filter(is_told).count(), 2);
}

async fn one_click_in_a_mail_program_stops_them_too(app: Arc<TestApp>) {
    let (scene, mail) = reminded(app).await;
    let path = path(&mail);
    let url = format!("<{}{path}>", TestApp::PUBLIC_URL);
    assert_eq!(mail.header("List-Unsubscribe"), Some(&*url));
    let post = mail.header("List-Unsubscribe-Post");
    assert_eq!(post, Some("List-Unsubscribe=One-Click"));
    let reply = one_click(&scene.app, &path).send().await;
    assert_eq!(reply.status, 200, "no redirect: {reply:?}");
    assert_eq!(statuses(&scene).await, ["Confirmed", "Confirmed"]);
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada", "bob", "bob"]);
    // No other mail has one click: its link leads to a page that cancels.
    let others = scene.app.mails();
    let mut others = others
        .iter()
        .filter(|mail| mail.subject.starts_with("You are"));
    let is_asking = |mail: &Mail| {
        mail.header("List-Unsubscribe").is_some() && mail.header("List-Unsubscribe-Post").is_none()
    };
    assert!(others.all(is_asking));
}

async fn someone_who_refuses_between_scheduling_and_sending_gets_none(app: Arc<TestApp>) {
    let (scene, mail) = reminded(app).await;
    scene.hold_mails().await;
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.scheduled().await, 2);
    let path = path(&mail);
    assert_eq!(one_click(&scene.app, &path).send().await.status, 200);
    scene.release_mails().await;
    assert_eq!(scene.reminded().await, ["ada", "bob", "bob"]);
}

async fn a_forged_link_leads_nowhere(app: Arc<TestApp>) {
    let (scene, mail) = reminded(app).await;
    let path = path(&mail);
    let token = path.split('/').nth(2).unwrap();
    let last = if token.ends_with('A') { "B" } else { "A" };
    let other = [&token[..token.len() - 1], last].concat();
    for token in [&*other, "", "x", "..%2f"] {
        let path = format!("/registrations/{token}/no-reminders");
        for reply in [
            scene.app.site.page(&path).send().await,
            scene.app.site.form(&path, &[]).send().await,
            one_click(&scene.app, &path).send().await,
        ] {
            assert_eq!(reply.status, 404, "{path}: {reply:?}");
        }
    }
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada", "ada", "bob", "bob"]);
}

tests::on_both_engines!(
    opening_the_link_changes_nothing,
    the_button_stops_reminders_and_nothing_else,
    one_click_in_a_mail_program_stops_them_too,
    someone_who_refuses_between_scheduling_and_sending_gets_none,
    a_forged_link_leads_nowhere,
);
