//! The catalogue, and the page of an event.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::json;
use tests::{Surface, TestApp};

use super::{attributes, own_paths};

const HOSTILE: &str =
    "<script>alert(1)</script> \"><img src=x onerror=alert(1)> {{7*7}} ' & שלום 🎉";

async fn the_home_page_shows_what_is_on_by_day(app: Arc<TestApp>) {
    let empty = app.site.page("/").send().await;
    assert!(empty.html(200).contains("No events yet"));

    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let evening = json!({
        "title": "Rust Night", "location": "c-base", "city": "Berlin",
        "start_date": "2027-05-04T19:00", "timezone": "Europe/Berlin", "image_query": "crab",
    });
    let evening = owner.publish_new(evening).await;
    let online = json!({
        "title": "Online Hour", "location": "https://meet.example/rust", "start_date": "2027-05-05T19:00:00Z",
    });
    owner.publish_new(online).await;
    owner.create(json!({"title": "A draft"})).await;
    owner
        .publish_new(json!({"title": "A secret", "is_listed": false}))
        .await;

    for path in ["/", "/events"] {
        let page = app.site.page(path).send().await;
        let html = page.html(200);
        for shown in [
            "4 May 2027",
            "Tuesday",
            "Rust Night",
            "c-base, Berlin",
            "19:00",
            "Online Hour",
            "5 May 2027",
            "2 events",
        ] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
        assert!(!html.contains("A draft") && !html.contains("A secret"));
        let paths = own_paths(html);
        let (event, cover) = (
            format!("/events/{}", evening.slug),
            format!("/api/v1/events/{}/cover?text=false", evening.slug),
        );
        assert!(
            paths.contains(&&*event) && paths.contains(&&*cover),
            "{paths:?}"
        );
    }
}

async fn the_catalogue_has_pages(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    for number in 0..45 {
        let title = format!("Number {number:02}");
        owner.publish_new(json!({ "title": title })).await;
    }
    let (mut path, mut seen, mut pages) = ("/events".to_owned(), 0, Vec::new());
    loop {
        let page = app.site.page(&path).send().await;
        let html = page.html(200);
        seen += html.matches("class=\"event-card\"").count();
        pages.push(path.clone());
        let is_next = |link: &&str| html.contains(&format!("{link}\" rel=\"next\""));
        let Some(next) = own_paths(html).into_iter().find(is_next) else {
            assert!(html.contains("41 to 45 of 45"), "{html}");
            assert!(
                html.contains("href=\"/events?offset=20\" rel=\"prev\""),
                "{html}"
            );
            break;
        };
        next.clone_into(&mut path);
    }
    assert_eq!(seen, 45);
    assert_eq!(pages, ["/events", "/events?offset=20", "/events?offset=40"]);
    // What campaigns append changes nothing.
    app.site.page("/events?utm_source=x").send().await.html(200);
    for wrong in ["x", "-1", "99999999999999", "1.5"] {
        let path = format!("/events?offset={wrong}");
        let page = app.site.page(&path).send().await;
        assert!(page.html(400).contains("offset must be"), "{wrong}");
    }
}

