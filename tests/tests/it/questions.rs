//! Questions have identities, and answers belong to them, whatever their words become (rule 18 of docs/rules.md).

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{
    AddRegistration, CloneEvent, ListRegistrations, UpdateEvent, UpdateRegistration,
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Surface, TestApp};

fn text(label: &str) -> Value {
    json!({"label": label, "field_type": "text"})
}

/// An event with two questions, which one person has answered.
async fn asked(owner: &Client) -> (Created, Value) {
    let questions = json!([text("Diett"), text("Size")]);
    let event = owner.publish_new(json!({"custom_fields": questions})).await;
    let guest = json!({
        "id": event.id, "name": "Ada", "email": "ada@example.org",
        "answers": [{"label": "Diett", "values": ["vegan"]}, {"label": "Size", "values": ["M"]}],
    });
    let guest = owner.ok::<AddRegistration>(guest).await;
    (event, guest["id"].clone())
}

async fn questions_of(owner: &Client, event: &Created) -> Vec<Value> {
    let fields = owner.detail(event).await["custom_fields"].clone();
    fields.as_array().unwrap().clone()
}

async fn ask(owner: &Client, event: &Created, questions: Value) {
    let change = json!({"id": event.id, "custom_fields": questions});
    owner.ok::<UpdateEvent>(change).await;
}

/// Labels and values in the list of registrations.
async fn answers(owner: &Client, event: &Created) -> Vec<(String, String)> {
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let answers = list["items"][0]["answers"].as_array().unwrap().clone();
    let pair = |answer: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&answer["label"]), text(&answer["values"][0]))
    };
    answers.iter().map(pair).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(label, value): &(&str, &str)| ((*label).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

async fn a_corrected_question_keeps_its_answers(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let (event, _) = asked(&owner).await;
    let before = questions_of(&owner, &event).await;
    // A program that knows no identities.
    ask(&owner, &event, json!([text("Diet"), text("Size")])).await;
    let expected = [("Diet", "vegan"), ("Size", "M")];
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
    // One that sends them, and moves the questions, too.
    let [first, second] = &before[..] else {
        panic!("{before:?}")
    };
    let with_id =
        |label: &str, of: &Value| json!({"label": label, "field_type": "text", "id": of["id"]});
    ask(
        &owner,
        &event,
        json!([with_id("Shirt", second), with_id("Food", first)]),
    )
    .await;
    let expected = [("Shirt", "M"), ("Food", "vegan")];
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
    let after = questions_of(&owner, &event).await;
    assert_eq!(
        (&after[0]["id"], &after[1]["id"]),
        (&second["id"], &first["id"])
    );
}

async fn answers_to_a_question_that_is_gone_are_earlier_ones_and_stay(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let (event, guest) = asked(&owner).await;
    let number = json!({"label": "Diett", "field_type": "integer"});
    ask(&owner, &event, json!([number, text("Size")])).await;
    let expected = [("Size", "M"), ("Diett", "vegan")];
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
    // Correcting another answer leaves them alone.
    let change = json!({
        "id": event.id, "registration_id": guest, "answers": [{"label": "Size", "values": ["L"]}],
    });
    owner.ok::<UpdateRegistration>(change).await;
    let expected = [("Size", "L"), ("Diett", "vegan")];
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
    // A new question of the old words does not get them.
    ask(&owner, &event, json!([text("Size")])).await;
    ask(&owner, &event, json!([text("Size"), text("Diett")])).await;
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let earlier = &list["items"][0]["answers"][1];
    let new = &questions_of(&owner, &event).await[1];
    assert_ne!(earlier["field_id"], new["id"]);
}

async fn a_question_in_the_place_of_another_does_not_get_its_answers(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let (event, _) = asked(&owner).await;
    let [diet, size] = &questions_of(&owner, &event).await[..] else {
        panic!("there are two questions")
    };
    // A program that sends identities as far as it has them.
    ask(&owner, &event, json!([diet, text("Phone")])).await;
    let expected = [("Diett", "vegan"), ("Size", "M")];
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
    let after = questions_of(&owner, &event).await;
    assert_eq!(after[0]["id"], diet["id"]);
    assert_ne!(after[1]["id"], size["id"]);
    // The only question, as the site sends a row that was added.
    ask(&owner, &event, json!([diet])).await;
    let new = json!({"label": "Food", "field_type": "text", "id": "new"});
    ask(&owner, &event, json!([new])).await;
    let id = &questions_of(&owner, &event).await[0]["id"];
    assert!(*id != diet["id"] && *id != "new", "{id}");
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
}

async fn the_server_makes_identities_and_a_copy_keeps_them(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let mine = json!([{"label": "Diet", "field_type": "text", "id": "mine"}]);
    let event = owner.publish_new(json!({"custom_fields": mine})).await;
    let question = &questions_of(&owner, &event).await[0];
    assert_ne!(question["id"], "mine");
    let copy = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
    let copy = owner
        .ok::<muster_api::v1::bindings::GetMyEvent>(json!({"id": copy["id"]}))
        .await;
    assert_eq!(&copy["custom_fields"][0], question);
}

async fn what_was_stored_before_questions_had_identities_goes_on_working(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let (event, guest) = asked(&owner).await;
    let old = r#"[{"label":"Diett","field_type":"text","required":false,"options":[]},
        {"label":"Size","field_type":"text","required":false,"options":[]}]"#;
    app.update(&format!("events SET custom_fields = '{old}'"), &event.id)
        .await;
    let old = r#"[{"label":"Diett","values":["vegan"]},{"label":"Size","values":["M"]}]"#;
    let id = guest.as_str().unwrap();
    app.update(&format!("registrations SET answers = '{old}'"), id)
        .await;
    let expected = [("Diett", "vegan"), ("Size", "M")];
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
    ask(&owner, &event, json!([text("Diet"), text("Size")])).await;
    let expected = [("Diet", "vegan"), ("Size", "M")];
    assert_eq!(answers(&owner, &event).await, pairs(&expected));
}

async fn a_corrected_question_keeps_its_column_and_its_place_on_the_private_page(
    app: Arc<TestApp>,
) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let (event, _) = asked(&owner).await;
    ask(&owner, &event, json!([text("Diet"), text("Size")])).await;
    let path = format!("/me/events/{}/registrations.csv", event.id);
    let csv = app.http.get(&path).bearer(&account.key).send().await;
    let csv = String::from_utf8(csv.body.to_vec()).unwrap();
    assert!(csv.contains("Diet") && !csv.contains("Diett"), "{csv}");
    assert!(
        csv.contains("vegan") && !csv.contains("Diett: vegan"),
        "{csv}"
    );
    app.drain_jobs().await;
    let mail = app.mails().remove(0);
    let (_, link) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let link = link.split_whitespace().next().unwrap();
    let page = app
        .site
        .page(&format!("/registrations/{link}"))
        .send()
        .await;
    let html = page.html(200);
    let place = |words: &str| {
        html.find(words)
            .unwrap_or_else(|| panic!("no {words} in {html}"))
    };
    assert!(place(">Diet<") < place(">Size<"));
}

tests::on_every_surface!(
    a_corrected_question_keeps_its_answers,
    answers_to_a_question_that_is_gone_are_earlier_ones_and_stay,
    a_question_in_the_place_of_another_does_not_get_its_answers,
    the_server_makes_identities_and_a_copy_keeps_them,
);
tests::on_both_engines!(
    what_was_stored_before_questions_had_identities_goes_on_working,
    a_corrected_question_keeps_its_column_and_its_place_on_the_private_page,
);
