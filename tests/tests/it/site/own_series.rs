//! Series of events in the dashboard: repeated, and changed and cancelled for later dates as well.

use std::sync::Arc;

use domain::plan::Plan;
use http::StatusCode;
use muster_api::v1::bindings::{AddRegistration, ListMyEvents, RepeatEvent};
use serde_json::json;
use tests::{Browser, Client, Created, Surface, TestApp};

use super::{
    members::joined,
    typed::{fields, with},
};

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
    let all = listed
        .split('"')
        .find(|part| part.starts_with("/events?series="));
    owner.publish_new(json!({"title": "Another evening"})).await;
    let dates = browser.page(all.unwrap()).await;
    let dates = dates.html(200);
    assert!(
        dates.contains("4 events") && !dates.contains("Another evening"),
        "{dates}"
    );
    let series = all.unwrap().split_once('?').unwrap().1;
    let file = browser.page(&format!("/events.ics?{series}")).await;
    let file = String::from_utf8_lossy(&file.body);
    assert_eq!(file.matches("BEGIN:VEVENT").count(), 4, "{file}");
}

async fn a_member_for_one_date_is_told_of_no_others(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app).await;
    let request = json!({"id": event.id, "every": "week", "count": 2, "is_public": true});
    owner.ok::<RepeatEvent>(request).await;
    let fields = [
        ("email", "kim@example.org"),
        ("role", "organizer"),
        ("events", "some"),
        ("events.ids", &*event.id),
    ];
    let kim = joined(&app, &browser, &fields).await;
    let overview = format!("/dashboard/events/{}", event.id);
    let theirs = kim.page(&overview).await;
    assert!(
        !theirs.html(200).contains("Dates of this series"),
        "{theirs:?}"
    );
    let owners = browser.page(&overview).await;
    assert!(
        owners.html(200).contains("Dates of this series: 3"),
        "{owners:?}"
    );
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
    let form = form.html(200);
    assert!(form.contains("This date and the next one"));
    // Somebody is registered for the next one.
    assert!(!form.contains("No emails will be sent"), "{form}");
    assert!(form.contains("you see who gets an email"), "{form}");
    let chosen = [("scope", "following"), ("reason", "We move.")];
    let review = browser.send(&cancel, &chosen).await;
    let review = review.html(200).to_owned();
    assert!(
        review.contains("Cancel these 2 dates and email 1 person"),
        "{review}"
    );
    for date in ["Tuesday, 23 March 2027", "Tuesday, 30 March 2027"] {
        assert!(review.contains(date), "no {date} in {review}");
    }
    let send = [&chosen[..], &[("action", "cancel")]].concat();
    let done = browser.send(&cancel, &send).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{done:?}");
    let mine = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(mine["count"], 1);
}

async fn a_change_of_later_dates_says_for_how_many_it_is(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app).await;
    let request = json!({"id": event.id, "every": "week", "count": 2, "is_public": true});
    let repeated = owner.ok::<RepeatEvent>(request).await;
    for name in ["ada", "bo"] {
        let guest = json!({
            "id": repeated["items"][1]["id"], "name": name, "email": format!("{name}@example.org"),
        });
        owner.ok::<AddRegistration>(guest).await;
    }
    let edit = format!("/dashboard/events/{}/edit", event.id);
    let opened = browser.page(&edit).await.html(200).to_owned();
    let form = fields(&opened);
    let sent = async |more: &[(&str, &str)]| {
        let changed = [&[("scope", "following"), ("action", "save")], more].concat();
        browser.send(&edit, &with(&form, &changed)).await
    };
    let nothing = sent(&[]).await;
    assert_eq!(nothing.status, StatusCode::SEE_OTHER);
    let nothing = browser.follow(&nothing).await;
    assert!(nothing.html(200).contains("You changed nothing"));

    let review = sent(&[("location", "xHain")]).await;
    let review = review.html(200).to_owned();
    for words in [
        "Save for 3 dates and email 2 people?",
        "Tuesday, 16 March 2027",
        // The mail is about the date that they are registered for.
        "    Tuesday, 30 March 2027, 18:00 (Berlin time)\n    xHain",
    ] {
        assert!(review.contains(words), "no {words:?} in {review}");
    }
    let refused = sent(&[("max_capacity", "1")]).await;
    let words = "On 30 March 2027: 2 spots are taken already. Enter at least 2.";
    assert!(refused.html(409).contains(words), "{refused:?}");
    let refused = sent(&[("start_date", "2027-03-21T02:30"), ("end_date", "")]).await;
    let words = "On 23 March 2027: Clocks are put forward then";
    assert!(refused.html(400).contains(words), "{refused:?}");
}

