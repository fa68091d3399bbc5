//! Guests change their own answers on their private page, where the event allows it. And the buttons that put it into a calendar.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::{
    CancelEvent, GetMyEvent, ListActivity, ListRegistrations, RegisterAttendee, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Account, Client, Created, Mail, Surface, TestApp};

use super::attributes;

const GUEST: &str = "grace@example.org";

fn asking() -> Value {
    json!({
        "title": "Rust Night", "start_date": "2027-02-01T19:00:00+01:00", "timezone": "Europe/Berlin",
        "location": "c-base", "city": "Berlin", "allows_answer_changes": true,
        "custom_fields": [
            {"label": "Diet", "field_type": "select", "options": ["Vegan", "Meat"], "required": true},
            {"label": "Days", "field_type": "multi_select", "options": ["Fri", "Sat", "Sun"]},
        ],
    })
}

/// An event of an account with a guest, and the guest's private page.
async fn registered(app: &Arc<TestApp>, event: Value) -> (Account, Client, Created, String) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(event).await;
    let request = json!({
        "slug": event.slug, "name": "Grace", "email": GUEST,
        "answers": [{"label": "Diet", "values": ["Vegan"]}, {"label": "Days", "values": ["Fri", "Sun"]}],
    });
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(request).await;
    app.drain_jobs().await;
    let mail = mail_to(app, GUEST).pop().unwrap();
    let (_, after) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let token = after.split_whitespace().next().unwrap();
    (account, owner, event, format!("/registrations/{token}"))
}

fn mail_to(app: &TestApp, address: &str) -> Vec<Mail> {
    let mut mails = app.mails();
    mails.retain(|mail| mail.to == address);
    mails
}

