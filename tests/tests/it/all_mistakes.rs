//! One answer says everything that is wrong: mistakes in the input, rules of the event, and what the plan does not include.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelEvent, CloneEvent, CreateEvent, CreateMessage, CreateWebhook,
        GetMyEvent, ListMyEvents, RegisterAttendee, RepeatEvent, UpdateEvent, UpdateMessage,
        UpdateRegistration, UpdateWebhook,
    },
};
use serde_json::json;
use tests::{Api, Client, Surface, TestApp, new_event};

const NOBODYS: &str = "0190a5b4-0000-7000-8000-000000000000";

/// The owner of a free account whose active events are used up.
async fn full(api: &Api) -> Client {
    let owner = api.owner(Plan::Free).await;
    for _ in 0..3 {
        owner.ok::<CreateEvent>(new_event(json!({}))).await;
    }
    owner
}

async fn a_new_event_is_told_of_the_plan_beside_its_mistakes(api: Api) {
    let owner = full(&api).await;
    let wrong = new_event(json!({
        "title": "ab", "timezone": "Mars", "requires_approval": true,
        "custom_fields": [{"label": "Size", "field_type": "select"}],
    }));
    owner.refused::<CreateEvent>(wrong).await.blames(&[
        "title",
        "custom_fields[0].options",
        "timezone",
        "requires_approval",
        "active_events",
    ]);
    let past = new_event(json!({
        "start_date": "2001-05-14T19:00Z", "is_public": true, "requires_approval": true,
    }));
    let refusal = owner.refused::<CreateEvent>(past).await;
    refusal.blames(&["start_date", "requires_approval", "active_events"]);
    let list = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(list["count"], 3, "nothing came of them");
}

async fn what_the_plan_alone_refuses_stays_a_refusal_of_the_plan(api: Api) {
    let owner = full(&api).await;
    let both = new_event(json!({"requires_approval": true}));
    let refusal = owner.refused::<CreateEvent>(both).await;
    assert_eq!(refusal.reason, Reason::PlanRequired);
    assert_eq!(refusal.fields(), ["requires_approval", "active_events"]);
    let one = owner.refused::<CreateEvent>(new_event(json!({}))).await;
    assert_eq!(one.reason, Reason::QuotaExceeded);
    assert_eq!(one.fields(), Vec::<&str>::new());
}

async fn a_change_is_told_of_everything(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    for name in ["ada", "grace"] {
        let guest = json!({"id": event.id, "name": name, "email": format!("{name}@example.org")});
        owner.ok::<AddRegistration>(guest).await;
    }
    let wrong = json!({
        "id": event.id, "title": "ab", "max_capacity": 1, "end_date": "2001-05-14T19:00Z",
        "requires_approval": true,
    });
    let refusal = owner.refused::<UpdateEvent>(wrong).await;
    refusal.blames(&["title", "end_date", "max_capacity", "requires_approval"]);
    let too_low = json!({"id": event.id, "max_capacity": 1});
    let refusal = owner.refused::<UpdateEvent>(too_low).await;
    assert_eq!(refusal.reason, Reason::CapacityTooLow);
    let detail = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
    assert_eq!(detail["version"], 1, "nothing came of them");
}

async fn a_registration_is_told_of_every_question(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let questions = json!([
        {"label": "Diet", "field_type": "text", "required": true},
        {"label": "Guests", "field_type": "integer", "required": true},
        {"label": "Rules", "field_type": "checkbox", "required": true},
    ]);
    let event = owner.publish_new(json!({"custom_fields": questions})).await;
    let anyone = api.anyone();
    let empty = json!({"slug": event.slug});
    anyone
        .refused::<RegisterAttendee>(empty)
        .await
        .blames(&["name", "email", "answers", "answers", "answers"]);
    let answers = json!([
        {"label": "Diet", "values": []},
        {"label": "Guests", "values": ["many"]},
        {"label": "Rules", "values": ["false"]},
    ]);
    let answered = [
        "answers[0].values",
        "answers[1].values",
        "answers[2].values",
    ];
    let some = json!({"slug": event.slug, "name": "Ada", "email": "ada@", "answers": answers});
    let refusal = anyone.refused::<RegisterAttendee>(some).await;
    refusal.blames(&[&["email"], &answered[..]].concat());
    let guest = json!({
        "id": event.id, "name": "Ada", "email": "ada@example.org",
        "answers": [
            {"label": "Diet", "values": ["none"]},
            {"label": "Guests", "values": ["1"]},
            {"label": "Rules", "values": ["true"]},
        ],
    });
    let added = owner.ok::<AddRegistration>(guest).await;
    let again = json!({
        "id": event.id, "name": "", "email": "ada@example.org", "answers": answers,
    });
    let refusal = owner.refused::<AddRegistration>(again).await;
    refusal.blames(&[&["name"], &answered[..], &["email"]].concat());
    let change = json!({
        "id": event.id, "registration_id": added["id"], "name": "", "answers": answers,
    });
    let refusal = owner.refused::<UpdateRegistration>(change).await;
    refusal.blames(&[&["name"], &answered[..]].concat());
}

