use core_service::domain::plan::Plan;
use muster_api::v1::bindings::{CreateEvent, GetEvent};
use serde_json::json;
use tests::Api;

async fn an_event_is_created_and_read(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let created = owner
        .ok::<CreateEvent>(json!({
            "title": "Rust Meetup", "description": "Talks", "location": "Hall", "start_date": "2027-05-01T18:00:00+02:00",
            "is_public": true,
        }))
        .await;
    let event = api
        .anyone()
        .ok::<GetEvent>(json!({"slug": created["slug"]}))
        .await;
    assert_eq!(event["title"], "Rust Meetup");
}

tests::on_every_surface!(an_event_is_created_and_read);
