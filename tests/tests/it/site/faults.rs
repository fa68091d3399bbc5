//! What goes wrong at a form: too many posts, a core that is away and comes back, links that are over, and texts of all kinds.

use std::{sync::Arc, time::Duration};

use core_service::grpc::port::TlsSettings;
use domain::plan::Plan;
use muster_api::v1::bindings::ListRegistrations;
use serde_json::{Value, json};
use server::serve::Address;
use tests::{Client, Created, Surface, TestApp, core_at};
use tokio::task::JoinSet;

use super::attributes;

/// Registrations that one address may make in a minute.
const POSTS: usize = 60;

/// Far above what it takes to find a core that is back, on a busy machine too.
const TIMEOUT: Duration = Duration::from_mins(1);

async fn registered(owner: &Client, event: &Created) -> Vec<Value> {
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    listed["items"].as_array().unwrap().clone()
}

/// The path of the private page in the mail to someone.
async fn link(app: &TestApp, email: &str) -> String {
    app.drain_jobs().await;
    let mails = app.mails();
    let mail = mails.iter().find(|mail| mail.to == email).unwrap();
    let (_, after) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let token = after.split_whitespace().next().unwrap();
    format!("/registrations/{token}")
}

async fn forms_are_limited_as_calls_are_and_keep_what_was_typed(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"custom_fields": [{"label": "Diet", "field_type": "text"}]}))
        .await;
    let path = format!("/events/{}/register", event.slug);
    let send = async |number: usize| {
        let email = format!("grace-{number}@example.org");
        let fields = [
            ("name", "Grace <b>"),
            ("email", &*email),
            ("answers[Diet]", "no nuts\r\nno milk"),
        ];
        app.site.form(&path, &fields).send().await
    };
    for number in 0..POSTS {
        assert_eq!(send(number).await.status, 303, "{number}");
    }
    let refused = send(POSTS).await;
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    let html = refused.html(429);
    for kept in [
        "Too many registrations at once",
        "Nothing that you typed is lost",
        "Grace &#60;b&#62;",
        "grace-60@example.org",
        "no nuts\r\nno milk",
    ] {
        assert!(html.contains(kept), "{kept}: {html}");
    }
    assert_eq!(attributes(html, "action"), [&*path]);
    // The API counts the same posts.
    let body = json!({"name": "Grace", "email": "grace@example.org"});
    let calls = format!("/events/{}/registrations", event.slug);
    let call = app.http.post(&calls).json(&body).send().await;
    assert_eq!(call.status, 429);
    app.clock.advance_seconds(1);
    assert_eq!(send(POSTS).await.status, 303);
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(listed["count"], POSTS + 1);
}

async fn guessing_private_links_is_limited(app: Arc<TestApp>) {
    let path = |number: usize| format!("/registrations/{number:032}");
    for number in 0..POSTS {
        app.site.page(&path(number)).send().await.html(404);
    }
    let refused = app.site.page(&path(POSTS)).send().await;
    assert!(refused.header("retry-after").is_some());
    assert!(refused.html(429).contains("Too many requests"));
    let form = app.site.form(&format!("{}/cancel", path(0)), &[]);
    form.send().await.html(429);
}

async fn a_form_that_is_sent_many_times_at_once_registers_once(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_capacity": 5})).await;
    let path = format!("/events/{}/register", event.slug);
    let fields = [("name", "Grace"), ("email", "grace@example.org")];
    let mut sending = JoinSet::new();
    for _ in 0..8 {
        sending.spawn(app.site.form(&path, &fields).send());
    }
    let thanks = format!("/events/{}/registered", event.slug);
    while let Some(reply) = sending.join_next().await {
        let reply = reply.unwrap();
        let answer = (reply.status.as_u16(), reply.header("location"));
        assert_eq!(answer, (303, Some(&*thanks)));
    }
    assert_eq!(registered(&owner, &event).await.len(), 1);
}

