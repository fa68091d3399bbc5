//! What people at the door see: how many have come, and who it is whose code they have scanned.

use std::{fmt::Write as _, sync::Arc};

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
            AddRegistration, ApproveRegistration, CancelEvent, CancelRegistration, CheckIn,
            CheckInByCode, ListCheckInCodes, ListRegistrations, RegisterAttendee, UndoCheckIn,
            UpdateEvent,
        },
        registration_service_client::RegistrationServiceClient,
    },
};
use serde_json::{Value, json};
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

async fn a_check_in_says_when_and_by_whom(api: Api) {
    let account = api.account(Plan::Premium).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let person = api.register(&event.id, &[Confirmed]).await.remove(0);
    let ask = json!({"id": event.id, "registration_id": person.id.to_string()});
    let told = |one: &Value| ["checked_in_at", "was_checked_in"].map(|field| one[field].clone());
    let at = json!("2027-01-15T12:00:00Z");
    let first = owner.ok::<CheckIn>(ask.clone()).await;
    assert_eq!(told(&first), [at.clone(), json!(false)]);
    let by = first["checked_in_by"].as_str().unwrap();
    assert!(!by.is_empty());
    api.advance(std::time::Duration::from_mins(5));
    // The other phone shows since when, and is not green.
    let second = owner.ok::<CheckIn>(ask.clone()).await;
    assert_eq!(told(&second), [at.clone(), json!(true)]);
    assert_eq!(second["checked_in_by"], by);
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let listed = &list["items"][0];
    assert_eq!(told(listed), [at, Value::Null]);
    assert_eq!(listed["checked_in_by"], by);
    let undone = owner.ok::<UndoCheckIn>(ask).await;
    assert_eq!(told(&undone), [Value::Null, Value::Null]);
    assert_eq!(undone["checked_in_by"], Value::Null);
}

async fn words_are_found_in_any_order_and_everyone_can_be_reached(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    for number in 0..22 {
        let guest = json!({
            "id": event.id, "name": format!("Johanna {number}"), "email": format!("j{number}@example.org"),
        });
        owner.ok::<AddRegistration>(guest).await;
    }
    let anna = json!({"id": event.id, "name": "Änna Bauer", "email": "a@example.org"});
    owner.ok::<AddRegistration>(anna).await;
    let names = async |query: Value| {
        let list = owner.ok::<ListRegistrations>(query).await;
        let items = list["items"].as_array().unwrap().iter();
        let names: Vec<String> = items
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect();
        (names, list["count"].clone(), list["next_cursor"].clone())
    };
    let (first, count, cursor) = names(json!({"id": event.id, "q": "ann", "limit": 20})).await;
    assert_eq!((&*first[0], &*first[1]), ("Änna Bauer", "Johanna 0"));
    assert_eq!(count, 23);
    let next = json!({"id": event.id, "q": "ann", "limit": 20, "cursor": cursor});
    let (rest, _, cursor) = names(next).await;
    assert_eq!(rest, ["Johanna 19", "Johanna 20", "Johanna 21"]);
    assert!(cursor.is_null());
    let many = "example anna a@ex bauer x org";
    for words in ["bauer anna", "Bauer, Anna", "anna a@ex", "nna auer", many] {
        let (found, count, _) = names(json!({"id": event.id, "q": words})).await;
        assert_eq!(
            (found, count),
            (vec!["Änna Bauer".to_owned()], json!(1)),
            "{words}"
        );
    }
    for words in ["anna bauer gone", "example anna a@ex bauer x gone"] {
        let (none, ..) = names(json!({"id": event.id, "q": words})).await;
        assert!(none.is_empty(), "{words}");
    }
    let (whole, ..) = names(json!({"id": event.id, "email": "J3@example.org"})).await;
    assert_eq!(whole, ["Johanna 3"]);
    let (part, ..) = names(json!({"id": event.id, "email": "3@example.org"})).await;
    assert!(part.is_empty());
    let from = "2027-01-01T00:00:00Z";
    let both =
        json!({"id": event.id, "email": "j3@example.org", "q": "x", "from": from, "offset": 1});
    owner
        .refused::<ListRegistrations>(both)
        .await
        .blames(&["q", "from", "offset"]);
}

async fn the_url_of_the_qr_code_checks_in_and_one_of_another_host_does_not(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    let person = api.register(&event.id, &[Confirmed]).await.remove(0);
    let code = person.check_in_code.as_str();
    assert_eq!(code.len(), 14, "12 characters in groups: {code}");
    let other = format!("https://other.example/check-in/{code}");
    let refusal = owner.refused::<CheckInByCode>(json!({"code": other})).await;
    refusal.blames(&["code"]);
    assert!(
        format!("{refusal:?}").contains("other.example"),
        "{refusal:?}"
    );
    let url = api.core.use_cases().links.check_in(&person.check_in_code);
    let typed = code.to_lowercase().replace('-', "");
    for (text, before) in [(&*url, false), (&*typed, true)] {
        let arrival = owner.ok::<CheckInByCode>(json!({"code": text})).await;
        assert_eq!(arrival["was_checked_in"], before, "{text}");
    }
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

async fn a_door_without_network_knows_whom_it_expects_by_hashes(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    let statuses = [Cancelled, Confirmed, Confirmed];
    let people = api.register(&event.id, &statuses).await;
    let arrival = json!({"id": event.id, "registration_id": people[2].id.to_string()});
    owner.ok::<CheckIn>(arrival).await;
    let id = domain::ids::EventId::new(event.id.parse().unwrap());
    let item = |index: usize, status: &str, checked_in: bool| {
        let hash = people[index].check_in_code.hashed(id);
        let hash: String = hash.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        });
        json!({"hash": hash, "status": status, "checked_in": checked_in, "party_size": 1})
    };
    let of_event = json!({"id": event.id});
    let list = owner.ok::<ListCheckInCodes>(of_event.clone()).await;
    // Who is expected comes first.
    let items = [
        item(1, "Confirmed", false),
        item(2, "Confirmed", true),
        item(0, "Cancelled", false),
    ];
    assert_eq!(list, json!({"items": items, "count": 3}));
    let stranger = api.owner(Plan::Premium).await;
    let refusal = stranger.refused::<ListCheckInCodes>(of_event).await;
    assert_eq!(refusal.reason, Reason::NotFound);
    let unpaid = api.owner(Plan::Free).await;
    let event = unpaid.publish_new(json!({})).await;
    let refusal = unpaid
        .refused::<ListCheckInCodes>(json!({"id": event.id}))
        .await;
    assert_eq!(refusal.reason, Reason::PlanRequired);
}

mod counted {
    use super::{
        a_check_in_says_when_and_by_whom, a_door_without_network_knows_whom_it_expects_by_hashes,
        every_change_of_a_registration_is_counted,
        the_url_of_the_qr_code_checks_in_and_one_of_another_host_does_not,
        words_are_found_in_any_order_and_everyone_can_be_reached,
    };

    tests::on_every_surface!(
        every_change_of_a_registration_is_counted,
        a_door_without_network_knows_whom_it_expects_by_hashes,
        a_check_in_says_when_and_by_whom,
        words_are_found_in_any_order_and_everyone_can_be_reached,
        the_url_of_the_qr_code_checks_in_and_one_of_another_host_does_not,
    );
}

tests::on_both_engines!(
    a_code_shows_its_own_event_who_it_is,
    a_code_shows_nothing_to_others,
);
