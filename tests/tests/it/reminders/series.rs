//! Reminders and messages of an event that is repeated: each date has its own.

use std::sync::Arc;

use muster_api::v1::bindings::{
    CancelEvent, CreateMessage, GetMessage, RegisterAttendee, RepeatEvent, UpdateEvent,
};
use serde_json::{Value, json};
use tests::TestApp;

use super::Scene;

/// An event and two later dates of it, a week apart: those two.
async fn repeated(app: Arc<TestApp>) -> (Scene, [Value; 2]) {
    let scene = Scene::set(app, json!({}), &["ada"]).await;
    let request = json!({"id": scene.event.id, "every": "week", "count": 2, "is_public": true});
    let repeated = scene.owner.ok::<RepeatEvent>(request).await;
    let items = &repeated["items"];
    let later = [0, 1].map(|index| items[index].clone());
    for (date, name) in later.iter().zip(["bob", "cy"]) {
        let email = format!("{name}@example.org");
        let guest = json!({"slug": date["slug"], "name": name, "email": email});
        let anyone = scene.app.over(tests::Surface::Http).anyone();
        anyone.ok::<RegisterAttendee>(guest).await;
    }
    scene.app.drain_jobs().await;
    (scene, later)
}

async fn each_date_has_a_reminder_of_its_own(app: Arc<TestApp>) {
    let (scene, _) = repeated(app).await;
    let expected = [
        "2027-01-19T18:00:00Z",
        "2027-01-26T18:00:00Z",
        "2027-02-02T18:00:00Z",
    ];
    assert_eq!(scene.waiting().await, expected);
    scene.pass_until(expected[0]);
    assert_eq!(scene.reminded().await, ["ada"]);
    scene.pass_until(expected[1]);
    assert_eq!(scene.reminded().await, ["ada", "bob"]);
    assert_eq!(scene.waiting().await, expected[2..]);
}

async fn a_change_of_the_dates_that_follow_moves_and_replaces_reminders(app: Arc<TestApp>) {
    let (scene, [second, _]) = repeated(app).await;
    let following = async |fields: Value| {
        let mut change = json!({"id": second["id"], "scope": "following"});
        let fields = fields.as_object().unwrap().clone();
        change.as_object_mut().unwrap().extend(fields);
        scene.owner.ok::<UpdateEvent>(change).await;
        scene.waiting().await
    };
    let moved = following(json!({"start_date": "2027-01-28T19:00:00Z"})).await;
    let expected = [
        "2027-01-19T18:00:00Z",
        "2027-01-27T19:00:00Z",
        "2027-02-03T19:00:00Z",
    ];
    assert_eq!(moved, expected);
    let replaced = following(json!({"reminders": [48]})).await;
    let expected = [
        "2027-01-19T18:00:00Z",
        "2027-01-26T19:00:00Z",
        "2027-02-02T19:00:00Z",
    ];
    assert_eq!(replaced, expected);
    scene.pass_until(expected[0]);
    assert_eq!(scene.reminded().await, ["ada"]);
    scene.pass_until(expected[1]);
    assert_eq!(scene.reminded().await, ["ada", "bob"]);
}

async fn a_cancelled_rest_of_a_series_has_no_reminders(app: Arc<TestApp>) {
    let (scene, [second, _]) = repeated(app).await;
    let rest = json!({"id": second["id"], "scope": "following"});
    scene.owner.ok::<CancelEvent>(rest).await;
    let left = ["2027-01-19T18:00:00Z"];
    assert_eq!(scene.waiting().await, left);
    scene.pass_until(left[0]);
    assert_eq!(scene.reminded().await, ["ada"]);
    scene.pass_until("2027-02-02T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada"]);
}

async fn messages_follow_the_dates_that_they_are_of(app: Arc<TestApp>) {
    let (scene, [second, third]) = repeated(app).await;
    let first = json!({"id": scene.event.id});
    let mut messages = Vec::new();
    for date in [&first, &second, &third] {
        let new = json!({
            "id": date["id"], "subject": "How to find the door", "text": "In the yard.", "hours_before_start": 48,
        });
        let message = scene.owner.ok::<CreateMessage>(new).await;
        messages.push(json!({"id": date["id"], "message_id": message["id"]}));
    }
    let shown = async |name: &str| {
        let mut values = Vec::new();
        for message in &messages {
            let message = scene.owner.ok::<GetMessage>(message.clone()).await;
            values.push(message[name].clone());
        }
        values
    };
    let moved =
        json!({"id": second["id"], "scope": "following", "start_date": "2027-01-28T19:00:00Z"});
    scene.owner.ok::<UpdateEvent>(moved).await;
    let expected = [
        "2027-01-18T18:00:00Z",
        "2027-01-26T19:00:00Z",
        "2027-02-02T19:00:00Z",
    ];
    assert_eq!(shown("send_at").await, expected);
    let rest = json!({"id": second["id"], "scope": "following"});
    scene.owner.ok::<CancelEvent>(rest).await;
    let expected = ["scheduled", "stopped", "stopped"];
    assert_eq!(shown("state").await, expected);
}

tests::on_both_engines!(
    each_date_has_a_reminder_of_its_own,
    a_change_of_the_dates_that_follow_moves_and_replaces_reminders,
    a_cancelled_rest_of_a_series_has_no_reminders,
    messages_follow_the_dates_that_they_are_of,
);
