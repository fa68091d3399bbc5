//! Registering, through HTTP and gRPC.

use std::sync::Arc;

use domain::plan::Plan;
use http::{Method, StatusCode};
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, ApproveRegistration, CancelEvent, CancelRegistration, CheckIn,
        CreateEvent, GetRegistration, ListMyEvents, ListRegistrations, RegisterAttendee,
        UndoCheckIn, UnpublishEvent, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, TestApp, new_event};

/// What a registration says, with these fields in place of the usual ones.
fn guest(slug: &str, fields: Value) -> Value {
    let mut guest = json!({
        "slug": slug,
        "name": "Grace Example",
        "email": "grace@example.org",
    });
    let (Value::Object(guest_fields), Value::Object(fields)) = (&mut guest, fields) else {
        panic!("fields are an object")
    };
    guest_fields.extend(fields);
    guest
}

async fn a_repeated_registration_is_answered_like_a_new_one(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_capacity": 1})).await;
    let anyone = api.anyone();
    let mut answers = Vec::new();
    // New, again, and one who waits.
    for email in [
        "grace@example.org",
        "grace@example.org",
        "other@example.org",
    ] {
        let asked = guest(&event.slug, json!({ "email": email }));
        let mut answer = anyone.ok::<RegisterAttendee>(asked).await;
        assert_eq!(answer["email"], email);
        let text = answer.to_string().replace(email, "…");
        answer = serde_json::from_str(&text).unwrap();
        answers.push(answer);
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let standing: Vec<_> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert_eq!(standing, ["Confirmed", "Waitlisted"]);
}

async fn what_is_wrong_with_a_registration_is_said_field_by_field(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let fields = json!([
        {"label": "Size", "field_type": "select", "required": true, "options": ["S", "M"]},
        {"label": "Age", "field_type": "integer"},
    ]);
    let event = owner.publish_new(json!({ "custom_fields": fields })).await;
    let refused = async |fields| {
        let asked = guest(&event.slug, fields);
        api.anyone().refused::<RegisterAttendee>(asked).await
    };
    for email in [
        "",
        "grace",
        "grace@",
        "a b@example.org",
        "grace@example.org\n",
    ] {
        refused(json!({ "email": email }))
            .await
            .blames(&["email", "answers"]);
    }
    let long = format!("{}@example.org", "x".repeat(64));
    let accepted = guest(
        &event.slug,
        json!({"email": long, "answers": [{"label": "Size", "values": ["S"]}]}),
    );
    api.anyone().ok::<RegisterAttendee>(accepted).await;
    refused(json!({ "email": format!("x{long}") }))
        .await
        .blames(&["email", "answers"]);
    refused(json!({"name": "", "email": "no"}))
        .await
        .blames(&["name", "email", "answers"]);
    refused(json!({"name": "x".repeat(201)}))
        .await
        .blames(&["name", "answers"]);
    let found = refused(json!({"answers": [{"label": "Age", "values": ["old"]}]})).await;
    found.blames(&["answers", "answers[0].values"]);
    assert!(found.details[0].message.contains("\"Size\""), "{found:?}");
    assert!(found.details[1].message.contains("\"Age\""), "{found:?}");
    refused(json!({"answers": [{"label": "Size", "values": ["S"]}, {"label": "Shoes", "values": ["44"]}]}))
        .await
        .blames(&["answers[1].label"]);
    refused(json!({"answers": [{"values": ["S"]}]}))
        .await
        .blames(&["answers[0].label", "answers"]);
    let many: Vec<_> = (0..21).map(|n| json!({"label": n.to_string()})).collect();
    let found = refused(json!({ "answers": many })).await;
    assert!(
        found
            .message
            .starts_with("answers must have at most 20 items"),
        "{found:?}"
    );
}

async fn closed_events_are_refused_clearly(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let ask = async || {
        let asked = guest(&event.slug, json!({}));
        api.anyone().refused::<RegisterAttendee>(asked).await.reason
    };
    let add = async || {
        let mut asked = guest("", json!({"id": event.id}));
        asked.as_object_mut().unwrap().remove("slug");
        owner.refused::<AddRegistration>(asked).await.reason
    };
    owner.ok::<UnpublishEvent>(json!({"id": event.id})).await;
    assert_eq!(ask().await, Reason::NotFound);
    assert_eq!(add().await, Reason::EventNotPublished);
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert_eq!(add().await, Reason::EventCancelled);
    let unknown = guest("no-such-event", json!({}));
    let unknown = api.anyone().refused::<RegisterAttendee>(unknown).await;
    assert_eq!(unknown.reason, Reason::NotFound);
}

async fn an_organizer_follows_a_registration_to_the_door(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner
        .publish_new(json!({"max_capacity": 1, "requires_approval": true}))
        .await;
    assert_eq!(owner.detail(&event).await["requires_approval"], true);
    let asked = guest(&event.slug, json!({}));
    api.anyone().ok::<RegisterAttendee>(asked).await;
    let list = owner
        .ok::<ListRegistrations>(json!({"id": event.id, "status": "Pending", "q": "GRACE"}))
        .await;
    assert_eq!(list["count"], 1);
    let ids = json!({"id": event.id, "registration_id": list["items"][0]["id"]});
    let early = owner.refused::<CheckIn>(ids.clone()).await;
    assert_eq!(early.reason, Reason::NotConfirmed);
    let approved = owner.ok::<ApproveRegistration>(ids.clone()).await;
    assert_eq!(approved["status"], "Confirmed");
    assert_eq!(owner.ok::<CheckIn>(ids.clone()).await["checked_in"], true);
    assert_eq!(
        owner.ok::<GetRegistration>(ids.clone()).await["checked_in"],
        true
    );
    assert_eq!(
        owner.ok::<UndoCheckIn>(ids.clone()).await["checked_in"],
        false
    );

    let again = json!({"id": event.id, "name": "Grace", "email": "GRACE@example.org"});
    let again = owner.refused::<AddRegistration>(again).await;
    assert_eq!(again.reason, Reason::AlreadyRegistered);
    let next = json!({"id": event.id, "name": "Next", "email": "next@example.org"});
    let next = owner.ok::<AddRegistration>(next).await;
    assert_eq!(next["status"], "Waitlisted");
    assert_eq!(next["waitlist_position"], 1);
    let cancelled = owner.ok::<CancelRegistration>(ids.clone()).await;
    assert_eq!(cancelled["status"], "Cancelled");
    let gone = owner.refused::<ApproveRegistration>(ids).await;
    assert_eq!(gone.reason, Reason::RegistrationCancelled);
    let next = json!({"id": event.id, "registration_id": next["id"]});
    assert_eq!(
        owner.ok::<GetRegistration>(next).await["status"],
        "Confirmed"
    );
    for missing in ["no-uuid", "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d"] {
        let ids = json!({"id": event.id, "registration_id": missing});
        let refusal = owner.refused::<GetRegistration>(ids).await;
        assert_eq!(refusal.reason, Reason::NotFound);
        assert_eq!(refusal.message, "there is no such registration");
    }
}

/// Everything that counts registrations, after all that can happen to one.
async fn all_numbers_agree_with_who_registered_and_who_is_told(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_capacity": 2})).await;
    for email in [
        "a@example.org",
        "b@example.org",
        "c@example.org",
        "a@example.org",
    ] {
        let asked = guest(&event.slug, json!({ "email": email }));
        api.anyone().ok::<RegisterAttendee>(asked).await;
    }
    let added = json!({"id": event.id, "name": "Dan", "email": "d@example.org"});
    owner.ok::<AddRegistration>(added).await;
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let first = json!({"id": event.id, "registration_id": list["items"][0]["id"]});
    owner.ok::<CancelRegistration>(first).await;
    let asking = json!({"id": event.id, "requires_approval": true});
    owner.ok::<UpdateEvent>(asking).await;
    let asked = guest(&event.slug, json!({"email": "e@example.org"}));
    api.anyone().ok::<RegisterAttendee>(asked).await;

    // Cancelled, Confirmed, Confirmed (promoted), Waitlisted, Pending.
    let count = async |status: &str| {
        let asked = json!({"id": event.id, "status": status});
        owner.ok::<ListRegistrations>(asked).await["count"].clone()
    };
    let numbers = async || {
        let detail = owner.detail(&event).await;
        let mine = owner.ok::<ListMyEvents>(json!({"status": "all"})).await;
        let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
        json!({
            "registrations_total": detail["registrations_total"],
            "registrations_confirmed": detail["registrations_confirmed"],
            "registrations_active": detail["registrations_active"],
            "registration_count": mine["items"][0]["registration_count"],
            "listed": list["items"].as_array().unwrap().len(),
            "count": list["count"],
            "confirmed": count("Confirmed").await,
            "pending": count("Pending").await,
            "waitlisted": count("Waitlisted").await,
            "cancelled": count("Cancelled").await,
        })
    };
    let expected = json!({
        "registrations_total": 5, "registrations_confirmed": 2, "registrations_active": 4,
        "registration_count": 4, "listed": 5, "count": 5,
        "confirmed": 2, "pending": 1, "waitlisted": 1, "cancelled": 1,
    });
    assert_eq!(numbers().await, expected);
    let cancelled = owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert_eq!(cancelled["registrants_notified"], 4);
    assert_eq!(api.cancellation_mails().await.len(), 4);
    assert_eq!(numbers().await, expected, "registrations keep their status");
}

mod everywhere {
    use super::{
        a_repeated_registration_is_answered_like_a_new_one,
        all_numbers_agree_with_who_registered_and_who_is_told,
        an_organizer_follows_a_registration_to_the_door, closed_events_are_refused_clearly,
        what_is_wrong_with_a_registration_is_said_field_by_field,
    };

    tests::on_every_surface!(
        all_numbers_agree_with_who_registered_and_who_is_told,
        a_repeated_registration_is_answered_like_a_new_one,
        what_is_wrong_with_a_registration_is_said_field_by_field,
        closed_events_are_refused_clearly,
        an_organizer_follows_a_registration_to_the_door,
    );
}

async fn a_table_is_a_file_of_its_owner(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let fields = json!({
        "title": "Rust Meetup",
        "custom_fields": [{"label": "Diet", "field_type": "text"}],
    });
    let event = owner.publish_new(fields).await;
    let asked = guest(
        &event.slug,
        json!({"name": "=1+1", "answers": [{"label": "Diet", "values": ["vegan, please"]}]}),
    );
    owner.ok::<RegisterAttendee>(asked).await;
    let path = format!("/me/events/{}/registrations.csv", event.id);
    let answer = app.http.get(&path).bearer(&account.key).send().await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8; header=present")
    );
    assert_eq!(
        answer.header("content-disposition"),
        Some(&*format!(
            "attachment; filename=\"{}-registrations.csv\"",
            event.slug
        ))
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let table = String::from_utf8(answer.body.to_vec()).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0],
        "\u{feff}\"id\",\"name\",\"email\",\"status\",\"registered_at\",\"checked_in\",\"awaits\",\"check_in_code\",\"checked_in_at\",\"checked_in_by\",\"party_size\",\"companions\",\"people_checked_in\",\"Diet\",\"other_answers\""
    );
    assert!(lines[1].contains(r#","'=1+1","grace@example.org","Confirmed","#));
    let code = app.registrations(&event.id).await[0].check_in_code.clone();
    let end = format!(
        r#","false","","{}","","",1,"",0,"vegan, please","""#,
        code.as_str()
    );
    assert!(lines[1].ends_with(&end), "{}", lines[1]);
    assert_eq!(lines.len(), 2);

    let stranger = app.account(Plan::Pro).await;
    let refused = app.http.get(&path).bearer(&stranger.key).send().await;
    assert_eq!(refused.refusal().reason, Reason::NotFound);
    let anyone = app.http.get(&path).send().await;
    assert_eq!(anyone.refusal().reason, Reason::Unauthorized);
    let free = app.account(Plan::Free).await;
    let own = app.over(tests::Surface::Http).as_owner(&free);
    let own = own.ok::<CreateEvent>(new_event(json!({}))).await;
    let path = format!(
        "/me/events/{}/registrations.csv",
        own["id"].as_str().unwrap()
    );
    let refused = app.http.get(&path).bearer(&free.key).send().await;
    assert_eq!(refused.refusal().reason, Reason::PlanRequired);
    let wrong = app.http.request(Method::DELETE, &format!("/api/v1{path}"));
    assert_eq!(
        wrong.send().await.header("allow"),
        Some("GET, HEAD, OPTIONS")
    );
}

tests::on_both_engines!(a_table_is_a_file_of_its_owner,);
