//! What is for guests only: who reads it, and every place where nobody does.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::{
    GetEventPageRequest,
    bindings::{CloneEvent, GetEvent, ListEvents, RegisterAttendee, UpdateEvent},
    catalogue_service_client::CatalogueServiceClient,
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Mail, Surface, TestApp};

const INFO: &str = "Zqinfo";
const PLACE: &str = "Zqplace";

fn secret(more: &Value) -> Value {
    let mut event = json!({
        "attendee_info": format!("**{INFO}**: ring twice."),
        "location": format!("{PLACE} 9"), "is_location_private": true, "city": "Berlin",
        "max_capacity": 1, "image_query": "crab", "organizer_name": "Rust Berlin",
    });
    event
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    event
}

async fn register(client: &Client, event: &Created, name: &str) {
    let request = json!({
        "slug": event.slug, "name": name, "email": format!("{name}@example.org"),
    });
    client.ok::<RegisterAttendee>(request).await;
}

fn mails_to(app: &TestApp, name: &str) -> Vec<Mail> {
    let mut mails = app.mails_by_time();
    mails.retain(|mail| mail.to == format!("{name}@example.org"));
    mails
}

fn private_page(mail: &Mail) -> String {
    let (_, after) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let token = after.split_whitespace().next().unwrap();
    format!("/registrations/{token}")
}

fn all_of(mail: &Mail) -> String {
    let calendar = mail.calendar.as_deref().unwrap_or_default();
    [&mail.subject, &mail.text, &mail.html, calendar].join("\n")
}

fn has_neither(text: &str, place: &str) {
    let text = text.to_lowercase();
    for marker in [INFO, PLACE] {
        assert!(!text.contains(&marker.to_lowercase()), "{place}: {text}");
    }
}

async fn nobody_else_finds_it_anywhere(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let anyone = app.over(Surface::Http).anyone();
    let open = owner.publish_new(secret(&json!({}))).await;
    let approving = owner
        .publish_new(secret(&json!({"requires_approval": true, "city": null})))
        .await;
    for name in ["ada", "bob"] {
        register(&anyone, &open, name).await;
    }
    register(&anyone, &approving, "cleo").await;
    let confirming = owner
        .publish_new(secret(&json!({"confirm_by_email": true})))
        .await;
    register(&anyone, &confirming, "dan").await;
    app.drain_jobs().await;

    let mut pages = vec!["/check-in/".to_owned() + &code_of(&mails_to(&app, "ada")[0])];
    for name in ["bob", "cleo", "dan"] {
        let mails = mails_to(&app, name);
        assert!(!mails.is_empty(), "{name}");
        for mail in &mails {
            has_neither(&all_of(mail), name);
        }
        let page = private_page(&mails[0]);
        pages.push(format!("{page}/event.ics"));
        pages.push(format!("{page}/cancel"));
        pages.push(format!("{page}/calendar/google"));
        pages.push(format!("{page}/calendar/outlook"));
        pages.push(page);
    }
    for event in [&open, &approving, &confirming] {
        let slug = &event.slug;
        for below in [
            "",
            "/register",
            "/registered",
            "/embed",
            "/event.ics",
            "/calendar/google",
            "/calendar/outlook",
        ] {
            pages.push(format!("/events/{slug}{below}"));
        }
        pages.push(format!("/oembed?url=https://muster.example/events/{slug}"));
    }
    for page in [
        "/",
        "/events",
        "/events?city=Berlin",
        "/events.ics",
        "/events.atom",
        "/sitemap.xml",
        "/llms.txt",
        "/llms-full.txt",
    ] {
        pages.push(page.to_owned());
    }
    for page in &pages {
        let reply = app.site.page(page).send().await;
        assert!(reply.status.as_u16() < 400, "{page}: {}", reply.status);
        let headers = reply.header("location").unwrap_or_default();
        // What a calendar folds over two lines is one word again.
        let text = String::from_utf8_lossy(&reply.body).replace("\r\n ", "");
        has_neither(&format!("{headers}\n{text}"), page);
    }
    for word in [INFO, PLACE] {
        let page = app.site.page(&format!("/events?q={word}")).send().await;
        assert!(!page.html(200).contains(&open.slug), "{word} is found");
    }

    for surface in [Surface::Http, Surface::Grpc, Surface::Mcp] {
        let api: Api = app.over(surface);
        let client = api.as_owner(&app.account(Plan::Pro).await);
        for client in [api.anyone(), client] {
            let listed = client.ok::<ListEvents>(json!({})).await;
            assert_eq!(listed["count"], 3);
            has_neither(&listed.to_string(), "the catalogue");
            for word in [INFO, PLACE] {
                let found = client.ok::<ListEvents>(json!({"q": word})).await;
                assert_eq!(found["count"], 0, "{word}");
            }
            let shown = client.ok::<GetEvent>(json!({"slug": open.slug})).await;
            has_neither(&shown.to_string(), "the event");
            assert_eq!(
                (&shown["location"], &shown["is_location_private"]),
                (&json!("Berlin"), &json!(true))
            );
        }
    }
    let mut service = CatalogueServiceClient::new(app.grpc.channel());
    let slug = approving.slug.clone();
    let page = service.get_event_page(GetEventPageRequest { slug }).await;
    has_neither(&format!("{page:?}"), "the page over gRPC");
}

fn code_of(mail: &Mail) -> String {
    let (_, after) = mail
        .text
        .split_once("https://muster.example/check-in/")
        .unwrap();
    after.split_whitespace().next().unwrap().to_owned()
}

