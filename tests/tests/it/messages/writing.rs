//! Writing, changing and cancelling messages, on every surface.

use domain::{message::Offer, plan::Plan, scope::Scope};
use muster_api::{
    Reason,
    v1::bindings::{CancelMessage, CreateMessage, ListMessages, PreviewMessage, UpdateMessage},
};
use serde_json::{Value, json};
use tests::Api;

use super::{GRACE, guests, now, pass, reached, sent_to, to, which};

async fn a_message_waits_two_minutes_and_reaches_those_with_a_seat(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    guests(&api, &event, 2).await;
    let message = sent_to(&owner, &event, json!({})).await;
    assert_eq!(message["state"], "scheduled");
    assert_eq!(message["number"], 1);
    assert_eq!(message["send_at"], "2027-01-15T12:02:00Z");
    assert_eq!(message["audience"]["statuses"], json!(["Confirmed"]));
    assert_eq!(message["version"], 1);
    api.drain_jobs().await;
    assert_eq!(reached(&api), Vec::<String>::new());

    pass(&api, GRACE).await;
    assert_eq!(
        reached(&api),
        ["guest-1@example.org", "guest-2@example.org"]
    );
    let sent = now(&owner, &event, &message).await;
    assert_eq!(sent["state"], "sent");
    assert_eq!(
        [&sent["recipients"], &sent["waiting"], &sent["left"]],
        [&json!(2), &json!(0), &json!(2)]
    );
    let late = owner
        .refused::<UpdateMessage>(which(&event, &message))
        .await;
    assert_eq!(late.reason, Reason::Conflict);
    // Cancelling what is sent changes nothing.
    let cancelled = owner.ok::<CancelMessage>(which(&event, &message)).await;
    assert_eq!(cancelled["state"], "sent");
}

async fn a_message_that_is_cancelled_within_two_minutes_reaches_nobody(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    guests(&api, &event, 2).await;
    let message = sent_to(&owner, &event, json!({})).await;
    for _again in 0..2 {
        let cancelled = owner.ok::<CancelMessage>(which(&event, &message)).await;
        assert_eq!(cancelled["state"], "cancelled");
        assert_eq!(cancelled["left"], 0);
    }
    pass(&api, GRACE * 2).await;
    assert_eq!(reached(&api), Vec::<String>::new());
}

async fn a_message_is_changed_while_it_is_scheduled(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({"timezone": "Europe/Berlin"}))
        .await;
    guests(&api, &event, 1).await;
    let at = json!({"send_at": "2027-04-30T09:00"});
    let message = sent_to(&owner, &event, at).await;
    assert_eq!(message["send_at"], "2027-04-30T09:00:00+02:00");
    let mut change = which(&event, &message);
    change["subject"] = json!("Another door");
    change["hours_before_start"] = json!(48);
    change["version"] = json!(1);
    let changed = owner.ok::<UpdateMessage>(change.clone()).await;
    assert_eq!(changed["subject"], "Another door");
    assert_eq!(changed["text"], "It is in the **second** yard.");
    assert_eq!(changed["hours_before_start"], 48);
    assert_eq!(changed["send_at"], "2027-04-29T20:00:00+02:00");
    assert_eq!(changed["version"], 2);
    // Someone who read it before has to read it again.
    let refusal = owner.refused::<UpdateMessage>(change).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    let mut change = which(&event, &message);
    change["hours_before_start"] = Value::Null;
    let changed = owner.ok::<UpdateMessage>(change).await;
    assert_eq!(changed["send_at"], "2027-01-15T13:02:00+01:00");
    pass(&api, GRACE).await;
    assert_eq!(reached(&api).len(), 1);
}

async fn messages_are_listed_from_the_latest_on(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    for _ in 0..3 {
        sent_to(&owner, &event, json!({"hours_after_end": 12})).await;
    }
    let request = json!({"id": event.id, "limit": 2});
    let page = owner.ok::<ListMessages>(request.clone()).await;
    let numbers = |page: &Value| -> Vec<i64> {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|one| one["number"].as_i64().unwrap()).collect()
    };
    assert_eq!(numbers(&page), [3, 2]);
    assert_eq!(page["count"], 3);
    let mut next = request;
    next["cursor"] = page["next_cursor"].clone();
    let page = owner.ok::<ListMessages>(next).await;
    assert_eq!(numbers(&page), [1]);
    assert!(page["next_cursor"].is_null());
    // Another account knows neither the event nor its messages.
    let stranger = api.owner(Plan::Pro).await;
    let request = json!({"id": event.id});
    let refusal = stranger.refused::<ListMessages>(request).await;
    assert_eq!(refusal.reason, Reason::NotFound);
}

