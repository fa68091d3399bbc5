//! The dashboard's pages of what happened.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::UpdateEvent;
use serde_json::json;
use tests::{Browser, Surface, TestApp};

use super::{attributes, unescaped};

async fn what_happened_is_told_in_sentences_and_found(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"title": "Rust <Night>"})).await;
    let other = owner.publish_new(json!({"title": "Go Night"})).await;
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "max_capacity": 7}))
        .await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = browser.page("/dashboard/activity").await;
    let html = unescaped(page.html(200));
    for told in ["created \"Rust <Night>\"", "created \"Go Night\""] {
        assert!(html.contains(told), "{told}: {html}");
    }
    assert!(!page.html(200).contains("<Night>"), "{html}");
    let path = format!("/dashboard/events/{}", event.id);
    assert!(attributes(page.html(200), "href").contains(&&*path));

    let of_event = browser.page(&format!("{path}/activity")).await;
    let html = of_event.html(200);
    assert!(!html.contains("Go Night"), "{html}");
    assert!(html.contains("<ins>7</ins>"), "{html}");
    let found = browser.page("/dashboard/activity?q=go+night").await;
    let html = found.html(200);
    assert!(
        html.contains("Go Night") && !html.contains("Rust"),
        "{html}"
    );
    let nothing = browser.page("/dashboard/activity?to=2020-01-01").await;
    assert!(nothing.html(200).contains("Nothing matches"));
    let wrong = browser.page("/dashboard/activity?from=soon&q=x").await;
    let html = wrong.html(400);
    assert!(
        html.contains("role=\"alert\"") && html.contains("value=\"x\""),
        "{html}"
    );

    let file = attributes(found.html(200), "href");
    let file = file.iter().find(|path| path.contains(".csv")).unwrap();
    assert_eq!(unescaped(file), "/dashboard/activity.csv?q=go+night");
    for (query, told, untold) in [
        ("?q=go+night".to_owned(), "Go Night", "Rust"),
        (
            format!("?event_id={}", event.id),
            "Rust <Night>",
            "Go Night",
        ),
    ] {
        let csv = browser
            .page(&format!("/dashboard/activity.csv{query}"))
            .await;
        let name = "attachment; filename=\"activity.csv\"";
        assert_eq!(csv.header("content-disposition"), Some(name));
        let text = String::from_utf8(csv.body.to_vec()).unwrap();
        assert!(text.contains(told) && !text.contains(untold), "{text}");
    }

    let stranger = app.account(Plan::Pro).await;
    let stranger = Browser::signed_in(&app, &stranger.email).await;
    let page = format!("/dashboard/events/{}/activity", other.id);
    stranger.page(&page).await.html(404);
    let page = format!("/dashboard/activity.csv?event_id={}", other.id);
    stranger.page(&page).await.html(404);
}

async fn days_and_times_are_those_of_the_zone_that_the_page_names(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner
        .create(json!({"title": "Rust Night", "timezone": "America/New_York"}))
        .await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = "/dashboard/activity";
    let in_utc = browser.page(page).await;
    let html = in_utc.html(200);
    assert!(html.contains("Times in UTC"), "{html}");
    assert!(html.contains("15 January 2027, 12:00<"), "{html}");

    let zone = [
        ("account_id", &*account.id.to_string()),
        ("action", "account"),
        ("account_name", "Rust Leeds"),
        ("timezone", "Pacific/Auckland"),
    ];
    assert_eq!(browser.send("/dashboard/account", &zone).await.status, 303);
    // There, it was already the next day when the event was created.
    for (query, is_found) in [
        ("?q=rust+night&from=2027-01-16&to=2027-01-16", true),
        ("?q=rust+night&to=2027-01-15", false),
    ] {
        let found = browser.page(&format!("{page}{query}")).await;
        let html = found.html(200);
        let zone = "Times in Pacific/Auckland";
        assert!(html.contains(zone), "{html}");
        let time = "16 January 2027, 01:00<";
        assert_eq!(html.contains(time), is_found, "{html}");
        let links = attributes(html, "href");
        let file = links.iter().find(|path| path.contains(".csv")).unwrap();
        let csv = browser.page(&unescaped(file)).await;
        let text = String::from_utf8(csv.body.to_vec()).unwrap();
        assert_eq!(text.contains("Rust Night"), is_found, "{text}");
    }

    let of_event = format!("/dashboard/events/{}/activity", event.id);
    let query = "?from=2027-01-15&to=2027-01-15";
    let of_event = browser.page(&format!("{of_event}{query}")).await;
    let html = of_event.html(200);
    assert!(html.contains("Times in America/New_York"), "{html}");
    assert!(html.contains("15 January 2027, 07:00<"), "{html}");
}

async fn long_lists_go_on_where_the_page_before_ended(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    for number in 0..51 {
        owner
            .create(json!({"title": format!("Night {number:02}")}))
            .await;
    }
    let browser = Browser::signed_in(&app, &account.email).await;
    for list in [
        "/dashboard",
        "/dashboard?q=night",
        "/dashboard/activity?q=night",
    ] {
        let (mut path, mut seen) = (list.to_owned(), Vec::new());
        for _page in 0..3 {
            let page = browser.page(&path).await;
            let html = page.html(200);
            let titles = html
                .split("Night ")
                .skip(1)
                .map(|rest| rest[..2].to_owned());
            seen.extend(titles);
            let next = html.split("<a ").find(|tag| tag.contains("rel=\"next\""));
            let Some(next) = next else { break };
            let next = next.split("href=\"").nth(1).unwrap();
            path = unescaped(next.split('"').next().unwrap());
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 51, "{list}: {seen:?}");
    }
    let foreign = browser.page("/dashboard?cursor=x").await;
    assert!(foreign.html(400).contains("role=\"alert\""));
}

tests::on_both_engines!(
    what_happened_is_told_in_sentences_and_found,
    days_and_times_are_those_of_the_zone_that_the_page_names,
    long_lists_go_on_where_the_page_before_ended,
);
