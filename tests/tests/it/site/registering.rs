//! The form to register: what comes in, what comes back, and what happens when something is in the way.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CancelEvent, ListRegistrations, UpdateEvent};
use serde_json::{Value, json};
use tests::{Client, Created, Surface, TestApp, core_at};

use super::{attributes, unescaped};

/// An event with a question of each kind.
async fn questionnaire(app: &Arc<TestApp>) -> (Client, Created) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let fields = json!([
        {"label": "Diet & \"drinks\"", "field_type": "text", "required": true},
        {"label": "Age", "field_type": "integer"},
        {"label": "Size", "field_type": "select", "options": ["S", "M <wide>"]},
        {"label": "Days", "field_type": "multi_select", "required": true, "options": ["Fri", "Sat", "Sun"]},
        {"label": "I agree", "field_type": "checkbox", "required": true},
    ]);
    let event = owner.publish_new(json!({ "custom_fields": fields })).await;
    (owner, event)
}

const DIET: &str = "answers[Diet & \"drinks\"]";

fn good() -> Vec<(&'static str, &'static str)> {
    vec![
        ("name", " Grace 🎉 שלום 名 "),
        ("email", "grace@example.org"),
        (DIET, "no nuts\r\nno milk"),
        ("answers[Age]", "+42"),
        ("answers[Size]", "M <wide>"),
        ("answers[Days]", "Sun"),
        ("answers[Days]", "Fri"),
        ("answers[I agree]", "true"),
    ]
}

async fn registered(owner: &Client, event: &Created) -> Vec<Value> {
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    listed["items"].as_array().unwrap().clone()
}

async fn the_form_asks_what_the_event_asks_and_registers_once(app: Arc<TestApp>) {
    let (owner, event) = questionnaire(&app).await;
    let page = app
        .site
        .page(&format!("/events/{}", event.slug))
        .send()
        .await;
    let path = format!("/events/{}/register", event.slug);
    assert!(attributes(page.html(200), "href").contains(&&*path));
    let form = app.site.page(&path).send().await;
    assert_eq!(form.header("cache-control"), Some("no-store"));
    assert_eq!(form.header("referrer-policy"), Some("same-origin"));
    let html = form.html(200);
    for shown in [
        "M &#60;wide&#62;",
        "type=\"checkbox\"",
        "inputmode=\"numeric\"",
        "Diet &#38; &#34;drinks&#34;",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    for _twice in 0..2 {
        let reply = app.site.form(&path, &good()).send().await;
        assert_eq!(reply.status, 303, "{reply:?}");
        let next = reply.header("location").unwrap();
        assert_eq!(next, format!("/events/{}/registered", event.slug));
        let next = app.site.page(next).send().await;
        let html = next.html(200);
        assert!(html.contains("Check your inbox"));
        assert!(html.contains("One email address holds one spot"), "{html}");
        assert!(
            !html.contains("in!"),
            "strangers are not told where they stand"
        );
    }
    let all = registered(&owner, &event).await;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["name"], "Grace 🎉 שלום 名");
    let answers = all[0]["answers"].as_array().unwrap();
    let answers: Vec<_> = answers.iter().map(|one| &one["values"]).collect();
    assert_eq!(
        json!(answers),
        json!([
            ["no nuts\nno milk"],
            ["42"],
            ["M <wide>"],
            ["Fri", "Sun"],
            ["true"]
        ])
    );
}

async fn nobody_is_promised_a_ticket_where_the_organizer_decides(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let asking = json!({"requires_approval": true, "max_party": 3});
    let asking = owner.publish_new(asking).await;
    let both = json!({"requires_approval": true, "confirm_by_email": true});
    let both = owner.publish_new(both).await;
    let page = async |event: &Created| {
        let path = format!("/events/{}/registered", event.slug);
        app.site.page(&path).send().await.html(200).to_owned()
    };
    let html = page(&asking).await;
    assert!(html.contains("about your request to join."), "{html}");
    assert!(!html.contains("your ticket"), "{html}");
    let one_each = "One email address holds one registration.";
    assert!(html.contains(one_each), "{html}");
    let html = page(&both).await;
    assert!(html.contains("perhaps with a link to confirm it"), "{html}");
}

