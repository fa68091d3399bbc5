//! What an organizer decides on registrations: many approvals at once, declining, corrections, and the door.

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    binding::Binding,
    v1::bindings::{
        ApproveRegistrations, CheckInByCode, DeclineRegistration, GetRegistration,
        PromoteRegistration, UndoCheckIn, UpdateEvent, UpdateRegistration,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created};

const MISSING: &str = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

/// The ids of an event's registrations, and their check-in codes.
pub(crate) async fn people(api: &Api, event: &Created) -> Vec<(String, String)> {
    let rows = api.registrations(&event.id).await.into_iter();
    rows.map(|row| (row.id.to_string(), row.check_in_code.as_str().to_owned()))
        .collect()
}

pub(crate) fn of(event: &Created, id: &str) -> Value {
    json!({"id": event.id, "registration_id": id})
}

pub(crate) async fn statuses(api: &Api, event: &Created) -> Vec<Status> {
    let rows = api.registrations(&event.id).await;
    rows.iter().map(|row| row.status).collect()
}

/// What the log says was done to a registration.
pub(crate) async fn actions(api: &Api, id: &str) -> Vec<String> {
    let rows = api.audit(id).await;
    rows.into_iter().map(|row| row.action).collect()
}

async fn many_are_approved_at_once_in_the_order_of_registering(api: Api) {
    use Status::{Cancelled, Confirmed, Pending, Waitlisted};
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({"max_capacity": 2})).await;
    api.register(
        &event.id,
        &[Pending, Confirmed, Cancelled, Pending, Pending],
    )
    .await;
    let people = people(&api, &event).await;
    let ids: Vec<&str> = [3, 2, 0, 3, 1]
        .map(|index: usize| &*people[index].0)
        .to_vec();
    let ask = json!({"id": event.id, "registration_ids": ids});
    let answer = owner.ok::<ApproveRegistrations>(ask.clone()).await;
    let shown = |index: usize, status: &str| json!({"id": people[index].0, "status": status, "awaits": null});
    let expected = json!({
        "items": [shown(0, "Confirmed"), shown(1, "Confirmed"), shown(2, "Cancelled"), shown(3, "Waitlisted")],
        "approved": 2,
    });
    assert_eq!(answer, expected);
    let after = [Confirmed, Confirmed, Cancelled, Waitlisted, Pending];
    assert_eq!(statuses(&api, &event).await, after);
    assert_eq!(actions(&api, &people[0].0).await, ["registration.approve"]);
    assert_eq!(actions(&api, &people[1].0).await, [""; 0]);
    let again = owner.ok::<ApproveRegistrations>(ask).await;
    assert_eq!(
        (&again["approved"], &again["items"]),
        (&json!(0), &expected["items"])
    );
    api.drain_jobs().await;
    let mails: Vec<String> = api.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(mails.len(), 2, "{mails:?}");
}

async fn if_one_of_many_is_not_there_none_is_approved(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    let other = owner.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Pending]).await;
    api.register(&other.id, &[Status::Pending]).await;
    let (mine, foreign) = (people(&api, &event).await, people(&api, &other).await);
    for missing in [MISSING, "no-uuid", &foreign[0].0] {
        let ask = json!({"id": event.id, "registration_ids": [mine[0].0, missing]});
        let refusal = owner.refused::<ApproveRegistrations>(ask).await;
        assert_eq!(refusal.reason, Reason::NotFound, "{missing}");
    }
    assert_eq!(statuses(&api, &event).await, [Status::Pending]);
    for count in [0, 201] {
        let ids = vec![MISSING; count];
        let ask = json!({"id": event.id, "registration_ids": ids});
        let refusal = owner.refused::<ApproveRegistrations>(ask).await;
        refusal.blames(&["registration_ids"]);
    }
}

