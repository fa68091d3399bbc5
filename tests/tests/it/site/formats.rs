//! What programs read of the site: schema.org, previews, and cards for other sites.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CancelEvent, UpdateEvent};
use serde_json::{Value, json};
use tests::{Created, Surface, TestApp};

const HOSTILE: &str = "</script><script>alert(1)</script> \"& 🎉";

/// The schema.org object in the page of an event.
async fn schema(app: &TestApp, event: &Created) -> Value {
    let page = app
        .site
        .page(&format!("/events/{}", event.slug))
        .send()
        .await;
    let html = page.html(200);
    let (_, after) = html
        .split_once("<script type=\"application/ld+json\">")
        .unwrap();
    serde_json::from_str(after.split("</script>").next().unwrap()).unwrap()
}

async fn search_engines_learn_what_an_event_is(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = json!({
        "title": HOSTILE, "location": "c-base", "city": "Berlin", "image_query": "crab", "organizer_name": "Rust Berlin",
        "start_date": "2027-05-04T19:00", "timezone": "Europe/Berlin", "max_capacity": 7,
    });
    let event = owner.publish_new(event).await;
    let told = schema(&app, &event).await;
    assert_eq!(told["@type"], "Event");
    assert_eq!(told["name"], HOSTILE);
    assert_eq!(told["startDate"], "2027-05-04T19:00:00+02:00");
    assert_eq!(told["location"]["address"]["addressLocality"], "Berlin");
    assert_eq!(told["organizer"]["name"], "Rust Berlin");
    assert_eq!(told["offers"]["availability"], "https://schema.org/InStock");
    let image = told["image"].as_str().unwrap();
    let page = app
        .site
        .page(&format!("/events/{}", event.slug))
        .send()
        .await;
    let html = page.html(200);
    assert!(html.contains(&format!("<meta property=\"og:image\" content=\"{image}\">")));
    assert!(html.contains("<meta name=\"twitter:card\" content=\"summary_large_image\">"));
    assert!(!html.contains("<script>alert"), "{html}");

    let later = json!({"id": event.id, "start_date": "2027-05-05T19:00"});
    owner.ok::<UpdateEvent>(later).await;
    let told = schema(&app, &event).await;
    assert_eq!(told["eventStatus"], "https://schema.org/EventRescheduled");
    assert_eq!(told["previousStartDate"], "2027-05-04T19:00:00+02:00");
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let told = schema(&app, &event).await;
    assert_eq!(told["eventStatus"], "https://schema.org/EventCancelled");
}

async fn previews_show_what_a_page_is(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = json!({"title": HOSTILE, "description": HOSTILE, "is_listed": false});
    let event = owner.publish_new(event).await;
    let unpictured = format!("/events/{}", event.slug);
    let guide = "/guides/publish-your-first-event";
    for path in [
        "/",
        "/events",
        "/guides",
        guide,
        // Its cover is drawn from its title.
        &*unpictured,
    ] {
        let page = app.site.page(path).send().await;
        let html = page.html(200);
        let url = format!("property=\"og:url\" content=\"https://muster.example{path}\"");
        for told in [
            "property=\"og:title\" content=\"",
            "property=\"og:description\" content=\"",
            "name=\"twitter:card\" content=\"summary_large_image\"",
            "property=\"og:image\" content=\"https://muster.example/",
            &*url,
        ] {
            assert_eq!(html.matches(told).count(), 1, "{told} in {path}: {html}");
        }
        assert!(!html.contains("<script>alert"), "{html}");
    }
    let form = app.site.page(&format!("{unpictured}/register"));
    let form = form.send().await;
    let cover = format!("https://muster.example/api/v1{unpictured}/cover");
    let image = format!("property=\"og:image\" content=\"{cover}\"");
    assert!(form.html(200).contains(&image));
    let private = app.site.page("/sign-in").send().await;
    let html = private.html(200);
    let image = "property=\"og:image\" content=\"https://muster.example/";
    assert!(html.contains(image), "{html}");
    assert!(!html.contains("og:title"), "{html}");
}

async fn an_unlisted_event_opens_by_its_link_and_is_not_indexed(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"is_listed": false})).await;
    let page = app
        .site
        .page(&format!("/events/{}", event.slug))
        .send()
        .await;
    let html = page.html(200);
    assert!(html.contains("name=\"robots\" content=\"noindex\""));
    assert!(!html.contains("rel=\"canonical\""));
}

async fn other_sites_can_show_an_event(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"title": HOSTILE, "image_query": "x"}))
        .await;
    let path = format!("/events/{}/embed", event.slug);
    let card = app.site.page(&path).send().await;
    let policy = card.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors *") && policy.contains("form-action 'none'"));
    assert_eq!(card.header("set-cookie"), None);
    let html = card.html(200);
    assert!(!html.contains("<form"), "{html}");
    // The site's own, which shows hours as the viewer's clocks do.
    assert_eq!(html.matches("<script").count(), 1, "{html}");
    assert!(html.contains("<time data-clock"), "{html}");

    let register = format!("href=\"/events/{}/register\">Register<", event.slug);
    assert!(html.contains(&register), "{html}");
    let change = json!({"id": event.id, "requires_approval": true});
    owner.ok::<UpdateEvent>(change).await;
    let card = app.site.page(&path).send().await;
    assert!(card.html(200).contains(">Request to join<"));

    let url = format!("https%3A%2F%2Fmuster.example%2Fevents%2F{}", event.slug);
    let found = app.site.page(&format!(
        "/oembed?url={url}&format=json&maxwidth=300&maxheight=200"
    ));
    let found = found.send().await;
    let found: Value = serde_json::from_slice(&found.body).unwrap();
    assert_eq!(found["type"], "rich");
    assert_eq!(
        (&found["width"], &found["height"]),
        (&json!(300), &json!(200))
    );
    assert_eq!(found["author_name"], "Olga Owner");
    assert_eq!(found["title"], HOSTILE);
    let line = found["html"].as_str().unwrap();
    assert!(
        line.starts_with(&format!("<iframe src=\"https://muster.example{path}\"")),
        "{line}"
    );
    assert_eq!(line.matches('<').count(), 2, "{line}");
    assert!(line.contains("width=\"300\" height=\"200\""), "{line}");
    assert!(line.contains("color-scheme:light dark"), "{line}");
    let page = app
        .site
        .page(&format!("/events/{}", event.slug))
        .send()
        .await;
    assert!(page.html(200).contains(&format!("/oembed?url={url}\"")));
    for (query, status) in [
        ("", 404),
        ("?url=https%3A%2F%2Fevil.example%2Fevents%2Fa", 404),
        ("?url=https%3A%2F%2Fmuster.example%2Fevents%2Fnothing", 404),
        (&*format!("?url={url}&format=xml"), 501),
    ] {
        let refused = app.site.page(&format!("/oembed{query}")).send().await;
        assert_eq!(refused.status.as_u16(), status, "{query}");
    }
}

tests::on_both_engines!(
    search_engines_learn_what_an_event_is,
    previews_show_what_a_page_is,
    an_unlisted_event_opens_by_its_link_and_is_not_indexed,
    other_sites_can_show_an_event,
);