async fn wrong_input_is_shown_beside_its_field_and_nothing_typed_is_lost(app: Arc<TestApp>) {
    let (owner, event) = questionnaire(&app).await;
    let path = format!("/events/{}/register", event.slug);
    let long = "x".repeat(10_000);
    let wrong = [
        ("name", "  "),
        ("email", "grace@\"><script>alert(1)</script>"),
        (DIET, &*long),
        ("answers[Age]", "forty"),
        ("answers[Size]", "XL"),
    ];
    let reply = app.site.form(&path, &wrong).send().await;
    let html = reply.html(400);
    for (id, words) in [
        ("name", "Enter a name."),
        ("email", "Enter an email address, like ada@example.org."),
        ("q1", "Use at most 2000 characters. There are 10000 now."),
        ("q2", "Enter a whole number."),
        ("q3", "Choose one of the options."),
        ("q5", "Please check this box."),
    ] {
        let beside = format!("id=\"{id}-wrong\">{words}");
        assert!(html.contains(&beside), "{beside}: {html}");
        assert!(html.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    assert!(
        html.contains("&#34;&#62;&#60;script&#62;alert(1)"),
        "{html}"
    );
    assert!(!html.contains("<script>alert"), "{html}");
    assert!(html.contains(&long) && html.contains("value=\"forty\""));

    let wrong = [
        ("name", "Grace"),
        ("email", "grace@example.org"),
        (DIET, "none"),
        ("answers[Age]", "forty"),
        ("answers[Size]", "XL"),
        ("answers[Days]", "Fri"),
        ("answers[Days]", "Mon"),
    ];
    let reply = app.site.form(&path, &wrong).send().await;
    let html = reply.html(400);
    for (id, words) in [
        ("q2", "Enter a whole number."),
        ("q3", "Choose one of the options."),
        ("q4", "Choose one of the options."),
        ("q5", "Please check this box."),
    ] {
        let beside = format!("id=\"{id}-wrong\">{words}");
        assert!(html.contains(&beside), "{beside}: {html}");
    }
    assert!(html.contains("value=\"Fri\" checked"), "{html}");
    assert!(html.contains("Please correct 4 fields"), "{html}");
    assert!(registered(&owner, &event).await.is_empty());
}

async fn an_event_that_changes_while_the_form_is_open_says_so(app: Arc<TestApp>) {
    let (owner, event) = questionnaire(&app).await;
    let path = format!("/events/{}/register", event.slug);
    let fields = json!([{"label": "Diet", "field_type": "text"}]);
    let change = json!({"id": event.id, "custom_fields": fields});
    owner.ok::<UpdateEvent>(change).await;
    let reply = app.site.form(&path, &good()).send().await;
    let html = reply.html(400);
    assert!(
        html.contains("have changed since you opened the form"),
        "{html}"
    );
    assert!(html.contains("value=\"grace@example.org\""), "{html}");
    let reply = app.site.form(&path, &good()[..2]).send().await;
    assert_eq!(reply.status, 303);
    assert_eq!(registered(&owner, &event).await.len(), 1);

    // The last seat goes while the form is open: the waitlist takes the next.
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "max_capacity": 1}))
        .await;
    let page = app.site.page(&path).send().await;
    assert!(page.html(200).contains("Join the waitlist"));
    let other = [("name", "Ada"), ("email", "ada@example.org")];
    assert_eq!(app.site.form(&path, &other).send().await.status, 303);
    let waiting = &registered(&owner, &event).await[1]["status"];
    assert_eq!(waiting, "Waitlisted");

    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let event_page = format!("/events/{}", event.slug);
    for reply in [
        app.site.form(&path, &other).send().await,
        app.site.page(&path).send().await,
    ] {
        assert_eq!(reply.status, 303);
        assert_eq!(reply.header("location"), Some(&*event_page));
    }
    let page = app.site.page(&event_page).send().await;
    let html = page.html(200);
    assert!(html.contains("This event is cancelled."), "{html}");
    assert!(!html.contains("/register\""), "{html}");
}

async fn a_form_that_core_cannot_take_is_kept_to_be_sent_again(app: Arc<TestApp>) {
    let (owner, event) = questionnaire(&app).await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nowhere.local_addr().unwrap();
    drop(nowhere);
    let away = app.serve_site(&core_at(&format!("http://{address}"))).await;
    let path = format!("/events/{}/register", event.slug);
    let reply = away.form(&path, &good()).send().await;
    assert!(reply.header("retry-after").is_some());
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let html = reply.html(503);
    assert_eq!(attributes(html, "action"), [&*path]);
    // What the browser sends again, to a site whose core is back.
    let mut again = Vec::new();
    for field in html.split("<textarea name=\"").skip(1) {
        let (name, rest) = field.split_once("\" hidden>\n").unwrap();
        let value = rest.split("</textarea>").next().unwrap();
        again.push((unescaped(name), unescaped(value)));
    }
    let again: Vec<_> = again
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(again, good());
    let reply = app.site.form(&path, &again).send().await;
    assert_eq!(reply.status, 303, "{reply:?}");
    assert_eq!(registered(&owner, &event).await.len(), 1);
}

async fn another_site_cannot_register_anyone(app: Arc<TestApp>) {
    let (owner, event) = questionnaire(&app).await;
    let path = format!("/events/{}/register", event.slug);
    let form = app.site.form(&path, &good()).without("sec-fetch-site");
    let refused = form.header("sec-fetch-site", "cross-site").send().await;
    refused.html(403);
    assert!(registered(&owner, &event).await.is_empty());
    let unknown = app.site.form("/events/nothing/register", &good());
    unknown.send().await.html(404);
}

tests::on_both_engines!(
    the_form_asks_what_the_event_asks_and_registers_once,
    nobody_is_promised_a_ticket_where_the_organizer_decides,
    wrong_input_is_shown_beside_its_field_and_nothing_typed_is_lost,
    an_event_that_changes_while_the_form_is_open_says_so,
    a_form_that_core_cannot_take_is_kept_to_be_sent_again,
    another_site_cannot_register_anyone,
);
