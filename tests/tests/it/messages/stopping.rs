//! What stops messages, or moves them: their event, their account, and someone who cancels them half-way.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        CancelEvent, CancelMessage, CreateMessage, DeleteEvent, GetMyEvent, UnpublishEvent,
        UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Surface, TestApp};

use super::{GRACE, guests, now, pass, reached, sent_to, to, which};

async fn cancelling_half_way_stops_what_has_not_left(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let people = guests(&app, &event, 5).await;
    let message = sent_to(&owner, &event, json!({})).await;
    app.advance(GRACE);
    app.begin_messages().await;
    let sending = now(&owner, &event, &message).await;
    assert_eq!(
        (&sending["state"], &sending["waiting"]),
        (&json!("sending"), &json!(5))
    );
    // Two have left.
    for one in &people[2..] {
        app.postpone_mails_of(&one.id.to_string()).await;
    }
    app.drain_jobs().await;
    assert_eq!(reached(&app).len(), 2);
    let cancelled = owner.ok::<CancelMessage>(which(&event, &message)).await;
    let numbers = ["state", "recipients", "left", "withheld", "waiting"];
    assert_eq!(
        numbers.map(|name| cancelled[name].clone()),
        [json!("cancelled"), json!(5), json!(2), json!(3), json!(0)]
    );
    pass(&app, Duration::from_hours(2)).await;
    assert_eq!(reached(&app).len(), 2);
}

async fn a_message_follows_its_event(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    // The clocks are changed on 28 March.
    let event = json!({"timezone": "Europe/Berlin", "start_date": "2027-03-27T18:00", "end_date": "2027-03-27T20:00"});
    let event = owner.publish_new(event).await;
    guests(&app, &event, 1).await;
    let before = sent_to(&owner, &event, json!({"hours_before_start": 24})).await;
    let after = sent_to(&owner, &event, json!({"hours_after_end": 12})).await;
    let fixed = sent_to(&owner, &event, json!({"send_at": "2027-03-20T10:00"})).await;
    assert_eq!(before["send_at"], "2027-03-26T18:00:00+01:00");
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "start_date": "2027-03-28T18:00", "end_date": "2027-03-28T20:00"}))
        .await;
    for (message, time) in [
        (&before, "2027-03-27T17:00:00+01:00"),
        (&after, "2027-03-29T08:00:00+02:00"),
        (&fixed, "2027-03-20T10:00:00+01:00"),
    ] {
        assert_eq!(now(&owner, &event, message).await["send_at"], time);
    }
    // At the time of before the change, nothing happens.
    app.advance(Duration::from_hours(24 * 70 + 5));
    app.drain_jobs().await;
    assert_eq!(app.clock.now().to_string(), "2027-03-26T17:00:00Z");
    assert_eq!(now(&owner, &event, &before).await["state"], "scheduled");
    pass(&app, Duration::from_hours(23)).await;
    assert_eq!(now(&owner, &event, &before).await["state"], "sent");
    pass(&app, Duration::from_hours(38)).await;
    assert_eq!(now(&owner, &event, &after).await["state"], "sent");
    let mut mails = super::messages(&app);
    mails.retain(|mail| mail.to == "guest-1@example.org");
    assert_eq!(mails.len(), 3);
}

