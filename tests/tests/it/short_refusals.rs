//! A refusal is short, however much is wrong with a request.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::{AddRegistrationRequest, Answer, bindings::CreateEvent};
use serde_json::{Value, json};
use tests::{Surface, TestApp, new_event};

/// Details take at most 4 KiB, and the rest is short.
const MAX_BYTES: usize = 6 << 10;

/// What clients and proxies take at least as trailers.
const MAX_TRAILER_BYTES: usize = 8 << 10;

async fn a_list_of_wrong_items_is_one_mistake(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.ok::<CreateEvent>(new_event(json!({}))).await;
    let mcp = app.mcp.with_key(&account.key);
    let cleared: Vec<_> = (0..100_000).map(|number| number.to_string()).collect();
    for clear in [json!(cleared), json!(cleared[..8])] {
        let update = json!({"id": event["id"], "clear": clear});
        let error = mcp.call("update_event", update).await.error();
        assert!(error.contains("clear"), "{error}");
        assert!(error.len() <= MAX_BYTES, "{} bytes", error.len());
    }
}

async fn many_unknown_parameters_are_told_in_part(app: Arc<TestApp>) {
    let names: Vec<_> = (0..1_300).map(|number| format!("p{number}")).collect();
    let answer = app
        .http
        .get(&format!("/events?{}", names.join("&")))
        .send()
        .await;
    assert!(
        answer.body.len() <= MAX_BYTES,
        "{} bytes",
        answer.body.len()
    );
    let refusal = answer.refusal();
    assert!(refusal.message.contains("at least 49 more"), "{refusal:?}");
    let fields = refusal.fields();
    assert!((10..=50).contains(&fields.len()), "{fields:?}");
}

/// An event that asks 20 long questions with 50 long options each.
fn inquisitive() -> Value {
    let option = |number| format!("{number} {}", "ö".repeat(190));
    let options: Vec<_> = (0..50).map(option).collect();
    let field = |number| json!({"label": format!("{number} {}", "ü".repeat(190)), "field_type": "select", "options": options});
    let fields: Vec<_> = (0..20).map(field).collect();
    new_event(json!({"is_public": true, "custom_fields": fields}))
}

async fn wrong_answers_do_not_bring_all_labels_and_options_back(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Grpc).as_owner(&account);
    let event = owner.ok::<CreateEvent>(inquisitive()).await;
    let id = event["id"].as_str().unwrap().to_owned();
    let label = |number| format!("{number} {}", "ü".repeat(190));
    for label_of in [&label as &dyn Fn(i32) -> String, &|number| {
        format!("? {}", label(number))
    }] {
        let answer = |number| Answer {
            field_id: None,
            label: Some(label_of(number)),
            values: vec!["ä".repeat(200)],
        };
        let request = AddRegistrationRequest {
            id: id.clone(),
            name: Some("Ada".to_owned()),
            email: Some("ada@example.org".to_owned()),
            answers: (0..20).map(answer).collect(),
            ..AddRegistrationRequest::default()
        };
        let mut registrations = app.grpc.registrations(&account.key);
        let status = registrations.add_registration(request).await.unwrap_err();
        let details = status.details().len() * 4 / 3;
        let message = percent_encoded(status.message());
        assert!(
            details + message <= MAX_TRAILER_BYTES,
            "{details} + {message} bytes"
        );
        assert!(status.message().contains("19 more"), "{status:?}");
    }
}

/// How long a message is as `grpc-message`.
fn percent_encoded(message: &str) -> usize {
    let of = |byte: u8| {
        if byte.is_ascii_graphic() || byte == b' ' {
            1
        } else {
            3
        }
    };
    message.bytes().map(of).sum()
}

tests::on_both_engines!(
    a_list_of_wrong_items_is_one_mistake,
    many_unknown_parameters_are_told_in_part,
    wrong_answers_do_not_bring_all_labels_and_options_back,
);
