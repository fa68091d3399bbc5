//! Reminders in the dashboard: chosen in the form of an event, and shown as people will read them.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{ListMyEvents, UpdateEvent};
use serde_json::{Value, json};
use tests::{Browser, Client, Created, Surface, TestApp};

use super::typed::{fields, with};

const NEW: &str = "/dashboard/events/new";

async fn organizer(app: &Arc<TestApp>) -> (Browser, Client) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    (Browser::signed_in(app, &account.email).await, owner)
}

/// The reminders of the newest event.
async fn newest(owner: &Client) -> (Created, Value) {
    let listed = owner.ok::<ListMyEvents>(json!({"status": "all"})).await;
    let items = listed["items"].as_array().unwrap().iter();
    let newest = items.max_by_key(|event| event["id"].as_str()).unwrap();
    let text = |field: &str| newest[field].as_str().unwrap().to_owned();
    let event = Created {
        id: text("id"),
        slug: text("slug"),
    };
    let reminders = owner.detail(&event).await["reminders"].clone();
    (event, reminders)
}

async fn a_new_event_has_the_reminders_that_are_chosen(app: Arc<TestApp>) {
    let (browser, owner) = organizer(&app).await;
    let opened = browser.page(NEW).await;
    let opened = fields(opened.html(200));
    let typed = [
        ("title", "Rust Night"),
        ("description", "Two talks."),
        ("location", "c-base"),
        ("start_date", "2030-05-14T19:00"),
        ("timezone", "Europe/Berlin"),
        ("action", "draft"),
    ];
    for (chosen, expected) in [
        (&[][..], json!([24])),
        (&[("reminders[0]", "")], json!([])),
        (&[("reminders[1]", "2")], json!([24, 2])),
        (
            &[("reminders[0]", ""), ("reminders[1]", "168")],
            json!([168]),
        ),
    ] {
        let key = expected.to_string();
        let form = [&typed[..], chosen, &[("key", &*key)]].concat();
        let form = with(&opened, &form);
        let saved = browser.send(NEW, &form).await;
        assert_eq!(saved.status, 303, "{chosen:?}: {saved:?}");
        app.advance(std::time::Duration::from_secs(1));
        assert_eq!(newest(&owner).await.1, expected, "{chosen:?}");
    }
    let same = [&typed[..], &[("reminders[1]", "24")]].concat();
    let same = with(&opened, &same);
    let refused = browser.send(NEW, &same).await;
    let html = refused.html(400);
    assert!(html.contains("This is there twice."), "{html}");
}

async fn an_event_is_changed_with_its_reminders(app: Arc<TestApp>) {
    let (browser, owner) = organizer(&app).await;
    let event = owner.publish_new(json!({})).await;
    // What only the API can set is in the form, too.
    let thirty = json!({"id": event.id, "reminders": [30]});
    owner.ok::<UpdateEvent>(thirty).await;
    let edit = format!("/dashboard/events/{}/edit", event.id);
    for (chosen, expected) in [
        (&[][..], json!([30])),
        (&[("reminders[1]", "1")], json!([30, 1])),
        (&[("reminders[0]", ""), ("reminders[1]", "")], json!([])),
    ] {
        let page = browser.page(&edit).await;
        let opened = fields(page.html(200));
        let form = with(&opened, chosen);
        assert_eq!(browser.send(&edit, &form).await.status, 303, "{chosen:?}");
        assert_eq!(newest(&owner).await.1, expected, "{chosen:?}");
    }
    let overview = format!("/dashboard/events/{}", event.id);
    let page = browser.page(&overview).await;
    assert!(page.html(200).contains("<dt>Reminders</dt><dd>None</dd>"));
}

async fn a_reminder_is_shown_as_people_will_read_it(app: Arc<TestApp>) {
    let (browser, owner) = organizer(&app).await;
    let event = owner.create(json!({"reminders": [24, 2]})).await;
    let overview = format!("/dashboard/events/{}", event.id);
    let times = "1 day before and 2 hours before";
    let html = browser.page(&overview).await.html(200).to_owned();
    assert!(html.contains(&format!("By email, {times}")), "{html}");
    let publish = browser.page(&format!("{overview}/publish")).await;
    assert!(publish.html(200).contains(times));
    let path = format!("{overview}/reminder");
    assert!(html.contains(&format!("href=\"{path}\"")), "{html}");
    let shown = browser.page(&path).await;
    let html = shown.html(200);
    for part in [
        times,
        "0 people so far",
        "Reminder: Rust Meetup",
        "Can&#39;t come? Free your spot",
        "/registrations/[link]/no-reminders",
        "[code]",
        // As mail programs show it, with a picture of no guest's code.
        "sandbox=\"allow-popups allow-popups-to-escape-sandbox\" srcdoc=\"&#60;!doctype html&#62;",
        "&#60;img src=&#34;data:image/png;base64,",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let policy = shown.header("content-security-policy").unwrap();
    assert!(
        policy.contains("style-src-attr 'unsafe-inline'"),
        "{policy}"
    );
    let (stranger, _) = organizer(&app).await;
    stranger.page(&path).await.html(404);
}

tests::on_both_engines!(
    a_new_event_has_the_reminders_that_are_chosen,
    an_event_is_changed_with_its_reminders,
    a_reminder_is_shown_as_people_will_read_it,
);