async fn a_copy_and_a_repetition_are_told_of_everything(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.ok::<CreateEvent>(new_event(json!({}))).await;
    for _ in 0..2 {
        owner.ok::<CreateEvent>(new_event(json!({}))).await;
    }
    let copy = json!({"id": event["id"], "start_date": "soon"});
    let refusal = owner.refused::<CloneEvent>(copy).await;
    refusal.blames(&["start_date", "active_events"]);
    let repeat = json!({
        "id": event["id"], "every": "week", "interval": 0, "month_day": 3,
        "count": 3, "until": "2031-01-01",
    });
    let refusal = owner.refused::<RepeatEvent>(repeat).await;
    refusal.blames(&["interval", "month_day", "until"]);
    let list = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(list["count"], 3, "nothing came of them");
}

async fn a_message_is_told_of_everything(app: Arc<TestApp>) {
    for surface in [Surface::Http, Surface::Grpc] {
        let api = app.over(surface);
        let owner = api.owner(Plan::Pro).await;
        let event = owner.publish_new(json!({})).await;
        let wrong = json!({
            "id": event.id, "subject": "", "text": "See you.", "send_at": "2020-01-01T09:00Z",
            "audience": {"answers": [{"field_id": "nothing", "options": ["x"]}]},
        });
        let refusal = owner.refused::<CreateMessage>(wrong).await;
        refusal.blames(&["subject", "audience.answers[0].field_id", "send_at"]);
        let right = json!({
            "id": event.id, "subject": "News", "text": "See you.", "hours_before_start": 2,
        });
        let message = owner.ok::<CreateMessage>(right).await;
        let change = json!({
            "id": event.id, "message_id": message["id"], "version": 7, "subject": "",
            "send_at": "2020-01-01T09:00Z",
        });
        let refusal = owner.refused::<UpdateMessage>(change).await;
        refusal.blames(&["subject", "send_at", "version"]);
    }
}

async fn a_webhook_is_told_of_everything(app: Arc<TestApp>) {
    for surface in [Surface::Http, Surface::Grpc] {
        let api = app.over(surface);
        let owner = api.owner(Plan::Free).await;
        let wrong = json!({
            "url": "ftp://example.org/hook", "description": "x".repeat(201),
            "types": ["event.created", "webhook.ping"], "content": "full",
        });
        let refusal = owner.refused::<CreateWebhook>(wrong.clone()).await;
        refusal.blames(&["description", "url", "types[1]", "content"]);
        let webhook = owner.ok::<CreateWebhook>(json!({})).await;
        let mut change = wrong;
        change["webhook_id"] = webhook["id"].clone();
        let refusal = owner.refused::<UpdateWebhook>(change).await;
        refusal.blames(&["description", "url", "types[1]", "content"]);
    }
}

async fn an_address_correction_of_a_cancelled_event_says_so_once(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    let added = owner.ok::<AddRegistration>(guest).await;
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let correction = json!({
        "id": event.id, "registration_id": added["id"], "email": "lovelace@example.org",
    });
    let refusal = owner.refused::<UpdateRegistration>(correction).await;
    assert_eq!(refusal.reason, Reason::EventCancelled);
    assert_eq!(refusal.fields(), Vec::<&str>::new());
}

