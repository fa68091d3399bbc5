//! Registering again under the same address: perhaps it is someone else who does.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::{
        GetRegistrationByTokenRequest, OwnRegistration, TakeOverNewDetailsByTokenRequest,
        bindings::{CancelRegistration, ListRegistrations, RegisterAttendee},
        registration_service_client::RegistrationServiceClient,
    },
};
use serde_json::{Value, json};
use tests::{Client, Created, Refusal, Surface, TestApp};

const OFFERED: Duration = Duration::from_hours(24);

async fn register(app: &Arc<TestApp>, event: &Created, name: &str, diet: &str) {
    let request = json!({
        "slug": event.slug, "name": name, "email": "grace@example.org",
        "answers": [{"label": "Diet", "values": [diet]}],
    });
    let anyone = app.over(Surface::Grpc).anyone();
    anyone.ok::<RegisterAttendee>(request).await;
}

async fn open(app: &Arc<TestApp>) -> (Client, Created) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let fields = json!([{"label": "Diet", "field_type": "text"}]);
    let event = owner.publish_new(json!({ "custom_fields": fields })).await;
    (owner, event)
}

/// The text of the one mail since the last time, and the token in it.
async fn next_mail(app: &TestApp, seen: &mut Vec<String>) -> (String, String) {
    app.drain_jobs().await;
    let mut mails = app.mails();
    mails.retain(|mail| !seen.contains(&mail.id));
    assert_eq!(mails.len(), 1);
    let mail = mails.remove(0);
    seen.push(mail.id);
    let (_, token) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let token = token.split_whitespace().next().unwrap().to_owned();
    (mail.text, token)
}

async fn own(app: &TestApp, token: &str) -> OwnRegistration {
    let token = token.to_owned();
    let mut service = RegistrationServiceClient::new(app.grpc.channel());
    let answer = service.get_registration_by_token(GetRegistrationByTokenRequest { token });
    answer.await.unwrap().into_inner()
}

async fn take_over(app: &TestApp, token: &str) -> Result<OwnRegistration, Reason> {
    let token = token.to_owned();
    let mut service = RegistrationServiceClient::new(app.grpc.channel());
    let request = TakeOverNewDetailsByTokenRequest { token };
    let answer = service.take_over_new_details_by_token(request).await;
    answer
        .map(tonic::Response::into_inner)
        .map_err(|status| Refusal::from_grpc(&status).reason)
}

/// Name and answer of the one registration, as its organizer sees them.
async fn listed(owner: &Client, event: &Created) -> (Value, Value) {
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(listed["count"], 1);
    let one = &listed["items"][0];
    (one["name"].clone(), one["answers"][0]["values"][0].clone())
}

async fn what_a_stranger_wrote_first_need_not_stay(app: Arc<TestApp>) {
    let ((owner, event), mut seen) = (open(&app).await, Vec::new());
    register(&app, &event, "A Stranger", "stones").await;
    let (_, first) = next_mail(&app, &mut seen).await;
    register(&app, &event, "Grace Hopper", "vegan").await;
    let (text, second) = next_mail(&app, &mut seen).await;
    assert!(
        text.contains("the name or the answers were different"),
        "{text}"
    );
    assert!(
        !text.contains("Hopper") && !text.contains("vegan"),
        "{text}"
    );
    let before = (json!("A Stranger"), json!("stones"));
    assert_eq!(listed(&owner, &event).await, before);

    assert_eq!(own(&app, &first).await.new_details, None);
    let offered = own(&app, &second).await.new_details.unwrap();
    assert_eq!(offered.name, "Grace Hopper");
    assert_eq!(offered.answers[0].values, ["vegan"]);
    assert_eq!(take_over(&app, &first).await, Err(Reason::NotFound));
    assert_eq!(take_over(&app, "no-token").await, Err(Reason::NotFound));
    assert_eq!(listed(&owner, &event).await, before);
    for _ in 0..2 {
        let own = take_over(&app, &second).await.unwrap();
        assert_eq!((&*own.name, own.new_details), ("Grace Hopper", None));
        let after = (json!("Grace Hopper"), json!("vegan"));
        assert_eq!(listed(&owner, &event).await, after);
    }
    let found = json!({"id": event.id, "q": "hopper"});
    assert_eq!(owner.ok::<ListRegistrations>(found).await["count"], 1);
    let id = app.registrations(&event.id).await.remove(0).id;
    let audit = app.audit(&id.to_string()).await;
    let taken_over = audit
        .iter()
        .find(|row| row.action == "registration.take_over_details");
    let after = taken_over.unwrap().after.as_ref().unwrap().to_string();
    assert_eq!(after, r#"{"changed":["name","answers"]}"#);
}

async fn a_repetition_that_says_the_same_offers_nothing(app: Arc<TestApp>) {
    let ((_, event), mut seen) = (open(&app).await, Vec::new());
    for _ in 0..2 {
        register(&app, &event, "Grace", "vegan").await;
        let (text, token) = next_mail(&app, &mut seen).await;
        assert!(
            !text.contains("the name or the answers were different"),
            "{text}"
        );
        assert_eq!(own(&app, &token).await.new_details, None);
    }
}

/// The link in a mail shows what was written then, whatever is written afterwards.
async fn what_a_link_offers_does_not_change_and_ends(app: Arc<TestApp>) {
    let ((owner, event), mut seen) = (open(&app).await, Vec::new());
    register(&app, &event, "Grace", "vegan").await;
    next_mail(&app, &mut seen).await;
    register(&app, &event, "Grace Hopper", "vegan").await;
    let (_, honest) = next_mail(&app, &mut seen).await;
    // In the same minute, so without a mail, and in the next one.
    register(&app, &event, "Eve", "vegan").await;
    app.advance(Duration::from_mins(1));
    register(&app, &event, "Mallory", "vegan").await;
    let (_, foreign) = next_mail(&app, &mut seen).await;
    let offered = |own: OwnRegistration| own.new_details.map(|details| details.name);
    assert_eq!(
        offered(own(&app, &honest).await).as_deref(),
        Some("Grace Hopper")
    );
    assert_eq!(
        offered(own(&app, &foreign).await).as_deref(),
        Some("Mallory")
    );
    app.advance(OFFERED);
    assert_eq!(offered(own(&app, &foreign).await), None);
    assert_eq!(take_over(&app, &honest).await, Err(Reason::NotFound));
    app.maintain().await;
    assert_eq!(take_over(&app, &foreign).await, Err(Reason::NotFound));
    assert_eq!(listed(&owner, &event).await.0, "Grace");

    register(&app, &event, "Grace Hopper", "vegan").await;
    let (_, late) = next_mail(&app, &mut seen).await;
    let id = app.registrations(&event.id).await.remove(0).id;
    let cancelled = json!({"id": event.id, "registration_id": id.to_string()});
    owner.ok::<CancelRegistration>(cancelled).await;
    assert_eq!(
        take_over(&app, &late).await,
        Err(Reason::RegistrationCancelled)
    );
}

tests::on_both_engines!(
    what_a_stranger_wrote_first_need_not_stay,
    a_repetition_that_says_the_same_offers_nothing,
    what_a_link_offers_does_not_change_and_ends,
);