async fn stored(owner: &Client, event: &Created) -> Vec<(String, Vec<String>)> {
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let answers = listed["items"][0]["answers"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let answer = |one: &Value| {
        let values = one["values"].as_array().unwrap().iter().map(text);
        (text(&one["label"]), values.collect())
    };
    answers.iter().map(answer).collect()
}

fn answer(label: &str, values: &[&str]) -> (String, Vec<String>) {
    let values = values.iter().map(|&value| value.to_owned());
    (label.to_owned(), values.collect())
}

async fn a_guest_changes_the_answers_and_the_organizer_is_told(app: Arc<TestApp>) {
    let (account, owner, event, page) = registered(&app, asking()).await;
    // What is told of the registration itself is not what is looked at.
    app.advance(Duration::from_hours(1));
    app.drain_jobs().await;
    let before = mail_to(&app, &account.email).len();
    let own = app.site.page(&page).send().await;
    let form = format!("{page}/answers");
    assert!(attributes(own.html(200), "href").contains(&&*form));
    let shown = app.site.page(&form).send().await;
    let html = shown.html(200);
    assert!(html.contains("value=\"Vegan\" selected"), "{html}");
    assert_eq!(html.matches(" checked").count(), 2, "{html}");
    assert_eq!(shown.header("cache-control"), Some("no-store"));

    let fields = [("answers[Diet]", "Meat"), ("answers[Days]", "Sat")];
    let taken = app.site.form(&form, &fields).send().await;
    assert_eq!(
        (taken.status.as_u16(), taken.header("location")),
        (303, Some(&*page))
    );
    let changed = [answer("Diet", &["Meat"]), answer("Days", &["Sat"])];
    assert_eq!(stored(&owner, &event).await, changed);
    // The same once more changes nothing.
    app.site.form(&form, &fields).send().await;
    let activity = owner.ok::<ListActivity>(json!({})).await;
    let texts = activity["items"].as_array().unwrap().iter();
    let told = "Grace changed their answers for \"Rust Night\"";
    assert_eq!(
        texts.filter(|one| one["text"] == told).count(),
        1,
        "{activity}"
    );

    app.advance(Duration::from_hours(1));
    app.drain_jobs().await;
    let mails = mail_to(&app, &account.email);
    assert_eq!(mails.len(), before + 1);
    let mail = mails
        .iter()
        .find(|mail| mail.subject.contains("changed their answers"))
        .unwrap();
    assert_eq!(mail.subject, "1 guest changed their answers: Rust Night");
    assert!(
        mail.text.contains("1 guest changed their answers. 1 of "),
        "{}",
        mail.text
    );
    assert!(!mail.text.contains("new registration"), "{}", mail.text);
}

async fn wrong_answers_are_refused_as_when_registering(app: Arc<TestApp>) {
    let (_, owner, event, page) = registered(&app, asking()).await;
    let before = stored(&owner, &event).await;
    let form = format!("{page}/answers");
    for (fields, said) in [
        (
            &[("answers[Diet]", "Fish")][..],
            "Choose one of the options.",
        ),
        (&[("answers[Days]", "Sat")], "Please answer this."),
        (
            &[("answers[Diet]", "Meat"), ("answers[Gone]", "x")],
            "have changed",
        ),
    ] {
        let refused = app.site.form(&form, fields).send().await;
        let html = refused.html(400);
        assert!(html.contains(said), "{said}: {html}");
        assert_eq!(stored(&owner, &event).await, before);
    }
    let foreign = app
        .site
        .form(&form, &[("answers[Diet]", "Meat")])
        .without("sec-fetch-site");
    let foreign = foreign.header("sec-fetch-site", "cross-site").send().await;
    assert_eq!(foreign.status, 403);
    assert_eq!(stored(&owner, &event).await, before);
}

/// Whether the guest can change the answers, by the page, by the form and by what is stored.
async fn is_changeable(app: &TestApp, owner: &Client, event: &Created, page: &str) -> bool {
    let form = format!("{page}/answers");
    let own = app.site.page(page).send().await;
    let is_offered = attributes(own.html(200), "href").contains(&&*form);
    let opened = app.site.page(&form).send().await;
    assert_eq!(opened.status == 200, is_offered, "{opened:?}");
    let before = stored(owner, event).await;
    let other = if before[0].1 == ["Meat"] {
        "Vegan"
    } else {
        "Meat"
    };
    let taken = app
        .site
        .form(&form, &[("answers[Diet]", other)])
        .send()
        .await;
    assert_eq!(
        (taken.status.as_u16(), taken.header("location")),
        (303, Some(page))
    );
    assert_eq!(stored(owner, event).await != before, is_offered);
    is_offered
}

async fn answers_are_fixed_where_the_event_says_so_and_once_it_begins(app: Arc<TestApp>) {
    let (_, owner, event, page) = registered(&app, asking()).await;
    assert!(is_changeable(&app, &owner, &event, &page).await);
    let forbidding = json!({"id": event.id, "allows_answer_changes": false});
    let updated = owner.ok::<UpdateEvent>(forbidding).await;
    assert_eq!(updated["allows_answer_changes"], false);
    assert!(!is_changeable(&app, &owner, &event, &page).await);
    let allowing = json!({"id": event.id, "allows_answer_changes": true});
    owner.ok::<UpdateEvent>(allowing).await;
    let detail = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
    assert_eq!(detail["allows_answer_changes"], true);
    assert!(is_changeable(&app, &owner, &event, &page).await);
    // From 2027-01-15T12:00Z to the minute before 2027-02-01T18:00Z, and then to the start.
    app.advance(Duration::from_mins((17 * 24 + 6) * 60 - 1));
    assert!(is_changeable(&app, &owner, &event, &page).await);
    app.advance(Duration::from_mins(1));
    assert!(!is_changeable(&app, &owner, &event, &page).await);
}

async fn answers_are_fixed_by_default_and_at_cancelled_events(app: Arc<TestApp>) {
    let mut event = asking();
    event
        .as_object_mut()
        .unwrap()
        .remove("allows_answer_changes");
    let (_, owner, event, page) = registered(&app, event).await;
    assert!(!is_changeable(&app, &owner, &event, &page).await);
    let allowing = json!({"id": event.id, "allows_answer_changes": true});
    owner.ok::<UpdateEvent>(allowing).await;
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert!(!is_changeable(&app, &owner, &event, &page).await);
}

async fn an_event_is_put_into_calendars_from_its_page_the_private_page_and_the_mail(
    app: Arc<TestApp>,
) {
    let (_, owner, event, private) = registered(&app, asking()).await;
    let public = format!("/events/{}", event.slug);
    for page in [&public, &private] {
        let reply = app.site.page(page).send().await;
        let html = super::unescaped(reply.html(200));
        let links = attributes(&html, "href");
        let leads = |start: &str| links.iter().find(|link| link.starts_with(start)).copied();
        let google = leads("https://calendar.google.com/").unwrap();
        assert!(
            google.contains("20270201T180000Z%2F20270201T190000Z"),
            "{google}"
        );
        let outlook = leads("https://outlook.live.com/").unwrap();
        assert!(
            outlook.contains("startdt=2027-02-01T18%3A00%3A00Z"),
            "{outlook}"
        );
        assert!(links.contains(&&*format!("{page}/event.ics")), "{links:?}");
    }
    let mail = mail_to(&app, GUEST).pop().unwrap();
    let base = "https://muster.example";
    for link in [
        format!("{base}{private}/calendar/google"),
        format!("{base}{private}/calendar/outlook"),
        format!("{base}{private}/event.ics"),
    ] {
        assert!(mail.text.contains(&link), "{link}: {}", mail.text);
        let path = link.strip_prefix(base).unwrap();
        let reply = app.site.page(path).send().await;
        assert!(
            [200, 303].contains(&reply.status.as_u16()),
            "{path}: {reply:?}"
        );
    }
    // The link in the mail leads to the times that the event has by now.
    let moved = json!({"id": event.id, "start_date": "2027-02-02T20:00:00+01:00"});
    owner.ok::<UpdateEvent>(moved).await;
    for page in [&public, &private] {
        let path = format!("{page}/calendar/google");
        let google = app.site.page(&path).send().await;
        assert_eq!(
            (google.status.as_u16(), google.header("cache-control")),
            (303, Some("no-store"))
        );
        let lead = google.header("location").unwrap();
        assert!(lead.starts_with("https://calendar.google.com/"), "{lead}");
        assert!(lead.contains("20270202T190000Z%2F"), "{lead}");
        let unknown = app.site.page(&format!("{page}/calendar/other"));
        assert_eq!(unknown.send().await.status, 404);
    }
    // Who waits for a seat, or lost it, has no entry.
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    app.drain_jobs().await;
    let last = app.mails_by_time().pop().unwrap();
    assert!(!last.text.contains("Add to calendar"), "{}", last.text);
    for page in [&public, &private] {
        let reply = app.site.page(page).send().await;
        assert!(!reply.html(200).contains("calendar.google.com"), "{page}");
    }
}

tests::on_both_engines!(
    a_guest_changes_the_answers_and_the_organizer_is_told,
    wrong_answers_are_refused_as_when_registering,
    answers_are_fixed_where_the_event_says_so_and_once_it_begins,
    answers_are_fixed_by_default_and_at_cancelled_events,
    an_event_is_put_into_calendars_from_its_page_the_private_page_and_the_mail,
);