async fn what_does_not_exist_is_not_found_whatever_else_is_wrong(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let stranger = api.owner(Plan::Free).await;
    let event = stranger.publish_new(json!({})).await;
    for id in [NOBODYS, &*event.id] {
        let change = json!({"id": id, "title": "ab"});
        let refusal = owner.refused::<UpdateEvent>(change).await;
        assert_eq!(refusal.reason, Reason::NotFound);
        let guest = json!({"id": id, "name": "", "email": "x"});
        let refusal = owner.refused::<AddRegistration>(guest).await;
        assert_eq!(refusal.reason, Reason::NotFound);
    }
    let nowhere = json!({"slug": "nowhere-at-all"});
    let refusal = api.anyone().refused::<RegisterAttendee>(nowhere).await;
    assert_eq!(refusal.reason, Reason::NotFound);
}

async fn a_value_of_another_type_hides_no_other_mistake(app: Arc<TestApp>) {
    for surface in [Surface::Http, Surface::Mcp] {
        let owner = full(&app.over(surface)).await;
        let wrong = json!({
            "title": 7, "description": "Two talks.", "start_date": "2030-05-14T19:00",
            "max_capacity": "many", "timezone": "Mars", "colour": "red", "location": "",
            "custom_fields": [7, {"label": "Size", "field_type": "text", "options": [1]}],
        });
        let refusal = owner.refused::<CreateEvent>(wrong).await;
        let mut found = refusal.fields();
        found.sort_unstable();
        let expected = [
            "active_events",
            "colour",
            "custom_fields[0]",
            "custom_fields[1].options",
            "custom_fields[1].options[0]",
            "location",
            "max_capacity",
            "timezone",
            "title",
        ];
        assert_eq!(found, expected, "{surface:?} {refusal:?}");
    }
}

async fn a_wrong_type_alone_hides_no_rule_and_nothing_comes_of_the_rest(app: Arc<TestApp>) {
    for surface in [Surface::Http, Surface::Mcp] {
        let owner = app.over(surface).owner(Plan::Pro).await;
        for (wrong, field) in [
            (json!({"max_capacity": "x"}), "max_capacity"),
            (json!({"colour": "red"}), "colour"),
        ] {
            let mut past = new_event(json!({"start_date": "2020-05-14T19:00Z", "is_public": true}));
            past.as_object_mut()
                .unwrap()
                .extend(wrong.as_object().unwrap().clone());
            let refusal = owner.refused::<CreateEvent>(past).await;
            let mut found = refusal.fields();
            found.sort_unstable();
            assert_eq!(found, [field, "start_date"], "{surface:?} {refusal:?}");
            let mut right = new_event(json!({}));
            right
                .as_object_mut()
                .unwrap()
                .extend(wrong.as_object().unwrap().clone());
            let refusal = owner.refused::<CreateEvent>(right).await;
            assert_eq!(refusal.fields(), [field], "{surface:?} {refusal:?}");
        }
        let list = owner.ok::<ListMyEvents>(json!({})).await;
        assert_eq!(list["count"], 0, "nothing came of them");
        let event = owner.publish_new(json!({})).await;
        let change = json!({"id": event.id, "title": "Another", "max_capacity": "x"});
        owner
            .refused::<UpdateEvent>(change)
            .await
            .blames(&["max_capacity"]);
        let detail = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
        assert_eq!(detail["version"], 1, "nothing came of it");
    }
}

tests::on_every_surface!(
    a_new_event_is_told_of_the_plan_beside_its_mistakes,
    what_the_plan_alone_refuses_stays_a_refusal_of_the_plan,
    a_change_is_told_of_everything,
    a_registration_is_told_of_every_question,
    a_copy_and_a_repetition_are_told_of_everything,
    an_address_correction_of_a_cancelled_event_says_so_once,
    what_does_not_exist_is_not_found_whatever_else_is_wrong,
);

mod of_types {
    use super::{
        a_message_is_told_of_everything, a_value_of_another_type_hides_no_other_mistake,
        a_webhook_is_told_of_everything,
        a_wrong_type_alone_hides_no_rule_and_nothing_comes_of_the_rest,
    };

    tests::on_both_engines!(
        a_message_is_told_of_everything,
        a_webhook_is_told_of_everything,
        a_value_of_another_type_hides_no_other_mistake,
        a_wrong_type_alone_hides_no_rule_and_nothing_comes_of_the_rest,
    );
}