async fn an_event_that_is_gone_stops_its_messages_and_says_so(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    for (reason, refusal, start) in [
        (
            "event_cancelled",
            Reason::EventCancelled,
            "2027-05-01T18:00:00Z",
        ),
        (
            "event_unpublished",
            Reason::EventNotPublished,
            "2028-05-01T18:00:00Z",
        ),
        ("event_hidden", Reason::Conflict, "2029-05-01T18:00:00Z"),
    ] {
        let event = owner.publish_new(json!({"start_date": start})).await;
        guests(&app, &event, 2).await;
        let begun = sent_to(&owner, &event, json!({})).await;
        let scheduled = sent_to(&owner, &event, json!({"hours_before_start": 24})).await;
        app.advance(GRACE);
        app.begin_messages().await;
        let id = json!({"id": event.id});
        match reason {
            "event_cancelled" => drop(owner.ok::<CancelEvent>(id).await),
            "event_unpublished" => drop(owner.ok::<UnpublishEvent>(id).await),
            _ => {
                let suspensions = &app.core.use_cases().suspensions;
                suspensions.hide(&event.slug, true, None).await.unwrap();
            }
        }
        let stopped = now(&owner, &event, &scheduled).await;
        let expected = (json!("stopped"), json!(reason));
        assert_eq!(
            (stopped["state"].clone(), stopped["stop_reason"].clone()),
            expected
        );
        let begun = now(&owner, &event, &begun).await;
        if reason == "event_hidden" {
            // They are held, as all mails of the event are.
            assert_eq!(
                (&begun["state"], &begun["waiting"]),
                (&json!("sending"), &json!(2))
            );
        } else {
            assert_eq!(
                (begun["state"].clone(), begun["stop_reason"].clone()),
                expected
            );
            assert_eq!(begun["withheld"], 2);
        }
        pass(&app, Duration::from_hours(24 * 370)).await;
        assert_eq!(reached(&app), Vec::<String>::new(), "{reason}");
        let new = to(&event, json!({"send_at": "2035-01-01T00:00:00Z"}));
        let refused = owner.refused::<CreateMessage>(new).await;
        assert_eq!(refused.reason, refusal);
    }
}

async fn a_suspended_account_sends_nothing(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.account(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 2).await;
    let begun = sent_to(&owner, &event, json!({})).await;
    let scheduled = sent_to(&owner, &event, json!({"send_at": "2027-01-15T13:00:00Z"})).await;
    app.advance(GRACE);
    app.begin_messages().await;
    let suspensions = &app.core.use_cases().suspensions;
    suspensions.suspend(account.id, None).await.unwrap();
    pass(&app, Duration::from_hours(2)).await;
    assert_eq!(reached(&app), Vec::<String>::new());
    suspensions.resume(account.id).await.unwrap();
    app.advance(Duration::from_secs(10));
    let stopped = now(&owner, &event, &scheduled).await;
    assert_eq!(stopped["stop_reason"], "account_suspended");
    // What was held is still true.
    app.drain_jobs().await;
    assert_eq!(reached(&app).len(), 2);
    assert_eq!(now(&owner, &event, &begun).await["state"], "sent");
}

async fn a_deleted_draft_takes_its_messages_along(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let message = sent_to(&owner, &event, json!({"hours_before_start": 24})).await;
    let id = json!({"id": event.id});
    owner.ok::<UnpublishEvent>(id.clone()).await;
    owner.ok::<DeleteEvent>(id.clone()).await;
    owner.refused::<GetMyEvent>(id).await;
    let gone = owner
        .refused::<muster_api::v1::bindings::GetMessage>(which(&event, &message))
        .await;
    assert_eq!(gone.reason, Reason::NotFound);
}

async fn a_plan_without_messages_stops_what_is_due(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.account(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 2).await;
    let message = sent_to(&owner, &event, json!({})).await;
    let accounts = &app.core.use_cases().accounts;
    accounts.set_plan(account.id, Plan::Free).await.unwrap();
    pass(&app, GRACE).await;
    assert_eq!(reached(&app), Vec::<String>::new());
    let stopped: Value = now(&owner, &event, &message).await;
    assert_eq!(stopped["stop_reason"], "plan");
}

tests::on_both_engines!(
    cancelling_half_way_stops_what_has_not_left,
    a_message_follows_its_event,
    an_event_that_is_gone_stops_its_messages_and_says_so,
    a_suspended_account_sends_nothing,
    a_deleted_draft_takes_its_messages_along,
    a_plan_without_messages_stops_what_is_due,
);
