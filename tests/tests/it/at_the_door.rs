//! What people at the door see: how many have come, and who it is whose code they have scanned.

use std::sync::Arc;

use domain::{
    plan::Plan,
    registration::Status::{Cancelled, Confirmed, Pending, Waitlisted},
    scope::Scope,
};
use muster_api::{
    Reason,
    v1::{
        GetRegistrationByCodeRequest, RegistrationByCode,
        bindings::{
            ApproveRegistration, CancelEvent, CancelRegistration, CheckIn, RegisterAttendee,
            UndoCheckIn, UpdateEvent,
        },
        registration_service_client::RegistrationServiceClient,
    },
};
use serde_json::json;
use tests::{Api, Bearer, Client, Created, Refusal, Surface, TestApp};
use tonic::service::interceptor::InterceptedService;

/// Pending, unconfirmed, waitlisted, checked in.
async fn counts(owner: &Client, event: &Created) -> [i64; 4] {
    let detail = owner.detail(event).await;
    ["pending", "unconfirmed", "waitlisted", "checked_in"]
        .map(|count| detail[format!("registrations_{count}")].as_i64().unwrap())
}

async fn every_change_of_a_registration_is_counted(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({"max_capacity": 3})).await;
    let statuses = [
        Pending, Pending, Confirmed, Confirmed, Waitlisted, Cancelled,
    ];
    let people = api.register(&event.id, &statuses).await;
    let of =
        |index: usize| json!({"id": event.id, "registration_id": people[index].id.to_string()});
    assert_eq!(counts(&owner, &event).await, [2, 0, 1, 0]);
    for arrived in [2, 3, 3] {
        owner.ok::<CheckIn>(of(arrived)).await;
    }
    assert_eq!(counts(&owner, &event).await, [2, 0, 1, 2]);
    owner.ok::<UndoCheckIn>(of(2)).await;
    assert_eq!(counts(&owner, &event).await, [2, 0, 1, 1]);
    // The seats go to who waits, and the next one is approved for the waitlist.
    owner.ok::<CancelRegistration>(of(3)).await;
    assert_eq!(counts(&owner, &event).await, [2, 0, 0, 0]);
    for approved in [0, 1] {
        owner.ok::<ApproveRegistration>(of(approved)).await;
    }
    assert_eq!(counts(&owner, &event).await, [0, 0, 1, 0]);

    let asking = json!({"id": event.id, "confirm_by_email": true, "max_capacity": 10});
    owner.ok::<UpdateEvent>(asking).await;
    let guest = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    api.anyone().ok::<RegisterAttendee>(guest).await;
    assert_eq!(counts(&owner, &event).await, [0, 1, 0, 0]);
    api.advance(std::time::Duration::from_hours(24));
    api.maintain().await;
    assert_eq!(counts(&owner, &event).await, [0; 4]);
}

async fn by_code(app: &TestApp, key: &str, code: &str) -> Result<RegistrationByCode, Refusal> {
    let channel = InterceptedService::new(app.grpc.channel(), Bearer::new(Some(key)));
    let code = code.to_owned();
    let request = GetRegistrationByCodeRequest { code };
    let answer = RegistrationServiceClient::new(channel)
        .get_registration_by_code(request)
        .await;
    answer
        .map(tonic::Response::into_inner)
        .map_err(|status| Refusal::from_grpc(&status))
}

async fn a_code_shows_its_own_event_who_it_is(app: Arc<TestApp>) {
    let account = app.account(Plan::Premium).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let door = app.key_for(&account, &[Scope::RegistrationsCheckIn]).await;
    let event = owner.publish_new(json!({})).await;
    let person = app.register(&event.id, &[Confirmed]).await.remove(0);
    let (id, code) = (person.id.to_string(), person.check_in_code.as_str());

    let shown = by_code(&app, &door, code).await.unwrap();
    assert_eq!(
        (&*shown.event_id, &*shown.event_title),
        (&*event.id, "Rust Meetup")
    );
    assert_eq!(
        (shown.checked_in_at, shown.is_event_cancelled),
        (None, false)
    );
    let registration = shown.registration.unwrap();
    assert_eq!((&*registration.id, &*registration.name), (&*id, "Guest 1"));
    assert_eq!(
        (&*registration.status, registration.checked_in),
        ("Confirmed", false)
    );

    let arrival = json!({"id": event.id, "registration_id": id});
    owner.ok::<CheckIn>(arrival).await;
    app.advance(std::time::Duration::from_mins(5));
    let again = by_code(&app, &door, code).await.unwrap();
    assert_eq!(again.checked_in_at.as_deref(), Some("2027-01-15T12:00:00Z"));
    assert!(again.registration.unwrap().checked_in);
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert!(by_code(&app, &door, code).await.unwrap().is_event_cancelled);
}

async fn a_code_shows_nothing_to_others(app: Arc<TestApp>) {
    let (mine, other) = (
        app.account(Plan::Premium).await,
        app.account(Plan::Free).await,
    );
    let owner = app.over(Surface::Http).as_owner(&mine);
    let event = owner.publish_new(json!({})).await;
    let person = app.register(&event.id, &[Confirmed]).await.remove(0);
    let code = person.check_in_code.as_str();
    let nobodys = by_code(&app, &other.key, &"x".repeat(20))
        .await
        .unwrap_err();
    assert_eq!(nobodys.reason, Reason::NotFound);
    for code in [code, "", "' OR 1=1 --"] {
        assert_eq!(by_code(&app, &other.key, code).await.unwrap_err(), nobodys);
    }
    let unpaid = app.over(Surface::Http).as_owner(&other);
    let unpaid = unpaid.publish_new(json!({})).await;
    let person = app.register(&unpaid.id, &[Confirmed]).await.remove(0);
    let refusal = by_code(&app, &other.key, person.check_in_code.as_str()).await;
    assert_eq!(refusal.unwrap_err().reason, Reason::PlanRequired);
    let reader = app.key_for(&mine, &[Scope::RegistrationsRead]).await;
    let refusal = by_code(&app, &reader, code).await.unwrap_err();
    assert_eq!(refusal.reason, Reason::InsufficientScope);
}

mod counted {
    use super::every_change_of_a_registration_is_counted;

    tests::on_every_surface!(every_change_of_a_registration_is_counted);
}

tests::on_both_engines!(
    a_code_shows_its_own_event_who_it_is,
    a_code_shows_nothing_to_others,
);
