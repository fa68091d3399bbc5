//! Registrations that the attendee must confirm from the mail.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use http::StatusCode;
use muster_api::{
    Reason,
    v1::{
        ConfirmRegistrationByTokenRequest, OwnRegistration,
        bindings::{
            AddRegistration, ApproveRegistration, CancelEvent, ListRegistrations, RegisterAttendee,
            UpdateEvent,
        },
        registration_service_client::RegistrationServiceClient,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Refusal, Surface, TestApp};

const HELD: Duration = Duration::from_mins(30);
/// The time in which a registration can be confirmed but holds no seat any more.
const UNHELD: Duration = Duration::from_mins(24 * 60 - 30);

async fn register(api: &Api, event: &Created, name: &str) {
    let request = json!({"slug": event.slug, "name": name, "email": format!("{name}@example.org")});
    api.anyone().ok::<RegisterAttendee>(request).await;
}

/// Who stands where, and what that awaits.
async fn standing(owner: &Client, event: &Created) -> Vec<String> {
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let items = listed["items"].as_array().unwrap().iter();
    items
        .map(|one| {
            let text = |field: &str| one[field].as_str().unwrap_or("nothing").to_owned();
            format!("{} {} {}", text("name"), text("status"), text("awaits"))
        })
        .collect()
}

/// The token in the newest mail to someone, and its subject.
async fn mailed(api: &Api, name: &str) -> (String, String) {
    api.drain_jobs().await;
    let to = format!("{name}@example.org");
    let mut mails = api.mails();
    mails.retain(|mail| mail.to == to);
    let asking = mails
        .into_iter()
        .find(|mail| mail.id.starts_with("confirmation_mail."));
    let mail = asking.unwrap();
    let (_, token) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let token = token.split_whitespace().next().unwrap().to_owned();
    (token, mail.subject)
}

async fn confirm(api: &Api, token: &str) -> Result<OwnRegistration, Refusal> {
    let token = token.to_owned();
    let mut service = RegistrationServiceClient::new(api.grpc.channel());
    let answer = service
        .confirm_registration_by_token(ConfirmRegistrationByTokenRequest { token })
        .await;
    answer
        .map(tonic::Response::into_inner)
        .map_err(|status| Refusal::from_grpc(&status))
}

async fn a_seat_is_held_until_the_attendee_confirms(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"max_capacity": 1, "confirm_by_email": true}))
        .await;
    assert_eq!(owner.detail(&event).await["confirm_by_email"], true);
    register(&api, &event, "ada").await;
    let added = json!({"id": event.id, "name": "bob", "email": "bob@example.org"});
    let added = owner.ok::<AddRegistration>(added).await;
    assert_eq!(
        (&added["status"], &added["awaits"]),
        (&json!("Waitlisted"), &Value::Null)
    );
    let expected = ["ada Pending confirmation", "bob Waitlisted nothing"];
    assert_eq!(standing(&owner, &event).await, expected);

    let (token, subject) = mailed(&api, "ada").await;
    assert!(
        subject.starts_with("Please confirm your registration"),
        "{subject}"
    );
    for _ in 0..2 {
        let own = confirm(&api, &token).await.unwrap();
        assert_eq!((&*own.status, own.awaits), ("Confirmed", None));
    }
    let expected = ["ada Confirmed nothing", "bob Waitlisted nothing"];
    assert_eq!(standing(&owner, &event).await, expected);
    api.drain_jobs().await;
    let told = api
        .mails()
        .into_iter()
        .filter(|mail| mail.to == "ada@example.org");
    let mut told: Vec<_> = told
        .map(|mail| mail.id.split('.').next().unwrap().to_owned())
        .collect();
    told.sort();
    assert_eq!(told, ["confirmation_mail", "registered_mail"]);
}

async fn a_seat_that_is_held_for_too_long_goes_to_others(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"max_capacity": 1, "confirm_by_email": true}))
        .await;
    for name in ["ada", "bob", "cleo"] {
        register(&api, &event, name).await;
    }
    let [(ada, _), (bob, _), (cleo, _)] = [
        mailed(&api, "ada").await,
        mailed(&api, "bob").await,
        mailed(&api, "cleo").await,
    ];
    // There was no seat to hold for bob.
    assert_eq!(confirm(&api, &bob).await.unwrap().status, "Waitlisted");
    api.advance(Duration::from_secs(30 * 60 - 1));
    api.maintain().await;
    assert_eq!(standing(&owner, &event).await[1], "bob Waitlisted nothing");
    api.advance(Duration::from_secs(1));
    api.maintain().await;
    let expected = [
        "ada Pending confirmation",
        "bob Confirmed nothing",
        "cleo Pending confirmation",
    ];
    assert_eq!(standing(&owner, &event).await, expected);
    assert_eq!(confirm(&api, &ada).await.unwrap().status, "Waitlisted");
    api.advance(UNHELD);
    let refused = confirm(&api, &cleo).await.unwrap_err();
    assert_eq!(refused.reason, Reason::RegistrationCancelled);
    api.maintain().await;
    let expected = [
        "ada Waitlisted nothing",
        "bob Confirmed nothing",
        "cleo Cancelled nothing",
    ];
    assert_eq!(standing(&owner, &event).await, expected);
    // Who has lapsed can register again, and is told nothing else.
    register(&api, &event, "cleo").await;
    assert_eq!(
        standing(&owner, &event).await[3],
        "cleo Pending confirmation"
    );
    api.drain_jobs().await;
    let told = api
        .mails()
        .into_iter()
        .filter(|mail| mail.to == "cleo@example.org");
    assert!(
        told.into_iter()
            .all(|mail| mail.id.starts_with("confirmation_mail."))
    );
}

