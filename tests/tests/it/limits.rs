//! How often accounts may call, and how often people may be registered, and so how much mail strangers can have sent to strangers.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use http::StatusCode;
use muster_api::{
    Reason, Scope,
    metadata::RATE_LIMIT,
    v1::{
        ListMyEventsRequest,
        bindings::{AddRegistration, CancelEvent, PublishEvent, RegisterAttendee},
    },
};
use serde_json::json;
use tests::{Api, Created, Reply, Surface, TestApp, new_event};
use tokio::task::JoinSet;
use tonic::Code;
use tonic_types::StatusExt as _;

/// What one address may be mailed in an hour.
const MAILS: usize = 20;

/// How many of them one network causes by registering.
const MAILS_BY_NETWORK: usize = MAILS / 2;

async fn an_address_is_told_what_it_has_left_and_when_to_come_back(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let path = format!("/events/{}/registrations", event.slug);
    let ask = async |number: usize| {
        let body = json!({"name": "Grace", "email": format!("grace-{number}@example.org")});
        app.http.post(&path).json(&body).send().await
    };
    let first = ask(0).await;
    assert_eq!(first.status, StatusCode::OK);
    assert_eq!(
        first.header("ratelimit-policy"),
        Some("\"address\";q=60;w=60")
    );
    assert_eq!(first.header("ratelimit"), Some("\"address\";r=59;t=1"));
    for number in 1..60 {
        assert_eq!(ask(number).await.status, StatusCode::OK);
    }
    let refused = ask(60).await;
    assert_eq!(refused.refusal().reason, Reason::RateLimited);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("ratelimit"), Some("\"address\";r=0;t=1"));
    app.clock.advance_seconds(1);
    assert_eq!(ask(60).await.status, StatusCode::OK);
}

async fn a_recipient_is_not_mailed_more_than_is_reasonable(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let path = format!("/events/{}/registrations", event.slug);
    let body = json!({"name": "Grace", "email": "grace@example.org"});
    for _ in 0..MAILS_BY_NETWORK {
        let answer = app.http.post(&path).json(&body).send().await;
        assert_eq!(answer.status, StatusCode::OK);
    }
    let refused = app.http.post(&path).json(&body).send().await;
    assert_eq!(refused.refusal().reason, Reason::RateLimited);
    assert_eq!(refused.header("retry-after"), Some("3600"));
    assert_eq!(refused.header("ratelimit"), None);
    let other = owner.publish_new(json!({})).await;
    let path = format!("/events/{}/registrations", other.slug);
    for email in [
        "Grace@Example.org",
        "grace+1@example.org",
        "grace+2@example.org",
    ] {
        let body = json!({"name": "Grace", "email": email});
        let refused = app.http.post(&path).json(&body).send().await;
        assert_eq!(refused.refusal().reason, Reason::RateLimited);
    }
}

