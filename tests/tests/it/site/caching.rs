//! Pages are small, and are not sent again to who has them.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{RegisterAttendee, UpdateEvent};
use serde_json::json;
use tests::{Reply, Surface, TestApp};

use super::{own_paths, unescaped};

/// The most that a page may weigh before it is compressed, without its cover.
const MAX_BYTES: usize = 50_000;

/// The page again, for a client that has the one with this tag.
async fn tagged(app: &TestApp, path: &str, tag: &str) -> Reply {
    let page = app.site.page(path);
    page.header("if-none-match", tag).send().await
}

#[track_caller]
fn assert_unchanged(reply: &Reply, path: &str) {
    let seen = (reply.status.as_u16(), reply.body.len());
    assert_eq!(seen, (304, 0), "{path}: {reply:?}");
    assert!(reply.header("etag").is_some(), "{path}");
}

async fn a_public_page_is_sent_again_only_when_it_has_changed(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"title": "Before"})).await;
    let page = format!("/events/{}", event.slug);
    let changing = ["/", "/events", &*page];
    let lasting = [
        "/use-cases",
        "/guides",
        "/guides/publish-your-first-event",
        "/robots.txt",
        "/llms.txt",
    ];
    let mut known = Vec::new();
    for path in changing.into_iter().chain(lasting) {
        let first = app.site.page(path).send().await;
        assert_eq!(first.status, 200, "{path}");
        let tag = first.header("etag").unwrap().to_owned();
        assert_unchanged(&tagged(&app, path, &tag).await, path);
        known.push((path, tag));
    }

    let change = json!({"id": event.id, "title": "After"});
    owner.ok::<UpdateEvent>(change).await;
    for (path, tag) in known {
        let again = tagged(&app, path, &tag).await;
        if lasting.contains(&path) {
            assert_unchanged(&again, path);
        } else {
            assert!(again.html(200).contains("After"), "{path}");
        }
    }
}

async fn a_page_with_fewer_seats_is_another_page(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_capacity": 2})).await;
    let path = format!("/events/{}", event.slug);
    let first = app.site.page(&path).send().await;
    let tag = first.header("etag").unwrap();
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    let second = tagged(&app, &path, tag).await;
    assert!(second.html(200).contains("1 spot left."));
}

async fn a_private_page_is_never_kept(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    app.drain_jobs().await;
    let mail = app.mails().remove(0).text;
    let (_, after) = mail
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let private = format!(
        "/registrations/{}",
        after.split_whitespace().next().unwrap()
    );
    let page = app.site.page(&private).send().await;
    let (_, after) = page.html(200).split_once("<p class=\"code\">").unwrap();
    let code = after.split('<').next().unwrap();
    for path in [
        private.clone(),
        format!("{private}/cancel"),
        format!("/check-in/{code}"),
        format!("/events/{}/register", event.slug),
        format!("/events/{}/registered", event.slug),
    ] {
        let page = app.site.page(&path).header("if-none-match", "*");
        let page = page.send().await;
        page.html(200);
        for absent in ["etag", "last-modified"] {
            assert_eq!(page.header(absent), None, "{path}");
        }
        assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
    }
    let calendar = format!("{private}/event.ics");
    assert_eq!(tagged(&app, &calendar, "*").await.status, 200);
}

/// Every page that the links of the demo's pages lead to.
async fn every_page_of_the_demo_is_small_and_leads_somewhere(app: Arc<TestApp>) {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("demo.key");
    core_service::demo::prepare(app.core.use_cases(), key)
        .await
        .unwrap();
    let mut found = vec!["/".to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        let page = app.site.page(&path).send().await;
        assert_eq!(page.status, 200, "{path}");
        let media_type = page.header("content-type").unwrap();
        if !media_type.starts_with("text/html") {
            continue;
        }
        assert!(page.body.len() < MAX_BYTES, "{path}: {}", page.body.len());
        for link in own_paths(page.html(200)) {
            let of_the_gateway = link.starts_with("/api/");
            let mut link = unescaped(link.split('#').next().unwrap());
            // Who is not signed in is led on from there.
            if link.starts_with("/dashboard") {
                "/sign-in".clone_into(&mut link);
            }
            if !of_the_gateway && !found.contains(&link) {
                found.push(link);
            }
        }
    }
    let events = found.iter().filter(|path| path.starts_with("/events/"));
    assert!(events.count() > 40, "{found:?}");
}

/// An event with long texts and many questions.
async fn every_page_of_a_long_event_is_small(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let sentence = "We meet at seven, and everyone is welcome, with or without a laptop. ";
    let options: Vec<_> = (0..50).map(|n| format!("Option number {n:02}")).collect();
    let choice = |n: usize| {
        let label = format!("Which of these would you like, question {n:02}?");
        json!({"label": label, "field_type": "select", "options": options})
    };
    let questions: Vec<_> = (0..5).map(choice).collect();
    let event = json!({
        "title": "W".repeat(200), "location": "L".repeat(500), "city": "C".repeat(120), "image_query": "x",
        "description": sentence.repeat(20_000 / sentence.len()), "organizer_name": "O".repeat(200),
        "contact_email": "organizer@example.org", "custom_fields": questions,
    });
    let event = owner.publish_new(event).await;
    for end in ["", "/register", "/registered", "/embed"] {
        let path = format!("/events/{}{end}", event.slug);
        let page = app.site.page(&path).send().await;
        let bytes = page.html(200).len();
        assert!(bytes < MAX_BYTES, "{path}: {bytes}");
    }
}

tests::on_both_engines!(
    a_public_page_is_sent_again_only_when_it_has_changed,
    a_page_with_fewer_seats_is_another_page,
    a_private_page_is_never_kept,
    every_page_of_the_demo_is_small_and_leads_somewhere,
    every_page_of_a_long_event_is_small,
);