async fn what_cannot_be_sent_is_refused(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    for (fields, blamed) in [
        (json!({"subject": "Hi"}), "subject"),
        (json!({"subject": "Two\nlines"}), "subject"),
        (json!({"subject": "Turned \u{202e}around"}), "subject"),
        (json!({"text": "x".repeat(10_001)}), "text"),
        (json!({"send_at": "2026-01-01T00:00:00Z"}), "send_at"),
        (
            json!({"hours_before_start": 2, "hours_after_end": 2}),
            "hours_before_start",
        ),
        (
            json!({"audience": {"answers": [{"field_id": "none", "options": ["M"]}]}}),
            "audience.answers[0].field_id",
        ),
    ] {
        let refusal = owner.refused::<CreateMessage>(to(&event, fields)).await;
        refusal.blames(&[blamed]);
    }
    // Nobody is there.
    let refusal = owner.refused::<CreateMessage>(to(&event, json!({}))).await;
    assert_eq!(refusal.reason, Reason::Conflict);
    let draft = owner.create(json!({})).await;
    let refusal = owner.refused::<CreateMessage>(to(&draft, json!({}))).await;
    assert_eq!(refusal.reason, Reason::EventNotPublished);
    // An event has so many at a time.
    for _ in 0..10 {
        sent_to(&owner, &event, json!({"hours_after_end": 1})).await;
    }
    let one_more = to(&event, json!({"hours_after_end": 1}));
    let refusal = owner.refused::<CreateMessage>(one_more).await;
    assert_eq!(refusal.reason, Reason::Conflict);
}

async fn messages_need_a_paid_plan_and_their_own_scope(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    let later = to(&event, json!({"hours_after_end": 1}));
    let refusal = owner.refused::<CreateMessage>(later).await;
    assert_eq!(refusal.reason, Reason::PlanRequired);

    let account = api.account(Plan::Pro).await;
    let event = api.as_owner(&account).publish_new(json!({})).await;
    let key = api
        .key_for(&account, &[Scope::EventsRead, Scope::EventsWrite])
        .await;
    let limited = api.with_key(&key);
    let later = to(&event, json!({"hours_after_end": 1}));
    let refusal = limited.refused::<CreateMessage>(later).await;
    assert_eq!(refusal.reason, Reason::InsufficientScope);
    let listed = limited.ok::<ListMessages>(json!({"id": event.id})).await;
    assert_eq!(listed["count"], 0);
}

async fn an_operator_offers_messages_to_all_or_none(api: Api) {
    let owner = api.account(Plan::Free).await;
    let event = api.as_owner(&owner).publish_new(json!({})).await;
    guests(&api, &event, 1).await;
    for (offer, reason) in [(Offer::Off, Some(Reason::NotOffered)), (Offer::All, None)] {
        let policy = core_service::service::Policy {
            messages: offer,
            ..core_service::service::Policy::default()
        };
        let core = api.another_core(policy).await;
        let gateway = api
            .serve_gateway(&tests::core_at(&format!("http://{core}")))
            .await;
        let path = format!("/me/events/{}/messages", event.id);
        let body = json!({"subject": "Hello", "text": "all"});
        let reply = gateway
            .post(&path)
            .bearer(&owner.key)
            .json(&body)
            .send()
            .await;
        match reason {
            Some(reason) => assert_eq!(reply.refusal().reason, reason),
            None => assert_eq!(reply.json()["state"], "scheduled"),
        }
    }
}

async fn a_preview_says_who_and_how_it_looks(api: Api) {
    let account = api.account(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    guests(&api, &event, 2).await;
    api.register(&event.id, &[domain::registration::Status::Waitlisted])
        .await;
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(preview["recipients"], 2);
    assert_eq!(
        preview["left_out"],
        json!([{"reason": "other_status", "count": 1}])
    );
    assert_eq!(preview["recipient_name"], "Guest 1");
    assert_eq!(preview["subject"], "Message: How to find the door");
    assert_eq!(preview["mails_left_today"], 50_000);
    assert_eq!(preview["fits_today"], true);
    let (text, html) = (
        preview["text"].as_str().unwrap(),
        preview["html"].as_str().unwrap(),
    );
    assert!(text.contains("Hello Guest 1"), "{text}");
    assert!(text.contains("It is in the second yard."), "{text}");
    assert!(text.contains("Rust Night"), "{text}");
    assert!(html.contains("<strong>second</strong>"), "{html}");
    // Whoever may not list registrations sees no guest's name.
    let key = api.key_for(&account, &[Scope::MessagesWrite]).await;
    let limited = api.with_key(&key);
    let preview = limited.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_ne!(preview["recipient_name"], "Guest 1");
    pass(&api, GRACE).await;
    assert_eq!(reached(&api), Vec::<String>::new());
}

tests::on_every_surface!(
    a_message_waits_two_minutes_and_reaches_those_with_a_seat,
    a_message_that_is_cancelled_within_two_minutes_reaches_nobody,
    a_message_is_changed_while_it_is_scheduled,
    messages_are_listed_from_the_latest_on,
    what_cannot_be_sent_is_refused,
    messages_need_a_paid_plan_and_their_own_scope,
    an_operator_offers_messages_to_all_or_none,
    a_preview_says_who_and_how_it_looks,
);
