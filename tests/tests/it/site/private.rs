//! The private page of a registrant, by the link from a mail.

use std::sync::Arc;

use domain::plan::Plan;
use http::Method;
use muster_api::v1::bindings::{
    AddRegistration, CancelEvent, ListRegistrations, RegisterAttendee, UpdateRegistration,
};
use serde_json::{Value, json};
use tests::{Client, Created, Reply, Surface, TestApp};

use super::attributes;

async fn register(app: &Arc<TestApp>, event: &Created, name: &str, email: &str) {
    let request = json!({"slug": event.slug, "name": name, "email": email});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(request).await;
}

/// The path of the private page in each mail to someone, in the order of sending.
pub(super) async fn links(app: &Arc<TestApp>, email: &str) -> Vec<String> {
    app.drain_jobs().await;
    let mut mails = app.mails();
    mails.retain(|mail| mail.to == email);
    let path = |text: &str| {
        let (_, after) = text.split_once("https://muster.example/registrations/")?;
        let token = after.split_whitespace().next()?;
        Some(format!("/registrations/{token}"))
    };
    mails.iter().filter_map(|mail| path(&mail.text)).collect()
}

/// The newest status of everyone, as the organizer sees it.
async fn statuses(owner: &Client, event: &Created) -> Vec<String> {
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let items = listed["items"].as_array().unwrap().iter();
    let status = |one: &Value| one["status"].as_str().unwrap().to_owned();
    items.map(status).collect()
}

#[track_caller]
fn assert_private(reply: &Reply) {
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "same-origin"),
        ("x-robots-tag", "noindex"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{reply:?}");
    }
    assert_eq!(reply.header("etag"), None);
}

/// Follows the answer to a form to the page that says what was done.
async fn followed(app: &TestApp, reply: &Reply, expected: &str) -> String {
    assert_eq!(reply.status, 303, "{reply:?}");
    assert_private(reply);
    assert_eq!(reply.header("location"), Some(expected));
    let cookie = reply.header("set-cookie").unwrap_or_default();
    let cookie = cookie.split(';').next().unwrap();
    let page = app
        .site
        .page(expected)
        .header("cookie", cookie)
        .send()
        .await;
    page.html(200).to_owned()
}

async fn a_registrant_sees_the_registration_and_cancels_in_two_steps(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"max_capacity": 1, "title": "Rust <Night>"}))
        .await;
    register(&app, &event, "Grace <b>", "grace@example.org").await;
    register(&app, &event, "Ada", "ada@example.org").await;
    let grace = links(&app, "grace@example.org").await.remove(0);
    let ada = links(&app, "ada@example.org").await.remove(0);

    let page = app.site.page(&grace).send().await;
    assert_private(&page);
    let html = page.html(200);
    for shown in [
        "You’re in",
        "Rust &#60;Night&#62;",
        "Grace &#60;b&#62;",
        "grace@example.org",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    assert!(
        !html.contains("Rust &#60;Night&#62; · Muster"),
        "no event in the title: {html}"
    );
    let waiting = app.site.page(&ada).send().await;
    let waiting = waiting.html(200);
    assert!(
        waiting.contains("You are on the waitlist") && waiting.contains("Place 1 on the waitlist")
    );

    // Opening links changes nothing, whoever does it.
    let cancel = format!("{grace}/cancel");
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        for path in [&grace, &cancel] {
            let reply = app.site.request(method.clone(), path).send().await;
            assert!(reply.status.is_success(), "{reply:?}");
        }
    }
    assert_eq!(statuses(&owner, &event).await, ["Confirmed", "Waitlisted"]);
    let question = app.site.page(&cancel).send().await;
    assert_private(&question);
    let html = question.html(200);
    assert!(html.contains("Your spot goes to someone else"), "{html}");
    assert_eq!(attributes(html, "action"), [&*cancel]);

    for again in [false, true] {
        let reply = app.site.form(&cancel, &[]).send().await;
        let html = followed(&app, &reply, &grace).await;
        assert!(
            html.contains("Your registration is cancelled"),
            "{again}: {html}"
        );
        assert!(html.contains("role=\"status\""), "{again}: {html}");
        assert!(attributes(&html, "action").is_empty());
    }
    assert_eq!(statuses(&owner, &event).await, ["Cancelled", "Confirmed"]);
    // What was done is said once.
    let later = app.site.page(&grace).send().await;
    assert!(!later.html(200).contains("class=\"note good\""));
    let settled = app.site.page(&cancel).send().await;
    assert_eq!(settled.header("location"), Some(&*grace));
}