async fn a_repetition_says_what_is_not_new_and_what_the_plan_leaves(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = json!({"start_date": "2027-03-16T18:00", "timezone": "Europe/Berlin"});
    let event = owner.publish_new(event).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let path = format!("/dashboard/events/{}/repeat", event.id);
    let rule = |count: &'static str| {
        [
            ("rule", "week"),
            ("interval", "1"),
            ("weekdays", "Tuesday"),
            ("count", count),
            ("except", "2027-03-23, 2027-03-24"),
        ]
    };
    let refused = browser.send(&path, &rule("9")).await;
    let refused = refused.html(403).to_owned();
    assert!(
        refused.contains("of which 2 are left, and this needs 8"),
        "{refused}"
    );
    assert!(
        refused.contains("value=\"2027-03-23, 2027-03-24\""),
        "{refused}"
    );

    let review = browser.send(&path, &rule("2")).await;
    let review = review.html(200).to_owned();
    for words in [
        "Repeat on this date?",
        "Tuesday, 23 March 2027, as you asked",
        "Wednesday, 24 March 2027: you left it out, but it is none of the dates",
    ] {
        assert!(review.contains(words), "no {words:?} in {review}");
    }
    let send = [&rule("2")[..], &[("action", "repeat"), ("key", "once")]].concat();
    let done = browser.send(&path, &send).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{done:?}");
    let again = browser.send(&path, &rule("2")).await;
    let again = again.html(200).to_owned();
    assert!(again.contains("No new dates"), "{again}");
    assert!(!again.contains("value=\"repeat\""), "{again}");

    let wrong = [
        ("rule", "week"),
        ("interval", "1"),
        ("count", "2"),
        ("except", "2027-03-23, soon"),
    ];
    let wrong = browser.send(&path, &wrong).await;
    assert!(wrong.html(400).contains("Number 2: "), "{wrong:?}");
}

async fn the_page_of_a_long_series_shows_the_dates_around_its_own(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = json!({"start_date": "2027-03-16T18:00", "timezone": "Europe/Berlin"});
    let event = owner.publish_new(event).await;
    for until in ["2028-03-14", "2029-03-13", "2029-06-26"] {
        let more = json!({"id": event.id, "every": "week", "until": until});
        owner.ok::<RepeatEvent>(more).await;
    }
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = async |path: String| browser.page(&path).await.html(200).to_owned();
    let overview = page(format!("/dashboard/events/{}", event.id)).await;
    for words in [
        "(this one)",
        "Tuesday, 23 March 2027",
        "Dates of this series: 120",
    ] {
        assert!(overview.contains(words), "no {words:?} in {overview}");
    }
    // More follow than one change is for.
    let edit = page(format!("/dashboard/events/{}/edit", event.id)).await;
    assert!(edit.contains("Too many dates follow"), "{edit}");
    let mine = json!({"from": "2027-09-07", "to": "2027-09-07"});
    let mine = owner.ok::<ListMyEvents>(mine).await;
    let id = mine["items"][0]["id"].as_str().unwrap();
    let overview = page(format!("/dashboard/events/{id}")).await;
    for words in ["(this one)", "31 August 2027", "14 September 2027"] {
        assert!(overview.contains(words), "no {words:?} in {overview}");
    }
    for form in ["edit", "cancel"] {
        let form = page(format!("/dashboard/events/{id}/{form}")).await;
        assert!(form.contains("This date and the 94 after it"), "{form}");
    }
}

tests::on_both_engines!(
    a_change_of_later_dates_says_for_how_many_it_is,
    a_repetition_says_what_is_not_new_and_what_the_plan_leaves,
    the_page_of_a_long_series_shows_the_dates_around_its_own,
    an_organizer_repeats_an_event_by_forms,
    a_member_for_one_date_is_told_of_no_others,
    an_organizer_changes_and_cancels_later_dates_by_forms,
);
