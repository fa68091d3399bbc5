//! Every field of every body, with every kind of JSON that it does not take.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::{Value, json};
use tests::{Account, Refusal, TestApp, new_event};

/// One value of each kind of JSON, null aside.
fn every_kind() -> [Value; 5] {
    [
        json!("text"),
        json!(5),
        json!(true),
        json!(["x"]),
        json!({"x": 1}),
    ]
}

/// Whether a field takes the value.
type Takes = fn(&Value) -> bool;

/// Fields by what they take, each with how the message says that.
fn fields() -> [(&'static [&'static str], Takes, &'static str); 3] {
    [
        (
            &[
                "title",
                "description",
                "location",
                "start_date",
                "end_date",
                "city",
                "image_query",
                "timezone",
            ],
            Value::is_string,
            "a string",
        ),
        (&["max_capacity"], Value::is_number, "an integer"),
        (
            &["is_public", "is_listed"],
            Value::is_boolean,
            "true or false",
        ),
    ]
}

async fn create(app: &TestApp, account: &Account, fields: Value) -> Refusal {
    let request = app.http.post("/events").bearer(&account.key);
    request.json(&new_event(fields)).send().await.refusal()
}

async fn each_field_of_a_new_event_takes_one_kind(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    for (names, takes, wanted) in fields() {
        for name in names {
            for wrong in every_kind().iter().filter(|value| !takes(value)) {
                let refusal = create(&app, &account, json!({ *name: wrong })).await;
                refusal.blames(&[name]);
                assert!(refusal.message.contains(wanted), "{wrong}: {refusal:?}");
            }
        }
    }
}

async fn each_field_of_a_change_takes_one_kind(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    let path = format!("/me/events/{}", event.id);
    for (names, takes, wanted) in fields() {
        for name in names.iter().filter(|name| **name != "is_public") {
            for wrong in every_kind().iter().filter(|value| !takes(value)) {
                let request = app.http.patch(&path).bearer(&account.key);
                let refusal = request
                    .json(&json!({ *name: wrong }))
                    .send()
                    .await
                    .refusal();
                refusal.blames(&[name]);
                assert!(refusal.message.contains(wanted), "{wrong}: {refusal:?}");
            }
        }
    }
}

async fn a_reason_is_a_text(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    let path = format!("/me/events/{}/cancel", event.id);
    for wrong in every_kind().iter().filter(|value| !value.is_string()) {
        let request = app.http.post(&path).bearer(&account.key);
        let refusal = request
            .json(&json!({ "reason": wrong }))
            .send()
            .await
            .refusal();
        refusal.blames(&["reason"]);
    }
    assert_eq!(owner.detail(&event).await["is_cancelled"], false);
}

async fn questions_are_a_list_of_objects(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    for (wrong, blamed) in [
        (json!("text"), "custom_fields"),
        (json!(5), "custom_fields"),
        (json!(true), "custom_fields"),
        (json!({"label": "x"}), "custom_fields"),
        (json!(["x"]), "custom_fields[0]"),
        (json!([null]), "custom_fields[0]"),
        (json!([["label", "text"]]), "custom_fields[0]"),
        (
            json!([{"label": "x", "field_type": "text"}, 5]),
            "custom_fields[1]",
        ),
    ] {
        let refusal = create(&app, &account, json!({ "custom_fields": wrong })).await;
        refusal.blames(&[blamed]);
    }
}

async fn each_field_of_a_question_takes_one_kind(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let kinds: [(&str, Takes); 4] = [
        ("label", Value::is_string),
        ("field_type", Value::is_string),
        ("required", Value::is_boolean),
        ("options", Value::is_array),
    ];
    let null = [Value::Null];
    for (name, takes) in kinds {
        for wrong in every_kind()
            .iter()
            .chain(&null)
            .filter(|value| !takes(value))
        {
            let mut question = json!({"label": "Size", "field_type": "text"});
            question[name] = wrong.clone();
            let refusal = create(&app, &account, json!({ "custom_fields": [question] })).await;
            refusal.blames(&[&format!("custom_fields[0].{name}")]);
        }
    }
    for wrong in every_kind()
        .iter()
        .chain(&null)
        .filter(|value| !value.is_string())
    {
        let question = json!({"label": "Size", "field_type": "select", "options": ["S", wrong]});
        let refusal = create(&app, &account, json!({ "custom_fields": [question] })).await;
        refusal.blames(&["custom_fields[0].options[1]"]);
    }
}

async fn a_number_is_a_whole_one_of_32_bits(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let send = async |number: &str| {
        let body = new_event(json!({"max_capacity": 1_234_567})).to_string();
        let request = app.http.post("/events").bearer(&account.key);
        request
            .json_bytes(body.replace("1234567", number))
            .send()
            .await
    };
    for (number, capacity) in [("80", 80), ("80.0", 80), ("8e1", 80), ("1E4", 10_000)] {
        let created = send(number).await.ok();
        let path = format!("/me/events/{}", created["id"].as_str().unwrap());
        let detail = app.http.get(&path).bearer(&account.key).send().await;
        assert_eq!(detail.ok()["max_capacity"], capacity, "{number}");
    }
    for number in [
        "-0",
        "-0.0",
        "0.5",
        "80.5",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "4294967376",
        "9007199254740993",
        "18446744073709551616",
        "1e10",
        "1e308",
        "100000000000000000000000000000000000000000000000000",
        "\"80\"",
    ] {
        send(number).await.refusal().blames(&["max_capacity"]);
    }
    // Beyond what JSON's readers can hold, the number itself is malformed.
    let refusal = send("1e400").await.refusal();
    assert_eq!(refusal.reason, muster_api::Reason::InvalidRequest);
}

tests::on_both_engines!(
    each_field_of_a_new_event_takes_one_kind,
    each_field_of_a_change_takes_one_kind,
    a_reason_is_a_text,
    questions_are_a_list_of_objects,
    each_field_of_a_question_takes_one_kind,
    a_number_is_a_whole_one_of_32_bits,
);