async fn answers_are_shown_in_words(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let fields = json!([
        {"label": "Days", "field_type": "multi_select", "options": ["Fri", "Sat", "Sun"]},
        {"label": "I agree", "field_type": "checkbox", "required": true},
    ]);
    let event = owner.publish_new(json!({ "custom_fields": fields })).await;
    let form = [
        ("name", "Grace"),
        ("email", "grace@example.org"),
        ("answers[Days]", "Fri"),
        ("answers[Days]", "Sun"),
        ("answers[I agree]", "true"),
    ];
    let path = format!("/events/{}/register", event.slug);
    assert_eq!(app.site.form(&path, &form).send().await.status, 303);
    let grace = links(&app, "grace@example.org").await.remove(0);
    let page = app.site.page(&grace).send().await;
    let html = page.html(200);
    for shown in [
        "Days</dt><dd dir=\"auto\">Fri, Sun</dd>",
        "I agree</dt><dd dir=\"auto\">Yes</dd>",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
}

async fn a_registration_is_confirmed_by_a_form(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"confirm_by_email": true})).await;
    register(&app, &event, "Grace", "grace@example.org").await;
    let grace = links(&app, "grace@example.org").await.remove(0);
    let page = app.site.page(&grace).send().await;
    let html = page.html(200);
    assert!(html.contains("Please confirm"), "{html}");
    assert_eq!(attributes(html, "action"), [&*grace]);
    assert_eq!(statuses(&owner, &event).await, ["Pending"]);
    for _again in 0..2 {
        let reply = app.site.form(&grace, &[]).send().await;
        let html = followed(&app, &reply, &grace).await;
        assert!(html.contains("You’re in"), "{html}");
        assert!(html.contains("Your registration is confirmed"), "{html}");
    }
    assert_eq!(statuses(&owner, &event).await, ["Confirmed"]);
}

async fn details_of_a_repeated_registration_are_taken_over_by_a_form(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    register(&app, &event, "A Stranger", "grace@example.org").await;
    register(&app, &event, "Grace Hopper", "grace@example.org").await;
    let mut offering = None;
    for link in links(&app, "grace@example.org").await {
        let page = app.site.page(&link).send().await;
        if page.html(200).contains("Grace Hopper") {
            offering = Some(link);
        }
    }
    let link = offering.expect("one mail offers the new name");
    let take_over = format!("{link}/new-details");
    let reply = app.site.form(&take_over, &[]).send().await;
    let html = followed(&app, &reply, &link).await;
    assert!(
        html.contains("Grace Hopper") && !html.contains("A Stranger"),
        "{html}"
    );
    assert!(attributes(&html, "action").is_empty(), "{html}");
    // It is no page.
    assert_eq!(app.site.page(&take_over).send().await.status, 405);
}

async fn what_became_of_the_event_is_said_and_nothing_else_can_be_done(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"confirm_by_email": true})).await;
    register(&app, &event, "Grace", "grace@example.org").await;
    let grace = links(&app, "grace@example.org").await.remove(0);
    app.site.page(&grace).send().await.html(200);
    let cancel = json!({"id": event.id, "reason": "The <roof> leaks. We are sorry!"});
    owner.ok::<CancelEvent>(cancel).await;
    // The form was open when the event was cancelled.
    for path in [grace.clone(), format!("{grace}/cancel")] {
        let reply = app.site.form(&path, &[]).send().await;
        let html = followed(&app, &reply, &grace).await;
        for shown in [
            "This event is cancelled",
            "The organizer writes:",
            "The &#60;roof&#62; leaks. We are sorry!",
        ] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
        assert!(!html.contains("class=\"note good\""), "{html}");
        assert!(attributes(&html, "action").is_empty(), "{html}");
    }
}

async fn a_form_of_another_site_is_refused(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"confirm_by_email": true})).await;
    register(&app, &event, "Grace", "grace@example.org").await;
    let grace = links(&app, "grace@example.org").await.remove(0);
    for path in [
        grace.clone(),
        format!("{grace}/cancel"),
        format!("{grace}/new-details"),
    ] {
        let form = || app.site.form(&path, &[]).without("sec-fetch-site");
        for request in [
            form(),
            form().header("sec-fetch-site", "cross-site"),
            form()
                .header("sec-fetch-site", "same-site")
                .header("origin", TestApp::PUBLIC_URL),
            form().header("origin", "https://evil.example"),
            form().header("origin", "null"),
        ] {
            let reply = request.send().await;
            assert!(reply.html(403).contains("sent from another site"));
        }
    }
    assert_eq!(statuses(&owner, &event).await, ["Pending"]);
    // A browser that says nothing but the origin.
    let request = app.site.form(&grace, &[]).without("sec-fetch-site");
    let reply = request.header("origin", TestApp::PUBLIC_URL).send().await;
    followed(&app, &reply, &grace).await;
    let files = app
        .site
        .form(&grace, &[])
        .without("content-type")
        .body("x=1");
    let reply = files
        .header("content-type", "multipart/form-data")
        .send()
        .await;
    assert_eq!(reply.status, 415);
}

