//! The code for the door, and calendar files.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CheckIn, ListRegistrations, RegisterAttendee};
use serde_json::json;
use tests::{Surface, TestApp};

async fn the_code_of_a_ticket_opens_a_page_without_a_name(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    let guest = json!({"slug": event.slug, "name": "Grace Hopper", "email": "grace@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    app.drain_jobs().await;
    let mail = app.mails().remove(0);
    let (_, after) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let private = format!(
        "/registrations/{}",
        after.split_whitespace().next().unwrap()
    );

    let page = app.site.page(&private).send().await;
    let html = page.html(200);
    assert!(html.contains("<svg xmlns"), "{html}");
    let (_, after) = html.split_once("<p class=\"code\">").unwrap();
    let code = after.split('<').next().unwrap().to_owned();
    assert_eq!(code.len(), 14);
    assert!(!private.contains(&code));

    let ticket = format!("/check-in/{code}");
    for (expected, checks_in) in [("This ticket is valid", true), ("Checked in", false)] {
        let page = app.site.page(&ticket).send().await;
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("x-robots-tag"), Some("noindex"));
        let html = page.html(200);
        assert!(
            html.contains(expected) && html.contains("Rust Night"),
            "{html}"
        );
        assert!(
            !html.contains("Grace") && !html.contains("grace@"),
            "{html}"
        );
        if checks_in {
            let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
            let id = &list["items"][0]["id"];
            owner
                .ok::<CheckIn>(json!({"id": event.id, "registration_id": id}))
                .await;
        }
    }
    let page = app.site.page(&private).send().await;
    let html = page.html(200);
    assert!(html.contains("You’re checked in"));
    assert!(!html.contains("/cancel\""), "{html}");
    for unknown in ["x", "01234567890123456789", "%00"] {
        let page = app.site.page(&format!("/check-in/{unknown}")).send().await;
        page.html(404);
    }

    let mine = app.site.page(&format!("{private}/event.ics")).send().await;
    assert_eq!(
        mine.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    assert_eq!(mine.header("cache-control"), Some("no-store"));
    assert_eq!(mine.header("x-robots-tag"), Some("noindex"));
    let uid = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("UID:"));
        line.unwrap().trim().to_owned()
    };
    let mine = String::from_utf8(mine.body.to_vec()).unwrap();
    assert_eq!(uid(&mine), uid(mail.calendar.as_deref().unwrap()));
    let public = app.site.page(&format!("/events/{}/event.ics", event.slug));
    let public = public.send().await;
    assert_eq!(
        public.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    let public = String::from_utf8(public.body.to_vec()).unwrap();
    assert!(public.contains("SUMMARY:Rust Night"), "{public}");
    assert!(uid(&public) != uid(&mine));
}

tests::on_both_engines!(the_code_of_a_ticket_opens_a_page_without_a_name);