async fn who_registers_or_confirms_does_not_wait_for_maintenance(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"max_capacity": 1, "confirm_by_email": true}))
        .await;
    register(&api, &event, "ada").await;
    api.advance(HELD);
    let added = json!({"id": event.id, "name": "bob", "email": "bob@example.org"});
    assert_eq!(
        owner.ok::<AddRegistration>(added).await["status"],
        "Confirmed"
    );
    let (ada, _) = mailed(&api, "ada").await;
    assert_eq!(confirm(&api, &ada).await.unwrap().status, "Waitlisted");
    register(&api, &event, "cleo").await;
    api.advance(HELD + UNHELD);
    register(&api, &event, "cleo").await;
    let expected = [
        "ada Waitlisted nothing",
        "bob Confirmed nothing",
        "cleo Cancelled nothing",
        "cleo Pending confirmation",
    ];
    assert_eq!(standing(&owner, &event).await, expected);
}

async fn approval_comes_after_confirmation(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"max_capacity": 1, "requires_approval": true}))
        .await;
    register(&api, &event, "ada").await;
    let asking = json!({"id": event.id, "confirm_by_email": true});
    assert_eq!(
        owner.ok::<UpdateEvent>(asking).await["confirm_by_email"],
        true
    );
    register(&api, &event, "bob").await;
    let expected = ["ada Pending approval", "bob Pending confirmation"];
    assert_eq!(standing(&owner, &event).await, expected);
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let bob = json!({"id": event.id, "registration_id": listed["items"][1]["id"]});
    let refused = owner.refused::<ApproveRegistration>(bob.clone()).await;
    assert_eq!(refused.reason, Reason::AwaitsConfirmation);
    let (token, _) = mailed(&api, "bob").await;
    let own = confirm(&api, &token).await.unwrap();
    assert_eq!(
        (&*own.status, own.awaits.as_deref()),
        ("Pending", Some("approval"))
    );
    let approved = owner.ok::<ApproveRegistration>(bob).await;
    assert_eq!(
        (&approved["status"], &approved["awaits"]),
        (&json!("Confirmed"), &Value::Null)
    );
}

async fn nothing_is_confirmed_at_an_event_that_is_off(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"confirm_by_email": true})).await;
    register(&api, &event, "ada").await;
    let (token, _) = mailed(&api, "ada").await;
    let cancelled = owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert_eq!(cancelled["registrants_notified"], 1);
    let refused = confirm(&api, &token).await.unwrap_err();
    assert_eq!(refused.reason, Reason::EventCancelled);
    for wrong in ["", "no-token"] {
        assert_eq!(
            confirm(&api, wrong).await.unwrap_err().reason,
            Reason::NotFound
        );
    }
}

/// All seats of an event that asks for confirmation are gone for half an hour, not for good.
async fn one_stranger_does_not_take_all_seats(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner
        .publish_new(json!({"max_capacity": 40, "confirm_by_email": true}))
        .await;
    let path = format!("/events/{}/registrations", event.slug);
    for number in 0..40 {
        let body = json!({"name": "Eve", "email": format!("victim-{number}@example.org")});
        let answer = app.http.post(&path).json(&body).send().await;
        assert_eq!(answer.status, StatusCode::OK);
    }
    app.advance(HELD);
    app.maintain().await;
    let honest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    assert_eq!(
        owner.ok::<AddRegistration>(honest).await["status"],
        "Confirmed"
    );
    let table = format!("/me/events/{}/registrations.csv", event.id);
    let table = app.http.get(&table).bearer(&account.key).send().await;
    let table = String::from_utf8(table.body.to_vec()).unwrap();
    assert_eq!(table.matches("\"Pending\"").count(), 40);
    assert_eq!(table.matches("\"confirmation\"").count(), 40);
}

mod everywhere {
    use super::{
        a_seat_is_held_until_the_attendee_confirms,
        a_seat_that_is_held_for_too_long_goes_to_others, approval_comes_after_confirmation,
        nothing_is_confirmed_at_an_event_that_is_off,
        who_registers_or_confirms_does_not_wait_for_maintenance,
    };

    tests::on_every_surface!(
        a_seat_is_held_until_the_attendee_confirms,
        a_seat_that_is_held_for_too_long_goes_to_others,
        who_registers_or_confirms_does_not_wait_for_maintenance,
        approval_comes_after_confirmation,
        nothing_is_confirmed_at_an_event_that_is_off,
    );
}

tests::on_both_engines!(one_stranger_does_not_take_all_seats);
