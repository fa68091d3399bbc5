//! What an event may ask its registrants (rule 18 of docs/rules.md).

use domain::plan::Plan;
use muster_api::v1::bindings::{CreateEvent, UpdateEvent};
use serde_json::{Value, json};
use tests::{Api, Client, new_event};

/// Questions without their identities, which the server makes.
fn unidentified(mut questions: Value) -> Value {
    for question in questions.as_array_mut().unwrap() {
        let id = question.as_object_mut().unwrap().remove("id");
        assert!(id.is_some_and(|id| id.is_string()));
    }
    questions
}

/// Tries these questions on a new event and on one that exists; answers them as the event has them then.
async fn asked(owner: &Client, fields: Value) -> Value {
    let event = owner.create(json!({ "custom_fields": fields })).await;
    let created = unidentified(owner.detail(&event).await["custom_fields"].clone());
    let plain = owner.create(json!({})).await;
    let change = json!({"id": plain.id, "custom_fields": fields});
    let changed = owner.ok::<UpdateEvent>(change).await["custom_fields"].clone();
    let changed = unidentified(changed);
    assert_eq!(created, changed);
    created
}

async fn refused(owner: &Client, fields: Value, blamed: &str) {
    let created = new_event(json!({ "custom_fields": fields }));
    owner
        .refused::<CreateEvent>(created)
        .await
        .blames(&[blamed]);
    let plain = owner.create(json!({})).await;
    let change = json!({"id": plain.id, "custom_fields": fields});
    owner.refused::<UpdateEvent>(change).await.blames(&[blamed]);
}

fn texts(count: usize) -> Value {
    let field = |index| json!({"label": format!("Question {index}"), "field_type": "text"});
    (0..count).map(field).collect()
}

fn select(options: &Value) -> Value {
    json!([{"label": "Size", "field_type": "select", "options": options}])
}

fn numbered(count: usize) -> Value {
    (0..count).map(|index| json!(index.to_string())).collect()
}

async fn every_kind_of_question_is_kept(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let fields = json!([
        {"label": "Name tag", "field_type": "text", "required": true, "options": []},
        {"label": "Guests", "field_type": "integer", "required": false, "options": []},
        {"label": "Size", "field_type": "select", "required": true, "options": ["S", "M"]},
        {"label": "Diet", "field_type": "multi_select", "required": false, "options": ["vegan", "كوشر"]},
        {"label": "Terms", "field_type": "checkbox", "required": true, "options": []},
    ]);
    assert_eq!(asked(&owner, fields.clone()).await, fields);
}

async fn a_question_need_not_be_answered_unless_it_says_so(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let fields = asked(&owner, json!([{"label": "Name tag", "field_type": "text"}])).await;
    let full =
        json!([{"label": "Name tag", "field_type": "text", "required": false, "options": []}]);
    assert_eq!(fields, full);
}

async fn an_event_asks_at_most_20_questions(api: Api) {
    let owner = api.owner(Plan::Business).await;
    assert_eq!(asked(&owner, texts(20)).await.as_array().unwrap().len(), 20);
    refused(&owner, texts(21), "custom_fields").await;
}

async fn a_label_has_1_to_200_characters(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let labelled = |label: &str| json!([{"label": label, "field_type": "text"}]);
    for label in ["x", "漢", &"\u{1f389}".repeat(200)] {
        assert_eq!(asked(&owner, labelled(label)).await[0]["label"], label);
    }
    for label in ["", "  ", "line\nbreak", "bell\u{7}", &"ß".repeat(201)] {
        refused(&owner, labelled(label), "custom_fields[0].label").await;
    }
}

async fn labels_are_unique(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for label in ["Size", " Size "] {
        let twice = json!([{"label": "Size", "field_type": "text"}, {"label": label, "field_type": "integer"}]);
        refused(&owner, twice, "custom_fields[1].label").await;
    }
}

async fn a_choice_has_1_to_50_options(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for count in [1, 50] {
        let fields = asked(&owner, select(&numbered(count))).await;
        assert_eq!(fields[0]["options"].as_array().unwrap().len(), count);
    }
    refused(&owner, select(&numbered(0)), "custom_fields[0].options").await;
    refused(&owner, select(&numbered(51)), "custom_fields[0].options").await;
    refused(
        &owner,
        select(&json!(["M", "M"])),
        "custom_fields[0].options[1]",
    )
    .await;
}

async fn an_option_has_1_to_200_characters(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for option in ["x".to_owned(), "漢".repeat(200)] {
        let fields = asked(&owner, select(&json!([option]))).await;
        assert_eq!(fields[0]["options"][0], option);
    }
    for option in [String::new(), " ".into(), "\u{1}".into(), "x".repeat(201)] {
        refused(
            &owner,
            select(&json!(["M", option])),
            "custom_fields[0].options[1]",
        )
        .await;
    }
}

async fn only_choices_have_options(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for kind in ["text", "integer", "checkbox"] {
        let field = json!([{"label": "Size", "field_type": kind, "options": ["S"]}]);
        refused(&owner, field, "custom_fields[0].options").await;
    }
    for kind in ["select", "multi_select"] {
        let field = json!([{"label": "Size", "field_type": kind}]);
        refused(&owner, field, "custom_fields[0].options").await;
    }
}

async fn other_kinds_are_refused(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for kind in ["", "Text", "date", "select ", "multiselect"] {
        let field = json!([{"label": "Size", "field_type": kind}]);
        refused(&owner, field, "custom_fields[0].field_type").await;
    }
}

async fn an_empty_list_asks_nothing_more(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({ "custom_fields": texts(2) })).await;
    let kept = owner
        .ok::<UpdateEvent>(json!({"id": event.id, "title": "Another"}))
        .await;
    assert_eq!(kept["custom_fields"].as_array().unwrap().len(), 2);
    let cleared = owner
        .ok::<UpdateEvent>(json!({"id": event.id, "custom_fields": []}))
        .await;
    assert_eq!(cleared["custom_fields"], json!([]));
}

tests::on_every_surface!(
    every_kind_of_question_is_kept,
    a_question_need_not_be_answered_unless_it_says_so,
    an_event_asks_at_most_20_questions,
    a_label_has_1_to_200_characters,
    labels_are_unique,
    a_choice_has_1_to_50_options,
    an_option_has_1_to_200_characters,
    only_choices_have_options,
    other_kinds_are_refused,
    an_empty_list_asks_nothing_more,
);