async fn a_site_finds_its_core_again(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("core.sock");
    let site = app
        .serve_site(&core_at(&format!("unix://{}", socket.display())))
        .await;
    let path = format!("/events/{}/register", event.slug);
    let fields = [("name", "Grace"), ("email", "grace@example.org")];
    let refused = site.form(&path, &fields).send().await;
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert!(refused.html(503).contains("grace@example.org"));

    let address = Address::Unix(socket);
    app.serve_core(&address, TlsSettings::default()).await;
    let taken = tokio::time::timeout(TIMEOUT, async {
        loop {
            let reply = site.form(&path, &fields).send().await;
            if reply.status != 503 {
                return reply;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert_eq!(taken.await.expect("core is found").status, 303);
    assert_eq!(registered(&owner, &event).await.len(), 1);
}

async fn what_lapsed_cannot_be_confirmed_and_what_is_confirmed_stays(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"confirm_by_email": true})).await;
    let form = format!("/events/{}/register", event.slug);
    for name in ["early", "late"] {
        let email = format!("{name}@example.org");
        let fields = [("name", name), ("email", &*email)];
        assert_eq!(app.site.form(&form, &fields).send().await.status, 303);
    }
    let early = link(&app, "early@example.org").await;
    let late = link(&app, "late@example.org").await;
    // A link may be used again: nothing is done twice.
    for _ in 0..2 {
        assert_eq!(app.site.form(&early, &[]).send().await.status, 303);
        let page = app.site.page(&early).send().await;
        assert!(page.html(200).contains("You’re in"));
    }
    app.advance(Duration::from_hours(24));
    app.maintain().await;
    let reply = app.site.form(&late, &[]).send().await;
    let answer = (reply.status.as_u16(), reply.header("location"));
    assert_eq!(answer, (303, Some(&*late)));
    let page = app.site.page(&late).send().await;
    let html = page.html(200);
    assert!(html.contains("Your registration is cancelled"), "{html}");
    assert!(attributes(html, "action").is_empty(), "{html}");
    let statuses = registered(&owner, &event).await;
    let statuses: Vec<_> = statuses.iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["Confirmed", "Cancelled"]);
}

async fn unknown_events_and_links_have_no_page_of_any_kind(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let draft = owner.create(json!({})).await;
    let long = "x".repeat(5_000);
    for slug in [
        &*draft.slug,
        "nothing",
        "%00",
        "%ff",
        "..%2F..",
        "名",
        &long,
    ] {
        let slug = slug.replace('名', "%E5%90%8D");
        for end in ["", "/register", "/registered", "/embed", "/event.ics"] {
            let path = format!("/events/{slug}{end}");
            let reply = app.site.page(&path).send().await;
            assert!(reply.html(404).contains("Page not found"), "{path}");
        }
        let path = format!("/events/{slug}/register");
        app.site.form(&path, &[]).send().await.html(404);
        app.site
            .page(&format!("/check-in/{slug}"))
            .send()
            .await
            .html(404);
        for end in ["/event.ics", "/cancel"] {
            let path = format!("/registrations/{slug}{end}");
            app.site.page(&path).send().await.html(404);
        }
        let path = format!("/registrations/{slug}/new-details");
        app.site.form(&path, &[]).send().await.html(404);
        app.clock.advance_seconds(60);
    }
}

async fn texts_of_all_scripts_and_shapes_are_shown(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    for title in [
        "أمسية الخط العربي",
        "はじめての金継ぎ",
        "Pride 🏳️‍🌈 & 👩‍👩‍👧",
        "Żółć\u{301} naïve",
    ] {
        let shown = title.replace('&', "&#38;");
        let event = owner
            .publish_new(json!({"title": title, "location": title, "city": title}))
            .await;
        for path in ["/events".to_owned(), format!("/events/{}", event.slug)] {
            let page = app.site.page(&path).send().await;
            assert!(page.html(200).contains(&shown), "{title} at {path}");
        }
    }
    // Nothing of what Markdown can nest makes a page that does not end.
    for unit in ["> ", "- ", "*a ", "[", "![a](", "<b>", "`", "_**"] {
        let description = unit.repeat(20_000 / unit.len());
        let event = owner.publish_new(json!({"description": description})).await;
        let page = app.site.page(&format!("/events/{}", event.slug));
        let page = page.send().await;
        let html = page.html(200);
        assert!(html.ends_with("</html>"), "{unit}");
        assert_eq!(html.matches("<script").count(), 2, "{unit}");
    }
}

tests::on_both_engines!(
    forms_are_limited_as_calls_are_and_keep_what_was_typed,
    guessing_private_links_is_limited,
    a_form_that_is_sent_many_times_at_once_registers_once,
    a_site_finds_its_core_again,
    what_lapsed_cannot_be_confirmed_and_what_is_confirmed_stays,
    unknown_events_and_links_have_no_page_of_any_kind,
    texts_of_all_scripts_and_shapes_are_shown,
);