async fn an_event_is_told_in_full(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = json!({
        "title": "Rust Night", "location": "c-base", "city": "Berlin",
        "description": "## Talks\n\nBring *your* laptop.\nSee https://rust.example.\n\n[Bad](javascript:alert(1)) <b>raw</b>",
        "start_date": "2027-05-04T19:00", "end_date": "2027-05-04T22:00", "timezone": "Europe/Berlin",
    });
    let event = owner.publish_new(event).await;
    let path = format!("/events/{}", event.slug);
    let page = app.site.page(&path).send().await;
    let html = page.html(200);
    for shown in [
        "<h1 dir=\"auto\">Rust Night</h1>",
        "Tuesday, 4 May 2027",
        "19:00 to 22:00</span> · Berlin time (UTC+2)",
        "<h3 dir=\"auto\">Talks</h3>",
        "Bring <em>your</em> laptop.<br>",
        "<a href=\"https://rust.example\" rel=\"nofollow ugc noopener\">https://rust.example</a>.",
        "&#60;b&#62;raw&#60;/b&#62;",
        "query=c%2Dbase%2C%20Berlin",
        "<meta property=\"og:title\" content=\"Rust Night\">",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    assert!(!html.contains("javascript:"), "{html}");
    let canonical = format!("rel=\"canonical\" href=\"https://muster.example{path}\"");
    assert!(html.contains(&canonical), "{html}");
    let draft = owner.create(json!({})).await;
    for unknown in [&*draft.slug, "nothing", "%00", "a%2Fb"] {
        let path = format!("/events/{unknown}");
        app.site.page(&path).send().await.html(404);
    }
}

async fn hostile_texts_stay_texts(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = json!({
        "title": HOSTILE, "description": HOSTILE, "location": HOSTILE, "city": "\" onmouseover=\"alert(1)",
        "image_query": "x",
    });
    let event = owner.publish_new(event).await;
    for path in ["/events", &*format!("/events/{}", event.slug)] {
        let page = app.site.page(path).send().await;
        let html = page.html(200);
        assert!(
            html.contains("&#60;script&#62;alert(1)&#60;/script&#62;"),
            "{html}"
        );
        assert!(!html.contains("<img src=x"), "{html}");
        assert!(!html.contains("<script>"), "{html}");
        assert!(!html.contains("49 "), "{html}");
        for attribute in ["onerror", "onmouseover", "onclick", "style"] {
            let found = attributes(html, attribute);
            assert!(found.is_empty(), "{attribute}: {found:?}");
        }
    }
}

async fn a_page_is_small_and_not_sent_again_while_it_is_the_same(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    for number in 0..20 {
        let title = format!("{number:02} {}", "A long title ".repeat(10));
        let event = json!({"title": title, "location": "L".repeat(200), "image_query": "x"});
        owner.publish_new(event).await;
    }
    let page = app.site.page("/").send().await;
    assert!(page.html(200).len() < 50_000, "{}", page.body.len());
    assert_eq!(page.header("cache-control"), Some("public, no-cache"));
    let tag = page.header("etag").unwrap().to_owned();
    let again = app
        .site
        .page("/")
        .header("if-none-match", &tag)
        .send()
        .await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    owner.publish_new(json!({"title": "One more"})).await;
    let changed = app
        .site
        .page("/")
        .header("if-none-match", &tag)
        .send()
        .await;
    changed.html(200);
}

async fn people_find_events_by_words_city_and_dates(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    for number in 0..21 {
        let event = json!({"title": format!("Samba & rhythm {number}"), "city": "São Paulo"});
        owner.publish_new(event).await;
    }
    let later =
        json!({"title": "Rust Night", "city": "Berlin", "start_date": "2027-06-01T18:00:00Z"});
    owner.publish_new(later).await;
    app.maintain().await;
    let found = app
        .site
        .page("/events?q=sam&city=sao+paulo&from=&to=")
        .send()
        .await;
    let html = found.html(200);
    assert!(html.contains("<h2>21 events</h2>"), "{html}");
    assert!(html.contains("value=\"sam\"") && html.contains("value=\"sao paulo\""));
    let next = "/events?q=sam&#38;city=sao+paulo&#38;offset=20\" rel=\"next\"";
    assert!(html.contains(next), "{html}");
    let begun = app.site.page("/events?city=berl").send().await;
    let html = begun.html(200);
    assert!(html.contains("<option value=\"São Paulo\">"), "{html}");
    assert!(
        html.contains("Rust Night") && html.contains("value=\"Berlin\""),
        "{html}"
    );
    let dates = app
        .site
        .page("/events?from=2027-06-01&to=2027-06-01")
        .send()
        .await;
    let html = dates.html(200);
    assert!(
        html.contains("1 event") && html.contains("Rust Night"),
        "{html}"
    );
    let none = app
        .site
        .page("/events?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E")
        .send()
        .await;
    let html = none.html(200);
    assert!(
        html.contains("Nothing matches") && !html.contains("<script>alert"),
        "{html}"
    );
    let wrong = app.site.page("/events?q=rust&from=soon").send().await;
    let html = wrong.html(400);
    assert!(
        html.contains("<p>Enter a date.</p>") && html.contains("value=\"rust\""),
        "{html}"
    );
    assert_eq!(wrong.header("cache-control"), Some("no-store"));
    let wrong = app.site.page("/events?q=rust&series=none").send().await;
    let html = wrong.html(400);
    assert!(
        html.contains("There is no such series.") && html.contains("value=\"rust\""),
        "{html}"
    );
}

tests::on_both_engines!(
    people_find_events_by_words_city_and_dates,
    the_home_page_shows_what_is_on_by_day,
    the_catalogue_has_pages,
    an_event_is_told_in_full,
    hostile_texts_stay_texts,
    a_page_is_small_and_not_sent_again_while_it_is_the_same,
);
