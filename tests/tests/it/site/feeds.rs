//! The catalogue as a feed and as a calendar file.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CancelEvent, UpdateEvent};
use serde_json::json;
use tests::{Reply, Surface, TestApp};

const HOSTILE: &str = "</script><script>alert(1)</script> \"& 🎉";

async fn read(app: &TestApp, path: &str) -> Reply {
    let reply = app.site.page(path).send().await;
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    reply
}

fn text(reply: &Reply) -> &str {
    std::str::from_utf8(&reply.body).unwrap()
}

/// The texts between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Vec<&'t str> {
    let parts = text.split(before).skip(1);
    parts
        .map(|rest| rest.split(after).next().unwrap())
        .collect()
}

/// The titles in both files, which must be the same.
async fn titles(app: &TestApp, query: &str) -> Vec<String> {
    let calendar = read(app, &format!("/events.ics{query}")).await;
    let calendar = between(text(&calendar), "\r\nSUMMARY:", "\r\n").join("\n");
    let feed = read(app, &format!("/events.atom{query}")).await;
    let (_, entries) = text(&feed).split_once("<updated>").unwrap();
    let titles = between(entries, "<title>", "</title>");
    assert_eq!(titles.join("\n"), calendar, "{query}");
    titles.into_iter().map(str::to_owned).collect()
}

async fn the_catalogue_is_a_feed(app: Arc<TestApp>) {
    let empty = read(&app, "/events.atom").await;
    assert_eq!(
        empty.header("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let event = owner.publish_new(json!({"title": HOSTILE})).await;
    let feed = read(&app, "/events.atom").await;
    let text = text(&feed);
    assert!(text.contains(&format!(
        "<id>https://muster.example/events/{}</id>",
        event.slug
    )));
    assert!(!text.contains("<script>"), "{text}");
}

async fn the_catalogue_is_a_calendar_to_subscribe_to(app: Arc<TestApp>) {
    let empty = read(&app, "/events.ics").await;
    let (begin, end) = ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "END:VCALENDAR\r\n");
    assert!(text(&empty).starts_with(begin) && text(&empty).ends_with(end));
    assert!(!text(&empty).contains("VEVENT"));

    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let long = "é".repeat(20_000);
    let event =
        json!({"title": HOSTILE, "description": long, "start_date": "2027-05-04T19:00:00Z"});
    let event = owner.publish_new(event).await;
    owner.create(json!({"title": "A draft"})).await;
    owner
        .publish_new(json!({"title": "Unlisted", "is_listed": false}))
        .await;
    let file = read(&app, "/events.ics").await;
    assert_eq!(
        file.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    let unfolded = text(&file).replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.lines().collect();
    for line in [
        "NAME:Events · Muster",
        &*format!("UID:{}@muster.example", event.slug),
        &*format!("URL:https://muster.example/events/{}", event.slug),
        "DTSTART:20270504T190000Z",
        &*format!("DESCRIPTION:{}…", "é".repeat(500)),
    ] {
        assert!(lines.contains(&line), "{line}: {unfolded}");
    }
    assert_eq!(
        lines.iter().filter(|line| **line == "BEGIN:VEVENT").count(),
        1
    );
    assert!(!unfolded.contains("METHOD"), "{unfolded}");

    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert!(!text(&read(&app, "/events.ics").await).contains("VEVENT"));
}

async fn both_have_what_the_filters_find(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    for (title, city, day) in [
        ("Rust one", "Berlin", 1),
        ("Rust two", "Łódź", 2),
        ("Go one", "Berlin", 3),
        ("Rust three", "Berlin", 4),
    ] {
        let start = format!("2027-05-0{day}T18:00:00Z");
        owner
            .publish_new(json!({"title": title, "city": city, "start_date": start}))
            .await;
    }
    for (query, expected) in [
        ("", "Rust one,Rust two,Go one,Rust three"),
        ("?q=&city=", "Rust one,Rust two,Go one,Rust three"),
        ("?q=rus", "Rust one,Rust two,Rust three"),
        ("?city=lodz", "Rust two"),
        ("?q=rust&city=BERLIN&from=2027-05-02", "Rust three"),
        ("?to=2027-05-02", "Rust one,Rust two"),
        ("?q=nothing", ""),
    ] {
        assert_eq!(titles(&app, query).await.join(","), expected, "{query}");
    }
    let feed = read(&app, "/events.atom?q=a%26b&city=&x=1").await;
    for address in [
        "<id>https://muster.example/events.atom?q=a%26b</id>",
        "href=\"https://muster.example/events?q=a%26b\"",
    ] {
        assert!(text(&feed).contains(address), "{}", text(&feed));
    }
    for file in ["/events.ics", "/events.atom"] {
        for wrong in ["q=!", "city=!", "from=soon", "to=soon"] {
            let refused = app.site.page(&format!("{file}?{wrong}")).send().await;
            assert_eq!(refused.status, 400, "{file} {wrong}");
        }
    }
    // The page of a search leads to the files of the same search.
    let page = app.site.page("/events?q=rust&city=Berlin").send().await;
    for file in ["/events.ics", "/events.atom"] {
        let link = format!("href=\"{file}?q=rust&#38;city=Berlin\"");
        assert_eq!(page.html(200).matches(&link).count(), 2, "{link}");
    }
}

async fn both_have_the_first_200_events(app: Arc<TestApp>) {
    let owner = app.over(Surface::Grpc).owner(Plan::Business).await;
    for number in 0..203 {
        let start = format!("2027-05-01T18:{:02}:{:02}Z", number / 60, number % 60);
        owner
            .publish_new(json!({"title": format!("Number {number:03}"), "start_date": start}))
            .await;
    }
    for query in ["", "?q=number"] {
        let titles = titles(&app, query).await;
        assert_eq!(titles.len(), 200);
        assert_eq!(titles.first().unwrap(), "Number 000");
        assert!(titles.is_sorted());
    }
}

async fn both_are_sent_again_only_when_they_have_changed(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"title": "Before"})).await;
    let mut known = Vec::new();
    for path in [
        "/events.ics",
        "/events.atom?q=meetup",
        "/events.atom",
        "/events.ics?city=",
        &format!("/events/{}/event.ics", event.slug),
    ] {
        let first = read(&app, path).await;
        assert_eq!(first.header("cache-control"), Some("public, no-cache"));
        let tag = first.header("etag").unwrap().to_owned();
        let again = app.site.page(path).header("if-none-match", &tag);
        let again = again.send().await;
        assert_eq!(
            (again.status.as_u16(), again.body.len()),
            (304, 0),
            "{path}"
        );
        known.push((path.to_owned(), tag));
    }
    let change = json!({"id": event.id, "title": "After meetup"});
    owner.ok::<UpdateEvent>(change).await;
    for (path, tag) in known {
        let changed = app.site.page(&path).header("if-none-match", &tag);
        let changed = changed.send().await;
        assert_eq!(changed.status, 200, "{path}");
        assert!(text(&changed).contains("After meetup"), "{path}");
    }
}

tests::on_both_engines!(
    the_catalogue_is_a_feed,
    the_catalogue_is_a_calendar_to_subscribe_to,
    both_have_what_the_filters_find,
    both_have_the_first_200_events,
    both_are_sent_again_only_when_they_have_changed,
);