async fn who_is_declined_reads_why(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({"max_capacity": 1})).await;
    let waiting = [Status::Pending, Status::Waitlisted, Status::Confirmed];
    api.register(&event.id, &waiting).await;
    let people = people(&api, &event).await;
    let decline = |index: usize, reason: &str| {
        let mut ask = of(&event, &people[index].0);
        ask["reason"] = json!(reason);
        ask
    };
    let reason = "This evening is for members.\n<b>=1+1</b>";
    let declined = owner.ok::<DeclineRegistration>(decline(0, reason)).await;
    assert_eq!(declined["status"], "Cancelled");
    owner
        .ok::<DeclineRegistration>(of(&event, &people[1].0))
        .await;
    // The first time counts.
    let again = owner.ok::<DeclineRegistration>(decline(0, "Another")).await;
    assert_eq!(again, declined);
    let seated = owner.refused::<DeclineRegistration>(decline(2, "No")).await;
    assert_eq!(seated.reason, Reason::Conflict);
    assert!(seated.message.contains("cancel it"), "{seated:?}");

    api.drain_jobs().await;
    let mut mails = api.mails();
    mails.sort_by(|one, other| one.to.cmp(&other.to));
    let told: Vec<(&str, bool)> = mails
        .iter()
        .map(|mail| (&*mail.to, mail.text.contains("> <b>=1+1</b>")))
        .collect();
    let expected = [
        ("guest-1@example.org", true),
        ("guest-2@example.org", false),
    ];
    assert_eq!(told, expected);
    let title = "Your registration was declined: Rust Meetup";
    assert!(mails.iter().all(|mail| mail.subject == title), "{mails:?}");
    // The reason may be about a person, and the log outlives persons.
    let rows = api.audit(&people[0].0).await;
    assert_eq!(rows[0].action, "registration.decline");
    assert!(!format!("{rows:?}").contains("members"), "{rows:?}");
}

async fn name_and_answers_are_corrected_without_a_mail(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let field =
        json!({"label": "Size", "field_type": "select", "required": true, "options": ["S", "M"]});
    let event = owner.publish_new(json!({"custom_fields": [field]})).await;
    api.register(&event.id, &[Status::Confirmed, Status::Cancelled])
        .await;
    let people = people(&api, &event).await;
    let change = |fields: Value| {
        let mut ask = of(&event, &people[0].0);
        ask.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        ask
    };
    let size = json!([{"label": "Size", "values": ["M"]}]);
    let sized = owner
        .ok::<UpdateRegistration>(change(json!({ "answers": size })))
        .await;
    assert_eq!(
        (&sized["answers"][0]["values"], &sized["name"]),
        (&size[0]["values"], &json!("Guest 1"))
    );
    // A name alone leaves the answers, also those to questions that are not asked any more.
    api.advance(std::time::Duration::from_secs(1));
    let none = json!({"id": event.id, "custom_fields": []});
    owner.ok::<UpdateEvent>(none).await;
    let name = "Zoë O'Hara <script>, \"=cmd\"";
    let named = owner
        .ok::<UpdateRegistration>(change(json!({ "name": name })))
        .await;
    assert_eq!(
        (&named["answers"], &named["name"]),
        (&sized["answers"], &json!(name))
    );
    let read = owner.ok::<GetRegistration>(of(&event, &people[0].0)).await;
    assert_eq!(read, named);
    for (fields, blamed) in [
        (json!({"name": ""}), "name"),
        (json!({"name": "Bell\u{7}"}), "name"),
        (json!({"answers": size}), "answers[0].label"),
    ] {
        let refusal = owner.refused::<UpdateRegistration>(change(fields)).await;
        refusal.blames(&[blamed]);
    }
    let gone = json!({"id": event.id, "registration_id": people[1].0, "name": "Someone"});
    let refusal = owner.refused::<UpdateRegistration>(gone).await;
    assert_eq!(refusal.reason, Reason::RegistrationCancelled);
    api.drain_jobs().await;
    assert_eq!(api.mails().len(), 0);
    let rows = api.audit(&people[0].0).await;
    let told: Vec<_> = rows.iter().map(|row| row.after.clone().unwrap()).collect();
    assert_eq!(
        told,
        [
            json!({"changed": ["answers"]}),
            json!({"changed": ["name"]})
        ]
    );
}