async fn guests_read_it_in_mails_on_their_page_and_in_their_calendar(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let anyone = app.over(Surface::Http).anyone();
    let event = owner.publish_new(secret(&json!({}))).await;
    for name in ["ada", "bob"] {
        register(&anyone, &event, name).await;
    }
    app.drain_jobs().await;
    let mail = &mails_to(&app, "ada")[0];
    for text in [&mail.text, &mail.html, mail.calendar.as_ref().unwrap()] {
        assert!(text.contains(INFO) && text.contains(PLACE), "{text}");
    }
    let page = private_page(mail);
    for path in [page.clone(), format!("{page}/event.ics")] {
        let reply = app.site.page(&path).send().await;
        let text = String::from_utf8_lossy(&reply.body).replace("\r\n ", "");
        assert!(
            text.contains(INFO) && text.contains(PLACE),
            "{path}: {text}"
        );
    }
    for service in ["google", "outlook"] {
        let path = format!("{page}/calendar/{service}");
        assert!(mail.text.contains(&path), "{path}: {}", mail.text);
        let lead = app.site.page(&path).send().await;
        let lead = lead.header("location").unwrap();
        assert!(lead.contains(INFO) && lead.contains(PLACE), "{lead}");
        let button = app.site.page(&page).send().await;
        let html = String::from_utf8_lossy(&button.body).replace("&#38;", "&");
        assert!(html.contains(lead), "{html}");
    }

    // News for guests goes to guests alone.
    let news = json!({"id": event.id, "attendee_info": format!("{INFO}: ring three times.")});
    let changed = owner.ok::<UpdateEvent>(news).await;
    assert_eq!(changed["registrants_notified"], 1, "not to bob, who waits");
    app.advance(Duration::from_mins(6));
    app.drain_jobs().await;
    let mails = mails_to(&app, "ada");
    assert_eq!(mails.len(), 2);
    assert!(
        mails[1].subject.starts_with("News for guests: "),
        "{}",
        mails[1].subject
    );
    assert!(mails[1].text.contains("three times"), "{}", mails[1].text);
    assert_eq!(mails_to(&app, "bob").len(), 1);

    // A spot comes with it.
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "max_capacity": 2}))
        .await;
    app.drain_jobs().await;
    let promoted = mails_to(&app, "bob");
    assert_eq!(promoted.len(), 2);
    assert!(promoted[1].text.contains("three times") && promoted[1].text.contains(PLACE));
}

async fn those_who_wait_are_mailed_about_nothing_that_they_do_not_see(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let anyone = app.over(Surface::Http).anyone();
    let event = owner.publish_new(secret(&json!({}))).await;
    for name in ["ada", "bob"] {
        register(&anyone, &event, name).await;
    }
    app.drain_jobs().await;
    for change in [
        json!({"attendee_info": "Ring twice."}),
        json!({"is_location_private": false}),
        json!({"attendee_info": "Ring three times."}),
        json!({"is_location_private": true}),
        json!({"attendee_info": "Ring once."}),
    ] {
        let mut request = json!({"id": event.id});
        let members = request.as_object_mut().unwrap();
        members.extend(change.as_object().unwrap().clone());
        owner.ok::<UpdateEvent>(request).await;
        // A mailbox gets few mails an hour.
        app.advance(Duration::from_hours(1));
        app.drain_jobs().await;
    }
    let (ada, bob) = (mails_to(&app, "ada").len(), mails_to(&app, "bob").len());
    assert_eq!((ada, bob), (4, 1));
}

async fn organizers_set_read_copy_and_clear_both_fields(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(secret(&json!({}))).await;
    let copy = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
    let copy = Created {
        id: copy["id"].as_str().unwrap().to_owned(),
        slug: copy["slug"].as_str().unwrap().to_owned(),
    };
    for event in [&event, &copy] {
        let detail = owner.detail(event).await;
        assert_eq!(detail["attendee_info"], format!("**{INFO}**: ring twice."));
        assert_eq!(detail["is_location_private"], true);
        assert_eq!(detail["location"], format!("{PLACE} 9"));
    }
    let cleared = json!({"id": event.id, "attendee_info": null, "is_location_private": false});
    let after = owner.ok::<UpdateEvent>(cleared).await;
    assert_eq!(after["attendee_info"], Value::Null);
    let shown = api
        .anyone()
        .ok::<GetEvent>(json!({"slug": event.slug}))
        .await;
    assert_eq!(shown["location"], format!("{PLACE} 9"));
    // The answer is kept for some time, and not for longer than the place is public.
    let hidden = json!({"id": event.id, "is_location_private": true});
    owner.ok::<UpdateEvent>(hidden).await;
    let shown = api
        .anyone()
        .ok::<GetEvent>(json!({"slug": event.slug}))
        .await;
    assert_eq!(shown["location"], "Berlin");
    let long = json!({"id": event.id, "attendee_info": "x".repeat(5_001)});
    owner
        .refused::<UpdateEvent>(long)
        .await
        .blames(&["attendee_info"]);
}

mod by_database {
    use super::{
        guests_read_it_in_mails_on_their_page_and_in_their_calendar, nobody_else_finds_it_anywhere,
        those_who_wait_are_mailed_about_nothing_that_they_do_not_see,
    };

    tests::on_both_engines!(
        nobody_else_finds_it_anywhere,
        guests_read_it_in_mails_on_their_page_and_in_their_calendar,
        those_who_wait_are_mailed_about_nothing_that_they_do_not_see,
    );
}

tests::on_every_surface!(organizers_set_read_copy_and_clear_both_fields);
