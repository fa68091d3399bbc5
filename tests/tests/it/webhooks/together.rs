//! Messages to programs and to guests about parties and series.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::{AddRegistration, CheckIn, CreateMessage, RepeatEvent, UpdateEvent};
use serde_json::{Value, json};
use tests::{Received, Receiver, TestApp};

use super::{kinds, posted, subscribe, subscribed};

/// How long a message that is sent now can be cancelled.
const GRACE: Duration = Duration::from_mins(2);

fn data(received: &Received) -> Value {
    received.json()["data"].clone()
}

async fn a_party_is_one_message_and_one_mail_however_many_people_it_has(app: Arc<TestApp>) {
    let full = json!({"content": "full"});
    let (_, owner, receiver, _) = subscribed(&app, Plan::Pro, full).await;
    let event = json!({"max_capacity": 3, "max_party": 3});
    let event = owner.publish_new(event).await;
    for (name, size) in [("ada", 2), ("bo", 3)] {
        let guest = json!({
            "id": event.id, "name": name, "email": format!("{name}@example.org"), "party_size": size,
        });
        owner.ok::<AddRegistration>(guest).await;
    }
    posted(&app, &receiver).await;
    let more = json!({"id": event.id, "max_capacity": 5});
    owner.ok::<UpdateEvent>(more).await;
    let got = posted(&app, &receiver).await;
    assert_eq!(kinds(&got), ["event.updated", "registration.promoted"]);
    let party = data(&got[1])["registration"].clone();
    assert_eq!(
        (&party["name"], &party["party_size"]),
        (&json!("bo"), &json!(3))
    );
    let some = json!({"id": event.id, "registration_id": party["id"], "people": 2});
    owner.ok::<CheckIn>(some).await;
    let got = posted(&app, &receiver).await;
    assert_eq!(kinds(&got), ["registration.checked_in"]);
    assert_eq!(data(&got[0])["registration"]["people_checked_in"], 2);

    let message = json!({"id": event.id, "subject": "The door", "text": "It is in the yard."});
    owner.ok::<CreateMessage>(message).await;
    app.advance(GRACE);
    assert_eq!(kinds(&posted(&app, &receiver).await), ["message.sent"]);
    let mut mails = app.mails();
    mails.retain(|mail| mail.id.starts_with("message_mail."));
    let mut reached: Vec<String> = mails.into_iter().map(|mail| mail.to).collect();
    reached.sort();
    assert_eq!(reached, ["ada@example.org", "bo@example.org"]);
}

async fn a_series_begins_with_its_first_event_and_changes_date_by_date(app: Arc<TestApp>) {
    let (_, owner, receiver, _) = subscribed(&app, Plan::Pro, json!({})).await;
    let event = owner.publish_new(json!({})).await;
    let of_one = Receiver::start().await;
    subscribe(&owner, &of_one, json!({"event_id": event.id})).await;
    posted(&app, &receiver).await;
    of_one.taken();
    let weekly = json!({"id": event.id, "every": "week", "count": 2, "is_public": true});
    owner.ok::<RepeatEvent>(weekly.clone()).await;
    let got = posted(&app, &receiver).await;
    assert_eq!(
        kinds(&got),
        ["event.updated", "event.created", "event.created"]
    );
    let first = data(&got[0]);
    assert_eq!(
        (&first["event_id"], &first["changed"]),
        (&json!(event.id), &json!(["series_id"]))
    );
    assert_eq!(kinds(&of_one.taken()), ["event.updated"]);
    // One that is in a series already stays as it is.
    owner.ok::<RepeatEvent>(weekly).await;
    assert!(posted(&app, &receiver).await.is_empty());

    let all = json!({"id": event.id, "scope": "following", "title": "Another title"});
    owner.ok::<UpdateEvent>(all).await;
    let got = posted(&app, &receiver).await;
    assert_eq!(kinds(&got), ["event.updated"; 3]);
    assert!(
        got.iter()
            .all(|one| data(one)["changed"] == json!(["title"]))
    );
    assert_eq!(of_one.taken().len(), 1);
}

tests::on_both_engines!(
    a_party_is_one_message_and_one_mail_however_many_people_it_has,
    a_series_begins_with_its_first_event_and_changes_date_by_date,
);
