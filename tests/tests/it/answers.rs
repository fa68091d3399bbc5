//! Each answer as a whole, the same through HTTP and gRPC and on both databases.

use domain::{plan::Plan, registration::Status};
use muster_api::v1::bindings::{
    CancelEvent, CreateEvent, GetAccount, GetEvent, GetMyEvent, ListEvents, ListGuides,
    ListMyEvents, ListRegistrations, ListUseCases,
};
use serde_json::{Value, json};
use tests::Api;

/// The answer without what differs from run to run.
fn stable(answer: &Value, replaced: &[(&str, &str)]) -> Value {
    let mut text = answer.to_string();
    for (value, name) in replaced {
        text = text.replace(value, name);
    }
    serde_json::from_str(&text).unwrap()
}

async fn every_answer_is_as_it_always_was(api: Api) {
    let account = api.account_in(Plan::Premium, Some("Europe/Berlin")).await;
    let owner = api.as_owner(&account);
    let created = owner
        .ok::<CreateEvent>(json!({
            "title": "Rust Meetup Berlin",
            "description": "Two talks and an open table.\nNewcomers are welcome.",
            "location": "c-base, Rungestraße 20",
            "start_date": "2027-05-14T19:00",
            "end_date": "2027-05-14T20:00:00Z",
            "max_capacity": 80,
            "is_public": true,
            "city": "Berlin",
            "image_query": "crab on a keyboard",
            "custom_fields": [{"label": "T-shirt size", "field_type": "select", "options": ["S", "M", "L"]}],
        }))
        .await;
    let id = created["id"].as_str().unwrap();
    let statuses = [
        Status::Confirmed,
        Status::Pending,
        Status::Waitlisted,
        Status::Cancelled,
    ];
    let guests = api.register(id, &statuses).await;
    let event = json!({ "id": id });
    let answers = json!({
        "CreateEvent": created,
        "ListEvents": api.anyone().ok::<ListEvents>(json!({})).await,
        "GetEvent": api.anyone().ok::<GetEvent>(json!({"slug": created["slug"]})).await,
        "ListUseCases": api.anyone().ok::<ListUseCases>(json!({})).await[0],
        "ListGuides": api.anyone().ok::<ListGuides>(json!({})).await[0],
        "GetAccount": owner.ok::<GetAccount>(json!({})).await,
        "ListMyEvents": owner.ok::<ListMyEvents>(json!({})).await,
        "GetMyEvent": owner.ok::<GetMyEvent>(event.clone()).await,
        "ListRegistrations": owner.ok::<ListRegistrations>(event.clone()).await,
        "CancelEvent": owner.ok::<CancelEvent>(json!({"id": id, "reason": "The venue is flooded."})).await,
    });
    let account_id = account.id.to_string();
    let guests: Vec<String> = guests.iter().map(|guest| guest.id.to_string()).collect();
    let question = &answers["GetMyEvent"]["custom_fields"][0];
    let question_id = question["id"].as_str().unwrap();
    let mut replaced = vec![
        (question_id, "[question id]"),
        (id, "[event id]"),
        (&account_id, "[account id]"),
        (&account.email, "[email]"),
    ];
    replaced.extend(guests.iter().map(|id| (id.as_str(), "[registration id]")));
    insta::assert_json_snapshot!("answers", stable(&answers, &replaced));
}

tests::on_every_surface!(every_answer_is_as_it_always_was);