async fn a_code_checks_in_once_and_then_says_since_when(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    let other = owner.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Confirmed, Status::Pending])
        .await;
    let people = people(&api, &event).await;
    let code = json!({"code": people[0].1});
    let elsewhere = json!({"code": people[0].1, "event_id": other.id});
    let refusal = owner.refused::<CheckInByCode>(elsewhere).await;
    assert_eq!(refusal.reason, Reason::NotFound);
    let here = json!({"code": people[0].1, "event_id": event.id});
    let first = owner.ok::<CheckInByCode>(here).await;
    let expected = json!({
        "checked_in_at": "2027-01-15T12:00:00Z", "was_checked_in": false, "checked_in_by": first["checked_in_by"], "registration_id": people[0].0,
        "name": "Guest 1", "event_id": event.id, "event_title": "Rust Meetup",
        "party_size": 1, "people_checked_in": 1, "companions": [],
    });
    assert_eq!(first, expected);
    api.advance(std::time::Duration::from_mins(5));
    let mut second = expected;
    second["was_checked_in"] = json!(true);
    assert_eq!(owner.ok::<CheckInByCode>(code.clone()).await, second);
    owner.ok::<UndoCheckIn>(of(&event, &people[0].0)).await;
    let third = owner.ok::<CheckInByCode>(code).await;
    assert_eq!(third["checked_in_at"], "2027-01-15T12:05:00Z");
    let pending = owner
        .refused::<CheckInByCode>(json!({"code": people[1].1}))
        .await;
    assert_eq!(pending.reason, Reason::NotConfirmed);
}

async fn codes_of_others_and_codes_of_nobody_are_told_alike(api: Api) {
    let (ada, bob) = (api.owner(Plan::Premium).await, api.owner(Plan::Free).await);
    let event = ada.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Confirmed]).await;
    let code = people(&api, &event).await[0].1.clone();
    let nobodys = bob
        .refused::<CheckInByCode>(json!({"code": "x".repeat(20)}))
        .await;
    assert_eq!(nobodys.reason, Reason::NotFound);
    for code in [&*code, "short", "' OR 1=1 --", &"é".repeat(10)] {
        let refusal = bob.refused::<CheckInByCode>(json!({ "code": code })).await;
        assert_eq!(refusal, nobodys, "{code}");
    }
    let mine = bob.publish_new(json!({})).await;
    api.register(&mine.id, &[Status::Confirmed]).await;
    let code = people(&api, &mine).await[0].1.clone();
    let unpaid = bob.refused::<CheckInByCode>(json!({ "code": code })).await;
    assert_eq!(unpaid.reason, Reason::PlanRequired);
}

async fn strangers_decide_nothing(api: Api) {
    let (ada, bob) = (
        api.owner(Plan::Premium).await,
        api.owner(Plan::Premium).await,
    );
    let event = ada.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Pending]).await;
    let id = people(&api, &event).await[0].0.clone();
    let mine = bob.publish_new(json!({})).await;
    for event in [&event.id, &mine.id] {
        let one = json!({"id": event, "registration_id": id});
        let many = json!({"id": event, "registration_ids": [id]});
        let mut named = one.clone();
        named["name"] = json!("Mine now");
        for refusal in [
            bob.refused::<DeclineRegistration>(one.clone()).await,
            bob.refused::<PromoteRegistration>(one).await,
            bob.refused::<UpdateRegistration>(named).await,
            bob.refused::<ApproveRegistrations>(many).await,
        ] {
            assert_eq!(refusal.reason, Reason::NotFound);
        }
    }
    assert_eq!(statuses(&api, &event).await, [Status::Pending]);
    assert_eq!(actions(&api, &id).await, [""; 0]);
}

/// Calls twice under a key.
async fn twice<B: Binding>(owner: &Client, request: Value) {
    let keyed = owner.under(B::NAME);
    let first = keyed.ok::<B>(request.clone()).await;
    assert_eq!(keyed.ok::<B>(request).await, first, "{}", B::NAME);
}

async fn each_is_done_once_under_a_key(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Pending, Status::Pending])
        .await;
    let people = people(&api, &event).await;
    let mut named = of(&event, &people[0].0);
    named["name"] = json!("Grace");
    twice::<UpdateRegistration>(&owner, named).await;
    let both = json!({"id": event.id, "registration_ids": [people[0].0]});
    twice::<ApproveRegistrations>(&owner, both).await;
    twice::<CheckInByCode>(&owner, json!({"code": people[0].1})).await;
    twice::<DeclineRegistration>(&owner, of(&event, &people[1].0)).await;
}

tests::on_every_surface!(
    many_are_approved_at_once_in_the_order_of_registering,
    if_one_of_many_is_not_there_none_is_approved,
    who_is_declined_reads_why,
    name_and_answers_are_corrected_without_a_mail,
    a_code_checks_in_once_and_then_says_since_when,
    codes_of_others_and_codes_of_nobody_are_told_alike,
    strangers_decide_nothing,
    each_is_done_once_under_a_key,
);
