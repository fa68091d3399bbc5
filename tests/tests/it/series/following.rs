//! Changes of an event and of the dates after it.

use std::time::Duration;

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelEvent, GetMyEvent, ListRegistrations, RepeatEvent, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client};

use super::berlin;

/// A published event on Tuesdays in Berlin from 16 March 2027 on: the ids of so many dates.
async fn series(owner: &Client, dates: usize) -> Vec<Value> {
    let event = berlin(owner, json!({})).await;
    let request = json!({"id": event.id, "every": "week", "count": dates - 1, "is_public": true});
    let repeated = owner.ok::<RepeatEvent>(request).await;
    let items = repeated["items"].as_array().unwrap().iter();
    let later = items.map(|one| one["id"].clone());
    std::iter::once(json!(event.id)).chain(later).collect()
}

async fn detail(owner: &Client, id: &Value) -> Value {
    owner.ok::<GetMyEvent>(json!({"id": id})).await
}

async fn answers_follow_their_question_on_every_date(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let ids = series(&owner, 3).await;
    let question = |label: &str| json!({"label": label, "field_type": "text"});
    // Each date has the same question by itself, so with an identity of its own.
    for id in &ids {
        let ask = json!({"id": id, "custom_fields": [question("Diett")]});
        owner.ok::<UpdateEvent>(ask).await;
    }
    for (number, id) in ids.iter().enumerate() {
        let guest = json!({
            "id": id, "name": "Ada", "email": format!("ada{number}@example.org"),
            "answers": [{"label": "Diett", "values": ["vegan"]}],
        });
        owner.ok::<AddRegistration>(guest).await;
    }
    let mut renamed = detail(&owner, &ids[0]).await["custom_fields"][0].clone();
    renamed["label"] = json!("Diet");
    let change = json!({
        "id": ids[0], "scope": "following", "custom_fields": [renamed, question("Phone")],
    });
    owner.ok::<UpdateEvent>(change).await;
    let mut added = Vec::new();
    for id in &ids {
        let list = owner.ok::<ListRegistrations>(json!({"id": id})).await;
        let answer = &list["items"][0]["answers"][0];
        let fields = detail(&owner, id).await["custom_fields"].clone();
        assert_eq!(
            (&answer["label"], &answer["field_id"], &answer["values"]),
            (&json!("Diet"), &fields[0]["id"], &json!(["vegan"]))
        );
        added.push(fields[1]["id"].clone());
    }
    assert!(added.iter().all(|id| *id == added[0]), "{added:?}");
}

async fn what_is_wrong_on_a_later_date_names_it(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let ids = series(&owner, 3).await;
    for name in ["ada", "bo"] {
        let email = format!("{name}@example.org");
        let guest = json!({"id": ids[2], "name": name, "email": email});
        owner.ok::<AddRegistration>(guest).await;
    }
    let small = json!({"id": ids[0], "scope": "following", "max_capacity": 1});
    let refusal = owner.refused::<UpdateEvent>(small).await;
    assert_eq!(refusal.reason, Reason::CapacityTooLow);
    let words = "on 30 March 2027, max_capacity must be at least 2";
    assert!(refusal.message.contains(words), "{refusal:?}");
    // Five days later, the second one would be in the hour that clocks skip.
    let skipped = json!({"id": ids[0], "scope": "following", "start_date": "2027-03-21T02:30"});
    let refusal = owner.refused::<UpdateEvent>(skipped).await;
    refusal.blames(&["scope"]);
    let words = "must be \"this\", because on 23 March 2027 start_date must be a time that clocks";
    assert!(refusal.details[0].message.starts_with(words), "{refusal:?}");
    let first = detail(&owner, &ids[0]).await;
    assert_eq!(first["start_date"], "2027-03-16T18:00:00+01:00");
}

async fn the_mails_of_all_dates_are_refused_together(api: Api) {
    let owner = api.as_owner(&api.app().signed_up(Plan::Pro).await);
    let ids = series(&owner, 3).await;
    for (date, id) in ids.iter().enumerate().skip(1) {
        for number in 0..8 {
            let email = format!("guest{date}-{number}@example.org");
            let guest = json!({"id": id, "name": "Guest", "email": email});
            owner.ok::<AddRegistration>(guest).await;
        }
    }
    let moved = json!({"id": ids[0], "scope": "following", "location": "xHain"});
    let refusal = owner.refused::<UpdateEvent>(moved).await;
    assert_eq!(refusal.reason, Reason::RateLimited);
    assert!(
        refusal.message.contains("of which 4 are left"),
        "{refusal:?}"
    );
    assert!(refusal.message.contains("this needs 16"), "{refusal:?}");
    assert_eq!(detail(&owner, &ids[0]).await["location"], "c-base");
}

async fn dates_that_are_over_stay_and_those_of_the_same_start_follow(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let ids = series(&owner, 4).await;
    // The third one begins as the second one does.
    let moved = json!({"id": ids[2], "start_date": "2027-03-23T18:00"});
    owner.ok::<UpdateEvent>(moved).await;
    let (first, other) = if ids[1].as_str() < ids[2].as_str() {
        (&ids[1], &ids[2])
    } else {
        (&ids[2], &ids[1])
    };
    let renamed = json!({"id": first, "scope": "following", "title": "Rust Night"});
    owner.ok::<UpdateEvent>(renamed).await;
    for id in [first, other, &ids[3]] {
        assert_eq!(detail(&owner, id).await["title"], "Rust Night");
    }
    // 25 March 2027.
    api.advance(Duration::from_hours(69 * 24));
    let renamed = json!({"id": ids[0], "scope": "following", "title": "Rust Day"});
    let updated = owner.ok::<UpdateEvent>(renamed).await;
    assert_eq!(updated["events_updated"], 2);
    for (id, title) in [
        (&ids[0], "Rust Day"),
        (first, "Rust Night"),
        (&ids[3], "Rust Day"),
    ] {
        assert_eq!(detail(&owner, id).await["title"], title);
    }
    let cancel = json!({"id": ids[0], "scope": "following"});
    let cancelled = owner.ok::<CancelEvent>(cancel).await;
    assert_eq!(cancelled["events_cancelled"], 2);
    assert_eq!(detail(&owner, other).await["is_cancelled"], false);
}

tests::on_every_surface!(
    answers_follow_their_question_on_every_date,
    what_is_wrong_on_a_later_date_names_it,
    the_mails_of_all_dates_are_refused_together,
    dates_that_are_over_stay_and_those_of_the_same_start_follow,
);
