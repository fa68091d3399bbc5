//! From registering to the mailbox, and from cancelling.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::v1::bindings::{
    AddRegistration, ApproveRegistration, CancelEvent, CancelRegistration, GetMyEvent,
    ListRegistrations, RegisterAttendee, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Mail};

const TITLE: &str = "Mail Meetup";

async fn register(api: &Api, event: &Created, name: &str) {
    let request = json!({
        "slug": event.slug, "name": name, "email": format!("{name}@example.org"),
    });
    api.anyone().ok::<RegisterAttendee>(request).await;
}

/// Has all that is due sent; answers to whom what was sent since the last time, in order.
async fn sent(api: &Api, seen: &mut Vec<String>) -> Vec<(String, String)> {
    api.drain_jobs().await;
    let mails: Vec<Mail> = api.mails();
    let fresh = mails.iter().filter(|mail| !seen.contains(&mail.id));
    let mut told: Vec<_> = fresh
        .map(|mail| {
            // What follows an owner's hyphen is different for each.
            let (name, _) = mail.to.split_once(['-', '@']).unwrap();
            let (subject, title) = mail.subject.rsplit_once(": ").unwrap();
            assert_eq!(title, TITLE);
            (name.to_owned(), subject.to_owned())
        })
        .collect();
    told.sort();
    *seen = mails.into_iter().map(|mail| mail.id).collect();
    told
}

fn told(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, subject): &(&str, &str)| ((*name).to_owned(), (*subject).to_owned());
    expected.iter().map(owned).collect()
}

/// The id of someone's registration that is not cancelled.
async fn id_of(owner: &Client, event: &Created, name: &str) -> Value {
    let request = json!({"id": event.id, "q": name});
    let listed = owner.ok::<ListRegistrations>(request).await;
    let mut items = listed["items"].as_array().unwrap().iter();
    let found = items.find(|item| item["status"] != Status::Cancelled.name());
    found.unwrap()["id"].clone()
}

async fn everyone_hears_where_they_stand_and_once_that_it_is_off(api: Api) {
    let (owner, mut seen) = (api.owner(Plan::Pro).await, Vec::new());
    let event = owner
        .publish_new(json!({"title": TITLE, "max_capacity": 1}))
        .await;
    for name in ["ada", "bob"] {
        register(&api, &event, name).await;
    }
    let expected = [
        ("ada", "You are registered"),
        ("bob", "You are on the waitlist"),
    ];
    assert_eq!(sent(&api, &mut seen).await, told(&expected));

    register(&api, &event, "ada").await;
    let expected = [("ada", "You are already registered")];
    assert_eq!(sent(&api, &mut seen).await, told(&expected));

    let id = id_of(&owner, &event, "ada").await;
    let cancel = json!({"id": event.id, "registration_id": id});
    owner.ok::<CancelRegistration>(cancel).await;
    let expected = [
        ("ada", "Your registration is cancelled"),
        ("bob", "You have a spot"),
    ];
    assert_eq!(sent(&api, &mut seen).await, told(&expected));

    // From now on strangers are asked of, and cleo is someone whom the owner brings.
    let change = json!({"id": event.id, "requires_approval": true, "location": "Elsewhere", "max_capacity": 2});
    let changed = owner.ok::<UpdateEvent>(change).await;
    assert_eq!(changed["registrants_notified"], 1, "bob");
    register(&api, &event, "dan").await;
    let cleo = json!({"id": event.id, "name": "cleo", "email": "cleo@example.org"});
    owner.ok::<AddRegistration>(cleo).await;
    let expected = [
        ("cleo", "You are registered"),
        ("dan", "Your registration awaits approval"),
    ];
    assert_eq!(sent(&api, &mut seen).await, told(&expected));
    // Those two know it already; that someone waits is for the owner.
    api.advance(Duration::from_mins(5));
    let expected = [
        ("bob", "New time or place"),
        ("owner", "1 registration awaits your approval"),
    ];
    assert_eq!(sent(&api, &mut seen).await, told(&expected));

    let id = id_of(&owner, &event, "dan").await;
    let approve = json!({"id": event.id, "registration_id": id});
    owner.ok::<ApproveRegistration>(approve).await;
    let expected = [("dan", "Approved, and on the waitlist")];
    assert_eq!(sent(&api, &mut seen).await, told(&expected));

    let before = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
    let cancelled = owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let expected = [
        ("bob", "Cancelled"),
        ("cleo", "Cancelled"),
        ("dan", "Cancelled"),
    ];
    assert_eq!(sent(&api, &mut seen).await, told(&expected));
    let counts = [
        "registrations_active",
        "registrations_confirmed",
        "registrations_total",
    ];
    assert_eq!(
        counts.map(|count| before[count].as_i64()),
        [3, 2, 4].map(Some)
    );
    assert_eq!(
        cancelled["registrants_notified"],
        before["registrations_active"]
    );
}

async fn the_link_in_a_mail_leads_to_the_registration(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"title": TITLE})).await;
    register(&api, &event, "ada").await;
    api.drain_jobs().await;
    let mails = api.mails();
    let (_, token) = mails[0]
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let token = token.split_whitespace().next().unwrap();
    let use_cases = api.core.use_cases();
    let own = use_cases.own_registrations.get(token).await.unwrap();
    assert_eq!(own.registration.email, "ada@example.org");
    assert!(own.is_cancellable);
    use_cases.own_registrations.cancel(token).await.unwrap();
    let detail = owner.detail(&event).await;
    assert_eq!(detail["registrations_confirmed"], 0);
}

tests::on_every_surface!(
    everyone_hears_where_they_stand_and_once_that_it_is_off,
    the_link_in_a_mail_leads_to_the_registration,
);
