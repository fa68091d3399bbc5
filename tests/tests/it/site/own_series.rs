//! Series of events in the dashboard: repeated, and changed and cancelled for later dates as well.

use std::sync::Arc;

use domain::plan::Plan;
use http::StatusCode;
use muster_api::v1::bindings::{AddRegistration, ListMyEvents, RepeatEvent};
use serde_json::json;
use tests::{Browser, Client, Created, Surface, TestApp};

use super::typed::{fields, with};

async fn organizer(app: &Arc<TestApp>) -> (Browser, Client, Created) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = json!({"start_date": "2027-03-16T18:00", "timezone": "Europe/Berlin"});
    let event = owner.publish_new(event).await;
    let browser = Browser::signed_in(app, &account.email).await;
    (browser, owner, event)
}

async fn an_organizer_repeats_an_event_by_forms(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app).await;
    let path = format!("/dashboard/events/{}/repeat", event.id);
    let opened = browser.page(&path).await;
    let opened = opened.html(200);
    assert!(
        opened.contains("Every month on the third Tuesday"),
        "{opened}"
    );

    let nothing = [("rule", "week"), ("interval", "1"), ("count", "x")];
    let refused = browser.send(&path, &nothing).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{refused:?}");
    let typed = [
        ("rule", "week"),
        ("interval", "2"),
        ("weekdays", "Tuesday"),
        ("weekdays", "Thursday"),
        ("count", "3"),
        ("is_public", "true"),
    ];
    let review = browser.send(&path, &typed).await;
    let review = review.html(200);
    for words in [
        "Repeat on these 3 dates?",
        "Thursday, 18 March",
        "Tuesday, 30 March",
        "Create 3 events",
    ] {
        assert!(review.contains(words), "no {words:?} in {review}");
    }
    let send = [&typed[..], &[("action", "repeat"), ("key", "once")]].concat();
    for _ in 0..2 {
        let done = browser.send(&path, &send).await;
        assert_eq!(done.status, StatusCode::SEE_OTHER, "{done:?}");
    }
    let overview = browser
        .page(&format!("/dashboard/events/{}", event.id))
        .await;
    let overview = overview.html(200).to_owned();
    assert!(overview.contains("Dates of this series"), "{overview}");
    let all = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(all["count"], 4);

    let page = browser.page(&format!("/events/{}", event.slug)).await;
    let page = page.html(200).to_owned();
    let listed = page.split("Other dates").nth(1).unwrap();
    assert!(listed.contains("Thursday, 18 March"), "{listed}");
}

async fn an_organizer_changes_and_cancels_later_dates_by_forms(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app).await;
    let edit = format!("/dashboard/events/{}/edit", event.id);
    let opened = browser.page(&edit).await;
    assert!(!opened.html(200).contains("Which dates?"));
    let request = json!({"id": event.id, "every": "week", "count": 2, "is_public": true});
    let repeated = owner.ok::<RepeatEvent>(request).await;
    let opened = browser.page(&edit).await;
    let opened = opened.html(200);
    assert!(opened.contains("This date and the 2 after it"), "{opened}");
    let typed = [
        ("title", "Rust Night"),
        ("scope", "following"),
        ("action", "save"),
    ];
    let saved = browser.send(&edit, &with(&fields(opened), &typed)).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{saved:?}");
    let mine = owner.ok::<ListMyEvents>(json!({})).await;
    let titles = mine["items"].as_array().unwrap().iter();
    assert!(titles.clone().count() == 3 && titles.clone().all(|one| one["title"] == "Rust Night"));

    let guest = json!({
        "id": repeated["items"][1]["id"], "name": "Ada", "email": "ada@example.org",
    });
    owner.ok::<AddRegistration>(guest).await;
    let cancel = format!(
        "/dashboard/events/{}/cancel",
        repeated["items"][0]["id"].as_str().unwrap()
    );
    let form = browser.page(&cancel).await;
    assert!(form.html(200).contains("This date and the next one"));
    let chosen = [("scope", "following"), ("reason", "We move.")];
    let review = browser.send(&cancel, &chosen).await;
    let review = review.html(200).to_owned();
    assert!(
        review.contains("Cancel these dates and email 1 person"),
        "{review}"
    );
    let send = [&chosen[..], &[("action", "cancel")]].concat();
    let done = browser.send(&cancel, &send).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{done:?}");
    let mine = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(mine["count"], 1);
}

tests::on_both_engines!(
    an_organizer_repeats_an_event_by_forms,
    an_organizer_changes_and_cancels_later_dates_by_forms,
);