async fn organizers_leave_half_of_the_mails_to_the_person(api: Api) {
    let account = api.account(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let grace = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    let add =
        |event: &Created, email: String| json!({"id": event.id, "name": "Grace", "email": email});
    let other = owner.publish_new(json!({})).await;
    for number in 0..MAILS / 2 {
        let tagged = add(&other, format!("Grace+{number}@example.org"));
        owner.ok::<AddRegistration>(tagged).await;
    }
    let tagged = add(&other, "grace+last@example.org".to_owned());
    let refused = owner.refused::<AddRegistration>(tagged).await;
    assert_eq!(refused.reason, Reason::RateLimited);
    // All accounts together.
    let neighbour = api.owner(Plan::Pro).await;
    let theirs = neighbour.publish_new(json!({})).await;
    let added = add(&theirs, "grace@example.org".to_owned());
    let refused = neighbour.refused::<AddRegistration>(added.clone()).await;
    assert_eq!(refused.reason, Reason::RateLimited);
    for _ in 0..MAILS / 2 {
        api.anyone().ok::<RegisterAttendee>(grace.clone()).await;
    }
    let refused = api
        .anyone()
        .refused::<RegisterAttendee>(grace.clone())
        .await;
    assert_eq!(refused.reason, Reason::RateLimited);
    api.advance(Duration::from_hours(1));
    neighbour.ok::<AddRegistration>(added).await;
    api.anyone().ok::<RegisterAttendee>(grace).await;
}

async fn what_is_refused_takes_none_of_the_recipients_mails(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let anyone = app.over(Surface::Grpc).anyone();
    let cancelled = owner.publish_new(json!({})).await;
    owner.ok::<CancelEvent>(json!({"id": cancelled.id})).await;
    let size = json!([{"label": "Size", "field_type": "text", "required": true}]);
    let asking = owner.publish_new(json!({ "custom_fields": size })).await;
    let open = owner.publish_new(json!({"max_capacity": 1})).await;
    let grace = |slug: &str| json!({"slug": slug, "name": "Grace", "email": "grace@example.org"});
    for (slug, reason) in [
        (&*cancelled.slug, Reason::EventCancelled),
        (&*asking.slug, Reason::InvalidRequest),
        ("no-such-event", Reason::NotFound),
    ] {
        // Together more than the mails, and fewer than an address may try in a minute.
        for _ in 0..=MAILS / 3 {
            let refused = anyone.refused::<RegisterAttendee>(grace(slug)).await;
            assert_eq!(refused.reason, reason);
        }
    }

    // The first is new and the others are repeated: all count.
    for _ in 0..MAILS_BY_NETWORK {
        anyone.ok::<RegisterAttendee>(grace(&open.slug)).await;
    }
    let other = owner.publish_new(json!({})).await;
    for event in [&open, &other] {
        let refused = anyone.refused::<RegisterAttendee>(grace(&event.slug)).await;
        assert_eq!(refused.reason, Reason::RateLimited);
    }
    // What is wrong otherwise is told first.
    let refused = anyone.refused::<RegisterAttendee>(grace(&cancelled.slug));
    assert_eq!(refused.await.reason, Reason::EventCancelled);
}

/// Requests that arrive at the same time are decided in one batch.
async fn who_is_limited_takes_no_seat_from_those_beside(app: Arc<TestApp>) {
    const AT_ONCE: usize = 32;
    let owner = app.over(Surface::Grpc).owner(Plan::Pro).await;
    let [other, event] = [
        owner.publish_new(json!({})).await,
        owner.publish_new(json!({})).await,
    ];
    let guest = |slug: &str, number: usize| json!({"slug": slug, "name": "Grace", "email": format!("grace-{number}@example.org")});
    let anyone = app.over(Surface::Grpc).anyone();
    for _ in 0..MAILS_BY_NETWORK {
        anyone.ok::<RegisterAttendee>(guest(&other.slug, 0)).await;
    }
    let mut asking = JoinSet::new();
    for number in 0..AT_ONCE {
        let anyone = app.over(Surface::Grpc).anyone();
        let asked = guest(&event.slug, if number % 2 == 0 { 0 } else { number });
        asking.spawn(async move { anyone.call::<RegisterAttendee>(asked).await.is_ok() });
    }
    let registered = asking.join_all().await.into_iter().filter(|is_ok| *is_ok);
    assert_eq!(registered.count(), AT_ONCE / 2);
    let rows = app.registrations(&event.id).await;
    assert_eq!(rows.len(), AT_ONCE / 2);
    let counted = &owner.detail(&event).await["registrations_confirmed"];
    assert_eq!(*counted, rows.len());
}

mod everywhere {
    use super::organizers_leave_half_of_the_mails_to_the_person;

    tests::on_every_surface!(organizers_leave_half_of_the_mails_to_the_person);
}

/// Calls of one account in a minute.
const READS: u32 = 6_000;
const WRITES: u32 = 3_000;

fn told(answer: &Reply) -> [Option<&str>; 2] {
    ["ratelimit-policy", "ratelimit"].map(|name| answer.header(name))
}

async fn an_account_is_told_what_it_has_left_of_its_calls(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let read = async |path: &str| app.http.get(path).bearer(&account.key).send().await;
    let me = read("/me").await;
    let reads = Some("\"account-reads\";q=6000;w=60");
    assert_eq!(told(&me), [reads, Some("\"account-reads\";r=5999;t=1")]);
    let create = app.http.post("/events").bearer(&account.key);
    let created = create.json(&new_event(json!({}))).send().await;
    let writes = Some("\"account-writes\";q=3000;w=60");
    let left = Some("\"account-writes\";r=2999;t=1");
    assert_eq!(told(&created), [writes, left]);
    let unknown = read("/me/events/0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert_eq!(
        told(&unknown),
        [reads, Some("\"account-reads\";r=5998;t=1")]
    );
    // All keys of an account share its limits; another account has its own.
    let key = app.key_for(&account, &[Scope::AccountRead]).await;
    let shared = app.http.get("/me").bearer(&key).send().await;
    assert_eq!(told(&shared)[1], Some("\"account-reads\";r=5997;t=1"));
    let other = app.account(Plan::Pro).await;
    let own = app.http.get("/me").bearer(&other.key).send().await;
    assert_eq!(told(&own), told(&me));
    // Neither public reads nor callers without a key have such limits.
    for path in ["/events", "/guides", "/use-cases"] {
        assert_eq!(told(&read(path).await), [None, None], "{path}");
    }
    let nobody = app.http.get("/me").send().await;
    assert_eq!(nobody.status, StatusCode::UNAUTHORIZED);
    assert_eq!(told(&nobody), [None, None]);

    let limits = &app.core.use_cases().call_limits;
    for _ in 0..READS - 3 {
        limits.count(account.id, true).unwrap();
    }
    let refused = read("/me").await;
    assert_eq!(refused.refusal().reason, Reason::RateLimited);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(told(&refused), [reads, Some("\"account-reads\";r=0;t=1")]);
    app.clock.advance_seconds(1);
    assert_eq!(read("/me").await.status, StatusCode::OK);
}

async fn a_grpc_client_is_told_the_same_as_metadata(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let mut events = app.grpc.events(&account.key);
    let answer = events.list_my_events(ListMyEventsRequest::default()).await;
    let answer = answer.unwrap();
    let left = answer.metadata().get(RATE_LIMIT).unwrap();
    assert_eq!(left, "\"account-reads\";r=5999;t=1");
    let limits = &app.core.use_cases().call_limits;
    for _ in 1..READS {
        limits.count(account.id, true).unwrap();
    }
    let refused = events.list_my_events(ListMyEventsRequest::default()).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let wait = refused.get_error_details().retry_info().cloned().unwrap();
    assert!(
        wait.retry_delay
            .is_some_and(|wait| wait <= Duration::from_secs(1))
    );
    let left = refused.metadata().get(RATE_LIMIT).unwrap();
    assert_eq!(left, "\"account-reads\";r=0;t=1");
}

async fn whoever_changes_too_much_is_asked_to_wait(app: Arc<TestApp>) {
    for surface in [Surface::Http, Surface::Grpc, Surface::Mcp] {
        let api = app.over(surface);
        let account = app.account(Plan::Pro).await;
        let owner = api.as_owner(&account);
        let event = owner.create(json!({})).await;
        let limits = &app.core.use_cases().call_limits;
        for _ in 1..WRITES {
            limits.count(account.id, false).unwrap();
        }
        let publish = json!({"id": event.id});
        let refused = owner.refused::<PublishEvent>(publish.clone()).await;
        assert_eq!(refused.reason, Reason::RateLimited);
        // Reads have a limit of their own, and so have other accounts.
        assert_eq!(owner.detail(&event).await["is_published"], false);
        api.owner(Plan::Pro).await.publish_new(json!({})).await;
        app.clock.advance_seconds(1);
        owner.ok::<PublishEvent>(publish).await;
    }
}

tests::on_both_engines!(
    an_address_is_told_what_it_has_left_and_when_to_come_back,
    a_recipient_is_not_mailed_more_than_is_reasonable,
    what_is_refused_takes_none_of_the_recipients_mails,
    who_is_limited_takes_no_seat_from_those_beside,
    an_account_is_told_what_it_has_left_of_its_calls,
    a_grpc_client_is_told_the_same_as_metadata,
    whoever_changes_too_much_is_asked_to_wait,
);