async fn a_link_that_is_none_shows_nothing(app: Arc<TestApp>) {
    for token in [
        "x",
        "5vT0cXh2W9rJq4LmZ8yKbN3sEaPdGfUi",
        "%00",
        "%ff",
        "<b>",
        "a b",
        &"x".repeat(5_000),
    ] {
        let token = token
            .replace(' ', "%20")
            .replace('<', "%3C")
            .replace('>', "%3E");
        for ending in ["", "/cancel"] {
            let path = format!("/registrations/{token}{ending}");
            let page = app.site.page(&path).send().await;
            assert!(page.html(404).contains("Page not found"));
            let reply = app.site.form(&path, &[]).send().await;
            assert_eq!(reply.status, 404, "{path}");
        }
    }
}

async fn whoever_was_added_refuses_the_organizers_mail_by_a_form(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let [first, second] = [
        owner.publish_new(json!({})).await,
        owner.publish_new(json!({})).await,
    ];
    let add = async |event: &Created, name: &str| {
        let email = format!("{name}@example.org");
        let person = json!({"id": event.id, "name": name, "email": email});
        owner.ok::<AddRegistration>(person).await;
    };
    add(&first, "ada").await;
    let ada = links(&app, "ada@example.org").await.remove(0);
    let refuse = format!("{ada}/no-mail");
    let mails = app.mails();
    assert!(mails[0].text.contains(&refuse), "{}", mails[0].text);
    // Scanners open links.
    for method in [Method::GET, Method::HEAD] {
        let reply = app.site.request(method, &refuse).send().await;
        assert!(reply.status.is_success(), "{reply:?}");
    }
    let question = app.site.page(&refuse).send().await;
    assert_private(&question);
    let html = question.html(200);
    assert!(
        html.contains("not even that this one is cancelled"),
        "{html}"
    );
    assert_eq!(attributes(html, "action"), [&*refuse]);
    add(&second, "ada").await;
    assert_eq!(links(&app, "ada@example.org").await.len(), 2);

    for _again in 0..2 {
        let reply = app.site.form(&refuse, &[]).send().await;
        let html = followed(&app, &reply, &ada).await;
        assert!(html.contains("sends you no more email"), "{html}");
        assert!(!html.contains(&refuse), "{html}");
    }
    let refused = app.site.page(&refuse).send().await;
    let html = refused.html(200);
    assert!(html.contains("You won’t get email"), "{html}");
    owner.ok::<CancelEvent>(json!({"id": first.id})).await;
    assert_eq!(links(&app, "ada@example.org").await.len(), 2);
    // An address that is corrected takes nobody's refusal away.
    add(&second, "cleo").await;
    let cleo = links(&app, "cleo@example.org").await.remove(0);
    let listed =
        owner.ok::<ListRegistrations>(json!({"id": second.id, "email": "cleo@example.org"}));
    let id = listed.await["items"][0]["id"].clone();
    let moved = json!({"id": second.id, "registration_id": id, "email": "dora@example.org"});
    owner.ok::<UpdateRegistration>(moved).await;
    assert_eq!(app.site.page(&cleo).send().await.status, 404);
    let refuse = format!("{cleo}/no-mail");
    let question = app.site.page(&refuse).send().await;
    assert_private(&question);
    let html = question.html(200);
    assert!(
        html.contains("No more email from this organizer?"),
        "{html}"
    );
    assert!(!html.contains("dora"), "{html}");
    assert_eq!(attributes(html, "action"), [&*refuse]);
    let reply = app.site.form(&refuse, &[]).send().await;
    let html = followed(&app, &reply, &refuse).await;
    assert!(
        html.contains("You won’t get email from this organizer any more"),
        "{html}"
    );
    // Whoever registered themselves has nothing to refuse.
    register(&app, &second, "Bob", "bob@example.org").await;
    let bob = links(&app, "bob@example.org").await.remove(0);
    let page = app.site.page(&format!("{bob}/no-mail")).send().await;
    assert_eq!(page.header("location"), Some(&*bob));
}

tests::on_both_engines!(
    whoever_was_added_refuses_the_organizers_mail_by_a_form,
    a_registrant_sees_the_registration_and_cancels_in_two_steps,
    answers_are_shown_in_words,
    a_registration_is_confirmed_by_a_form,
    details_of_a_repeated_registration_are_taken_over_by_a_form,
    what_became_of_the_event_is_said_and_nothing_else_can_be_done,
    a_form_of_another_site_is_refused,
    a_link_that_is_none_shows_nothing,
);
