//! How many spots are taken and left, as pages say it.

use std::sync::Arc;

use domain::{plan::Plan, registration::Status};
use serde_json::json;
use tests::{Browser, Surface, TestApp};

async fn visitors_are_told_of_spots_once_they_are_few(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    for (capacity, taken, shown) in [
        (20, 9, None),
        (20, 10, Some("10 spots left")),
        (200, 179, None),
        (200, 180, Some("20 spots left")),
    ] {
        let event = owner.publish_new(json!({"max_capacity": capacity})).await;
        app.register(&event.id, &vec![Status::Confirmed; taken])
            .await;
        let page = app
            .site
            .page(&format!("/events/{}", event.slug))
            .send()
            .await;
        let html = page.html(200);
        match shown {
            Some(words) => assert!(html.contains(words), "{html}"),
            None => assert!(
                !html.contains("left") && !html.contains("remaining"),
                "{html}"
            ),
        }
        let listed = app.over(Surface::Http).anyone();
        let listed = listed
            .ok::<muster_api::v1::bindings::GetEvent>(json!({"slug": event.slug}))
            .await;
        assert_eq!(
            listed["seats_left"],
            capacity - i32::try_from(taken).unwrap()
        );
    }
}

async fn the_list_of_events_counts_who_waits_apart(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"max_capacity": 12})).await;
    app.register(&event.id, &[Status::Confirmed; 12]).await;
    app.register(&event.id, &[Status::Waitlisted; 5]).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = browser.page("/dashboard").await;
    let html = page
        .html(200)
        .replace("<span class=\"hide\">", "")
        .replace("</span>", "");
    assert!(
        html.contains("12 of 12 spots are taken, 5 waiting"),
        "{html}"
    );
}

tests::on_both_engines!(
    visitors_are_told_of_spots_once_they_are_few,
    the_list_of_events_counts_who_waits_apart,
);
