//! Cancelling is final, happens once, and tells each active registrant once.

use std::time::Duration;

use domain::{
    plan::Plan,
    registration::{Registration, Status},
};
use muster_api::v1::bindings::CancelEvent;
use serde_json::{Value, json};
use tests::{Api, TestApp};
use uuid::Uuid;

const EVERY_STATUS: [Status; 5] = [
    Status::Confirmed,
    Status::Cancelled,
    Status::Pending,
    Status::Waitlisted,
    Status::Confirmed,
];

async fn each_active_registrant_is_told_once(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    let people = api.register(&event.id, &EVERY_STATUS).await;
    // Someone else's registrants hear nothing.
    let other = owner.create(json!({})).await;
    api.register(&other.id, &EVERY_STATUS).await;

    let cancelled = owner
        .ok::<CancelEvent>(json!({"id": event.id, "reason": "The venue is flooded."}))
        .await;
    let expected = json!({
        "id": event.id, "cancelled": true, "reason": "The venue is flooded.", "registrants_notified": 4, "added_not_notified": 0, "events_cancelled": 1,
    });
    assert_eq!(cancelled, expected);

    let is_active = |person: &&Registration| person.status != Status::Cancelled;
    let active = people.iter().filter(is_active);
    let mut active: Vec<Uuid> = active.map(|person| person.id.uuid()).collect();
    let mails = api.cancellation_mails().await;
    let mut told: Vec<Uuid> = mails.iter().map(|mail| mail.key.subject_id).collect();
    active.sort();
    told.sort();
    assert_eq!(told, active);
    assert!(
        mails
            .iter()
            .all(|mail| mail.attempts == 0 && mail.due_at == TestApp::START)
    );

    let after = api.registrations(&event.id).await;
    assert_eq!(after, people, "registrations keep their status");
}

async fn the_second_time_answers_the_first_reason_and_tells_nobody(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for (first, second) in [
        (json!("Rain"), json!("Snow")),
        (Value::Null, json!("Snow")),
        (json!("Rain"), Value::Null),
    ] {
        let event = owner.create(json!({})).await;
        api.register(&event.id, &[Status::Confirmed]).await;
        let once = owner
            .ok::<CancelEvent>(json!({"id": event.id, "reason": first}))
            .await;
        assert_eq!(
            (&once["reason"], &once["registrants_notified"]),
            (&first, &json!(1))
        );
        api.register(&event.id, &[Status::Confirmed]).await;
        let again = owner
            .ok::<CancelEvent>(json!({"id": event.id, "reason": second}))
            .await;
        assert_eq!(
            (&again["reason"], &again["registrants_notified"]),
            (&first, &json!(0))
        );
        assert_eq!(again["cancelled"], true);
        assert_eq!(
            api.audit(&event.id).await.len(),
            2,
            "created and cancelled once"
        );
    }
    assert_eq!(api.cancellation_mails().await.len(), 3);
}

async fn an_ended_event_is_cancelled_without_telling_anyone(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner
        .publish_new(
            json!({"start_date": "2027-01-15T12:30:00Z", "end_date": "2027-01-15T13:00:00Z"}),
        )
        .await;
    api.register(&event.id, &EVERY_STATUS).await;
    api.advance(Duration::from_hours(1));
    let cancelled = owner
        .ok::<CancelEvent>(json!({"id": event.id, "reason": "Too late"}))
        .await;
    let expected = json!({"id": event.id, "cancelled": true, "reason": "Too late", "registrants_notified": 0, "added_not_notified": 0, "events_cancelled": 1});
    assert_eq!(cancelled, expected);
    assert_eq!(api.cancellation_mails().await, []);
    assert_eq!(owner.detail(&event).await["is_cancelled"], true);
}

async fn a_reason_is_optional_and_has_at_most_500_characters(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (reason, kept) in [
        (None, Value::Null),
        (Some(Value::Null), Value::Null),
        (Some(json!("")), Value::Null),
        (Some(json!("x")), json!("x")),
        (Some(json!("two\nlines")), json!("two\nlines")),
        (Some(json!("漢".repeat(500))), json!("漢".repeat(500))),
    ] {
        let event = owner.create(json!({})).await;
        let mut request = json!({"id": event.id});
        if let Some(reason) = reason {
            request["reason"] = reason;
        }
        assert_eq!(owner.ok::<CancelEvent>(request).await["reason"], kept);
    }
    for wrong in ["漢".repeat(501), "  ".into(), "bell\u{7}".into()] {
        let event = owner.create(json!({})).await;
        let refusal = owner
            .refused::<CancelEvent>(json!({"id": event.id, "reason": wrong}))
            .await;
        refusal.blames(&["reason"]);
        assert_eq!(owner.detail(&event).await["is_cancelled"], false);
    }
}

async fn each_is_mailed_once_with_the_reason(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    let people = api.register(&event.id, &EVERY_STATUS).await;
    let request = json!({"id": event.id, "reason": "The venue is flooded."});
    let cancelled = owner.ok::<CancelEvent>(request).await;
    assert_eq!(api.drain_jobs().await, 4);
    assert_eq!(api.drain_jobs().await, 0);

    let mails = api.mails();
    assert_eq!(cancelled["registrants_notified"], mails.len());
    let active = people.iter().filter(|one| one.status != Status::Cancelled);
    let mut expected: Vec<&str> = active.map(|person| &*person.email).collect();
    let mut written_to: Vec<&str> = mails.iter().map(|mail| &*mail.to).collect();
    expected.sort_unstable();
    written_to.sort_unstable();
    assert_eq!(written_to, expected);
    for mail in &mails {
        assert!(mail.text.contains("> The venue is flooded."), "{mail:?}");
    }
    // Only who held a seat has the event in their calendar.
    let calendars = mails.iter().filter_map(|mail| mail.calendar.as_ref());
    let cancels = calendars.filter(|calendar| calendar.contains("METHOD:CANCEL"));
    assert_eq!(cancels.count(), 2);
}

async fn a_thousand_registrants_are_told_in_one_call(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({"max_capacity": 1_000})).await;
    api.register(&event.id, &[Status::Confirmed; 1_000]).await;
    let cancelled = owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert_eq!(cancelled["registrants_notified"], 1_000);
    assert_eq!(api.cancellation_mails().await.len(), 1_000);
}

tests::on_every_surface!(
    each_active_registrant_is_told_once,
    the_second_time_answers_the_first_reason_and_tells_nobody,
    an_ended_event_is_cancelled_without_telling_anyone,
    a_reason_is_optional_and_has_at_most_500_characters,
    each_is_mailed_once_with_the_reason,
    a_thousand_registrants_are_told_in_one_call,
);
