//! A row that cannot be read stops nothing but itself. The log names it with its cause, which no answer does.

use std::{sync::Arc, time::Duration};

use domain::{
    job::JobKind,
    plan::Plan,
    registration::Status::{self, Cancelled, Pending},
};
use muster_api::{
    Reason,
    v1::bindings::{GetEvent, ListEvents, ListMyEvents, RegisterAttendee},
};
use serde_json::{Value, json};
use tests::{Client, Created, Surface, TestApp};

use super::{listen, logged};

/// What stands in the log for an event whose custom fields are broken, without what they were.
fn cause(event: &str) -> String {
    format!("row {event} of events cannot be read: stored Vec<CustomField> cannot be read: ")
}

#[track_caller]
fn assert_logged(what: &str, cause: &str) {
    let text = logged();
    let found = text
        .lines()
        .any(|line| line.contains(what) && line.contains(cause));
    assert!(found, "{what}: {cause}");
}

async fn break_event(app: &TestApp, event: &Created) {
    // In two parts, since the log has the statement.
    let broken = "events SET custom_fields = '[\"Di' || 'et\"]'";
    app.update(broken, &event.id).await;
}

async fn register(client: &Client, event: &Created) {
    let guest = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    client.ok::<RegisterAttendee>(guest).await;
}

async fn status(app: &TestApp, event: &Created) -> Status {
    app.registrations(&event.id).await[0].status
}

fn slugs(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["slug"].as_str().unwrap()).collect()
}

async fn a_broken_event_is_named_in_the_log_and_never_in_an_answer(app: Arc<TestApp>) {
    listen();
    for surface in [Surface::Http, Surface::Grpc, Surface::Mcp] {
        let api = app.over(surface);
        let owner = api.owner(Plan::Pro).await;
        let event = owner.publish_new(json!({})).await;
        break_event(&app, &event).await;
        let refusal = owner.refused::<GetEvent>(json!({"slug": event.slug})).await;
        assert_eq!(refusal.reason, Reason::Internal, "{refusal:?}");
        assert_eq!(refusal.message, "internal error");
        assert!(refusal.details.is_empty(), "{refusal:?}");
        assert_logged("a use case failed", &cause(&event.id));
    }
    assert!(!logged().contains("Diet"));
}

async fn searches_find_all_events_but_those_that_are_broken(app: Arc<TestApp>) {
    listen();
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let broken = owner.publish_new(json!({"title": "Zebra"})).await;
    let good = owner.publish_new(json!({"title": "Zebra"})).await;
    break_event(&app, &broken).await;
    for event in [&broken, &good] {
        app.update("events SET indexed_as_of = 0", &event.id).await;
    }
    // More than the first transactions take, and all before the good one.
    app.copy_event(&broken.id, 120).await;
    let folded = owner.create(json!({"title": "Zebra"})).await;
    for event in [&broken, &folded] {
        app.update("events SET search_text = NULL", &event.id).await;
    }
    app.maintain().await;
    let query = json!({"q": "zebra"});
    let public = owner.ok::<ListEvents>(query.clone()).await;
    assert_eq!(slugs(&public), [good.slug.as_str()]);
    let own = owner.ok::<ListMyEvents>(query).await;
    let mut own = slugs(&own);
    own.sort_unstable();
    let mut expected = [good.slug.as_str(), folded.slug.as_str()];
    expected.sort_unstable();
    assert_eq!(own, expected);
    let copy = "00000000-0000-0000-0000-000000000001";
    assert_logged("a row cannot be read and is left out", &cause(copy));
}

async fn seats_of_all_events_but_the_broken_one_are_given_back(app: Arc<TestApp>) {
    listen();
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let mut events = Vec::new();
    for _ in 0..3 {
        let event = owner.publish_new(json!({"confirm_by_email": true})).await;
        register(&owner, &event).await;
        events.push(event);
    }
    break_event(&app, &events[0]).await;
    app.advance(Duration::from_hours(24 * 30));
    app.maintain().await;
    let mut statuses = Vec::new();
    for event in &events {
        statuses.push(status(&app, event).await);
    }
    assert_eq!(statuses, [Pending, Cancelled, Cancelled]);
    assert_logged("an event could not be settled", &cause(&events[0].id));
}

async fn mails_about_all_events_but_the_broken_one_are_sent(app: Arc<TestApp>) {
    listen();
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let broken = owner.publish_new(json!({"title": "Broken"})).await;
    let good = owner.publish_new(json!({"title": "Zebra"})).await;
    for event in [&broken, &good] {
        register(&owner, event).await;
    }
    break_event(&app, &broken).await;
    app.drain_jobs().await;
    let mails = app.mails();
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].subject.contains("Zebra"), "{mails:?}");
    // It is tried again, as often as any other that fails for now.
    let kind = JobKind::RegisteredMail;
    let waiting = app.store.list_jobs(kind, 10).await.unwrap();
    let [job] = &waiting[..] else {
        panic!("{waiting:?}");
    };
    assert_eq!((job.tries, job.failed_at), (1, None));
    let error = job.last_error.as_deref().unwrap();
    assert!(error.starts_with(&cause(&broken.id)), "{error}");
}

tests::on_both_engines!(
    a_broken_event_is_named_in_the_log_and_never_in_an_answer,
    searches_find_all_events_but_those_that_are_broken,
    seats_of_all_events_but_the_broken_one_are_given_back,
    mails_about_all_events_but_the_broken_one_are_sent
);
