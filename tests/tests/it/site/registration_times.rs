//! Pages say when registration opens and that it is closed, where the form would be; organizers set the times in their form.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::UpdateEvent;
use serde_json::json;
use tests::{Browser, Surface, TestApp};

use super::typed::{fields, with};

async fn pages_say_when_registration_opens(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({
            "timezone": "Europe/Berlin", "start_date": "2027-05-01T18:00",
            "registration_opens": "2027-04-01T09:00", "registration_closes": "2027-04-30T20:00",
        }))
        .await;
    let path = format!("/events/{}", event.slug);
    let register = format!("{path}/register");
    let opens = "Registration opens on Thursday, 1 April 2027, 09:00 (Berlin time).";
    let page = app.site.page(&path).send().await;
    let html = page.html(200);
    assert!(html.contains(opens), "{html}");
    assert!(
        !html.contains(&format!("href=\"{register}\"")),
        "there is no button"
    );
    assert!(html.contains("\"validFrom\":\"2027-04-01T09:00:00+02:00\""));
    assert!(html.contains("\"validThrough\":\"2027-04-30T20:00:00+02:00\""));
    assert!(html.contains("/event.ics"), "it can go into a calendar");
    let page = app.site.page(&register).send().await;
    let html = page.html(200);
    assert!(
        html.contains(opens) && !html.contains("<form class"),
        "{html}"
    );
    let card = app.site.page(&format!("{path}/embed")).send().await;
    assert!(card.html(200).contains("Registration opens later"));

    app.clock.advance_seconds(76 * 86_400);
    let page = app.site.page(&path).send().await;
    let html = page.html(200);
    let closes = "Registration closes on Friday, 30 April 2027, 20:00 (Berlin time).";
    assert!(
        html.contains(closes) && html.contains(&format!("href=\"{register}\"")),
        "{html}"
    );

    app.advance(Duration::from_hours(30 * 24));
    let past = "Registration closed on Friday, 30 April 2027, 20:00 (Berlin time).";
    for page in [&path, &register] {
        let page = app.site.page(page).send().await;
        assert!(page.html(200).contains(past), "{page:?}");
    }
}

async fn who_sends_the_form_too_late_is_led_to_the_reason(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let register = format!("/events/{}/register", event.slug);
    let browser = Browser::new(&app);
    let page = browser.page(&register).await;
    let typed = fields(page.html(200));
    let close = json!({"id": event.id, "is_registration_open": false});
    owner.ok::<UpdateEvent>(close).await;
    let person = with(&typed, &[("name", "Ada"), ("email", "ada@example.org")]);
    let sent = browser.send(&register, &person).await;
    let page = browser.follow(&sent).await;
    assert!(page.html(200).contains("<h1>Registration is closed</h1>"));
    assert!(app.registrations(&event.id).await.is_empty());
}

async fn an_organizer_sets_the_times_in_the_form(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let browser = Browser::signed_in(&app, &account.email).await;
    let event = owner
        .publish_new(json!({"timezone": "Europe/Berlin", "start_date": "2027-05-01T18:00"}))
        .await;
    let overview = format!("/dashboard/events/{}", event.id);
    let edit = format!("{overview}/edit");
    let page = browser.page(&edit).await;
    let typed = fields(page.html(200));
    let times = [
        ("registration_opens", "2027-04-01T09:00"),
        ("registration_closes", "2027-04-30T20:00"),
    ];
    let saved = browser.send(&edit, &with(&typed, &times)).await;
    let page = browser.follow(&saved).await;
    assert!(
        page.html(200)
            .contains("Opens on Thursday, 1 April 2027, 09:00")
    );
    let detail = owner.detail(&event).await;
    assert_eq!(detail["registration_opens"], "2027-04-01T09:00:00+02:00");
    assert_eq!(detail["registration_closes"], "2027-04-30T20:00:00+02:00");

    let page = browser.page(&edit).await;
    let typed = fields(page.html(200));
    let closed = [
        ("registration_opens", ""),
        ("is_registration_open", "false"),
    ];
    browser.send(&edit, &with(&typed, &closed)).await;
    let detail = owner.detail(&event).await;
    assert_eq!(detail["registration_opens"], json!(null));
    assert_eq!(detail["is_registration_open"], false);
    let page = browser.page(&overview).await;
    assert!(
        page.html(200)
            .contains("<strong>Registration is closed.</strong>")
    );

    let page = browser.page(&edit).await;
    let typed = fields(page.html(200));
    let earlier = [("start_date", "2027-04-20T18:00")];
    let refused = browser.send(&edit, &with(&typed, &earlier)).await;
    assert!(
        refused
            .html(400)
            .contains("id=\"registration_closes-wrong\"")
    );
}

async fn a_preview_of_a_draft_shows_when_registration_opens(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let browser = Browser::signed_in(&app, &account.email).await;
    let times = json!({"registration_opens": "2027-04-01T09:00:00Z"});
    let draft = owner.create(times).await;
    let preview = format!("/dashboard/events/{}/preview", draft.id);
    let page = browser.page(&preview).await;
    assert!(
        page.html(200)
            .contains("Registration opens on Thursday, 1 April 2027")
    );
}

tests::on_both_engines!(
    pages_say_when_registration_opens,
    who_sends_the_form_too_late_is_led_to_the_reason,
    an_organizer_sets_the_times_in_the_form,
    a_preview_of_a_draft_shows_when_registration_opens,
);
