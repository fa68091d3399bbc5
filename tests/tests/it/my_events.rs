//! The caller's own events, in short and in full.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{CancelEvent, GetMyEvent, ListMyEvents},
};
use serde_json::{Value, json};
use tests::{Api, Client};

/// The titles in a list, and its count.
async fn titles(owner: &Client, query: Value) -> (Vec<String>, Value) {
    let list = owner.ok::<ListMyEvents>(query).await;
    let items = list["items"].as_array().unwrap().iter();
    let titles = items.map(|item| item["title"].as_str().unwrap().to_owned());
    (titles.collect(), list["count"].clone())
}

/// An event in each state: active ones, past ones, and cancelled ones that are past or not.
async fn one_of_each(api: &Api, owner: &Client) {
    for (title, start, is_public) in [
        ("draft", "2027-03-01T12:00:00Z", false),
        ("public", "2027-04-01T12:00:00Z", true),
        ("ended", "2027-01-15T13:00:00Z", true),
        ("ended draft", "2026-01-01T12:00:00Z", false),
    ] {
        owner
            .create(json!({"title": title, "start_date": start, "is_public": is_public}))
            .await;
    }
    for (title, start) in [
        ("cancelled", "2027-02-01T12:00:00Z"),
        ("cancelled and ended", "2027-01-15T12:30:00Z"),
    ] {
        let event = owner
            .create(json!({"title": title, "start_date": start}))
            .await;
        owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    }
    let under_way = json!({
        "title": "under way", "start_date": "2027-01-15T13:30:00Z", "end_date": "2027-01-31T12:00:00Z",
    });
    owner.create(under_way).await;
    api.advance(Duration::from_hours(2));
}

async fn active_events_are_listed_next_first_and_others_latest_first(api: Api) {
    let owner = api.owner(Plan::Business).await;
    one_of_each(&api, &owner).await;
    let active = ["under way", "draft", "public"].as_slice();
    let past = ["ended", "cancelled and ended", "ended draft"].as_slice();
    let all = [
        "public",
        "draft",
        "cancelled",
        "under way",
        "ended",
        "cancelled and ended",
        "ended draft",
    ]
    .as_slice();
    for (query, expected) in [
        (json!({}), active),
        (json!({"status": "active"}), active),
        (json!({"status": "past"}), past),
        (json!({"status": "all"}), all),
    ] {
        let (found, count) = titles(&owner, query).await;
        assert_eq!(found, expected);
        assert_eq!(count, expected.len());
    }
    for wrong in ["", "Active", "cancelled", "all "] {
        let refusal = owner
            .refused::<ListMyEvents>(json!({ "status": wrong }))
            .await;
        refusal.blames(&["status"]);
        assert!(refusal.message.contains("active, past, all"), "{refusal:?}");
    }
}

async fn a_list_has_1_to_100_events_and_counts_the_rest(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for day in 1..=22 {
        let start = format!("2027-03-{day:02}T12:00:00Z");
        owner
            .create(json!({"title": format!("Day {day}"), "start_date": start}))
            .await;
    }
    for (query, items) in [
        (json!({}), 20),
        (json!({"limit": 1}), 1),
        (json!({"limit": 100}), 22),
        (json!({"limit": 100, "status": "all"}), 22),
    ] {
        let first = if query["status"] == "all" {
            "Day 22"
        } else {
            "Day 1"
        };
        let (found, count) = titles(&owner, query).await;
        assert_eq!(found.len(), items);
        assert_eq!(found[0], first);
        assert_eq!(count, 22);
    }
    for limit in [0, -1, 101, i32::MAX] {
        let refusal = owner
            .refused::<ListMyEvents>(json!({ "limit": limit }))
            .await;
        refusal.blames(&["limit"]);
        assert!(refusal.message.contains("1 to 100"), "{refusal:?}");
    }
}

async fn nobody_sees_the_events_of_others(api: Api) {
    let (ada, bob) = (api.owner(Plan::Free).await, api.owner(Plan::Business).await);
    let event = ada.publish_new(json!({})).await;
    assert_eq!(
        titles(&bob, json!({"status": "all"})).await,
        (vec![], json!(0))
    );
    let foreign = bob.refused::<GetMyEvent>(json!({"id": event.id})).await;
    let missing = json!({"id": "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d"});
    assert_eq!(foreign.reason, Reason::NotFound);
    assert_eq!(foreign, bob.refused::<GetMyEvent>(missing).await);
    assert_eq!(titles(&ada, json!({})).await.1, 1);
}

async fn registrations_are_counted_by_what_they_are(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({"max_capacity": 2})).await;
    let counts = async || {
        let list = owner.ok::<ListMyEvents>(json!({})).await;
        let detail = owner.detail(&event).await;
        let counts = [
            "registrations_total",
            "registrations_confirmed",
            "registrations_active",
        ]
        .map(|field| detail[field].as_i64().unwrap());
        (
            list["items"][0]["registration_count"].as_i64().unwrap(),
            counts,
        )
    };
    assert_eq!(counts().await, (0, [0, 0, 0]));
    let statuses = [
        Status::Confirmed,
        Status::Cancelled,
        Status::Pending,
        Status::Confirmed,
        Status::Waitlisted,
        Status::Cancelled,
    ];
    api.register(&event.id, &statuses).await;
    assert_eq!(counts().await, (4, [6, 2, 4]));
}

async fn a_cancelled_event_says_so(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let list = owner.ok::<ListMyEvents>(json!({"status": "all"})).await;
    for answer in [&list["items"][0], &owner.detail(&event).await] {
        assert_eq!(answer["is_cancelled"], true);
        assert_eq!(answer["is_published"], true);
    }
}

tests::on_every_surface!(
    active_events_are_listed_next_first_and_others_latest_first,
    a_list_has_1_to_100_events_and_counts_the_rest,
    nobody_sees_the_events_of_others,
    registrations_are_counted_by_what_they_are,
    a_cancelled_event_says_so,
);
