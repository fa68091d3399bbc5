//! Who registered: for the owner alone, and on a paid plan.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{CloneEvent, CreateEvent, ListRegistrations, UpdateEvent},
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, new_event};

const MISSING: &str = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

async fn refusal(client: &Client, id: &str) -> (Reason, String) {
    let refusal = client
        .refused::<ListRegistrations>(json!({ "id": id }))
        .await;
    (refusal.reason, refusal.message)
}

async fn ownership_is_decided_before_the_plan(api: Api) {
    let (free, paid) = (api.owner(Plan::Free).await, api.owner(Plan::Premium).await);
    let of_free = free.create(json!({})).await;
    let of_paid = paid.create(json!({})).await;

    let missing = refusal(&free, MISSING).await;
    assert_eq!(missing.0, Reason::NotFound);
    assert_eq!(refusal(&free, "no-uuid").await, missing);
    assert_eq!(refusal(&free, &of_paid.id).await, missing);
    assert_eq!(refusal(&paid, &of_free.id).await, missing);

    let (reason, message) = refusal(&free, &of_free.id).await;
    assert_eq!(reason, Reason::PlanRequired);
    assert!(message.contains("Premium, Pro or Business"), "{message}");
    paid.ok::<ListRegistrations>(json!({"id": of_paid.id}))
        .await;
}

async fn every_paid_plan_shows_registrations(api: Api) {
    for plan in [Plan::Premium, Plan::Pro, Plan::Business] {
        let owner = api.owner(plan).await;
        let event = owner.create(json!({})).await;
        let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
        assert_eq!(list, json!({"items": [], "count": 0, "next_cursor": null}));
    }
}

async fn a_change_of_plan_counts_at_once(api: Api) {
    let account = api.account(Plan::Free).await;
    let owner = api.as_owner(&account);
    let event = owner.create(json!({})).await;
    assert_eq!(refusal(&owner, &event.id).await.0, Reason::PlanRequired);
    api.core
        .use_cases()
        .accounts
        .set_plan(account.id, Plan::Pro)
        .await
        .unwrap();
    owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    api.core
        .use_cases()
        .accounts
        .set_plan(account.id, Plan::Free)
        .await
        .unwrap();
    assert_eq!(refusal(&owner, &event.id).await.0, Reason::PlanRequired);
}

async fn only_who_could_approve_may_ask_for_approval(api: Api) {
    let account = api.account(Plan::Premium).await;
    let owner = api.as_owner(&account);
    let asking = owner.create(json!({"requires_approval": true})).await;
    let plain = owner.create(json!({})).await;
    let accounts = &api.core.use_cases().accounts;
    accounts.set_plan(account.id, Plan::Free).await.unwrap();
    let set = |event: &Created, value: bool| json!({"id": event.id, "requires_approval": value});
    for refusal in [
        owner
            .refused::<CreateEvent>(new_event(json!({"requires_approval": true})))
            .await,
        owner.refused::<UpdateEvent>(set(&plain, true)).await,
        owner.refused::<CloneEvent>(json!({"id": asking.id})).await,
    ] {
        assert_eq!(refusal.reason, Reason::PlanRequired);
    }
    // What was set before stays, and is said again by forms.
    let mut again = set(&asking, true);
    again["title"] = json!("Another title");
    owner.ok::<UpdateEvent>(again).await;
    owner.ok::<UpdateEvent>(set(&plain, false)).await;
    owner.ok::<UpdateEvent>(set(&asking, false)).await;
    let refusal = owner.refused::<UpdateEvent>(set(&asking, true)).await;
    assert_eq!(refusal.reason, Reason::PlanRequired);
    // Whose event it is comes first.
    let stranger = api.owner(Plan::Free).await;
    let refusal = stranger.refused::<UpdateEvent>(set(&plain, true)).await;
    assert_eq!(refusal.reason, Reason::NotFound);
}

async fn registrations_are_listed_in_the_order_of_registering(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({})).await;
    for statuses in [
        [Status::Confirmed, Status::Cancelled],
        [Status::Waitlisted, Status::Pending],
    ] {
        api.register(&event.id, &statuses).await;
        api.advance(Duration::from_mins(1));
    }
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let rows = api.registrations(&event.id).await;
    let guest = |number: usize, at: &str, status: &str| {
        json!({
            "name": format!("Guest {number}"), "email": format!("guest-{number}@example.org"), "registered_at": at,
            "status": status, "checked_in": false, "id": rows[number - 1].id.to_string(), "answers": [],
            "awaits": (status == "Pending").then_some("approval"),
            "checked_in_at": null, "checked_in_by": null, "was_checked_in": null, "mail_failed_at": null, "mail_problem": null,
            "party_size": 1, "companions": [], "people_checked_in": 0,
        })
    };
    let expected = json!({
        "items": [
            guest(1, "2027-01-15T12:00:00Z", "Confirmed"),
            guest(2, "2027-01-15T12:00:00Z", "Cancelled"),
            guest(3, "2027-01-15T12:01:00Z", "Waitlisted"),
            guest(4, "2027-01-15T12:01:00Z", "Pending"),
        ],
        "count": 4,
        "next_cursor": null,
    });
    assert_eq!(list, expected);
}

async fn who_awaits_approval_may_come_first(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({})).await;
    let statuses = [
        Status::Confirmed,
        Status::Pending,
        Status::Waitlisted,
        Status::Pending,
    ];
    api.register(&event.id, &statuses).await;
    let mut cursor = Value::Null;
    for page in [["Guest 2", "Guest 4"], ["Guest 1", "Guest 3"]] {
        let mut query = json!({"id": event.id, "approval_first": true, "limit": 2});
        if !cursor.is_null() {
            query["cursor"] = cursor;
        }
        let list = owner.ok::<ListRegistrations>(query).await;
        assert_eq!([0, 1].map(|item| list["items"][item]["name"].clone()), page);
        assert_eq!(list["count"], 4);
        cursor = list["next_cursor"].clone();
    }
    assert!(cursor.is_null());
}

async fn times_are_in_utc_whatever_the_events_zone(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({"timezone": "Asia/Tokyo"})).await;
    api.register(&event.id, &[Status::Confirmed]).await;
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(list["items"][0]["registered_at"], "2027-01-15T12:00:00Z");
}

async fn a_list_has_1_to_200_registrations_and_counts_the_rest(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({})).await;
    api.register(&event.id, &[Status::Confirmed; 201]).await;
    for (limit, items) in [(None, 50), (Some(1), 1), (Some(200), 200)] {
        let mut query = json!({"id": event.id});
        if let Some(limit) = limit {
            query["limit"] = json!(limit);
        }
        let list = owner.ok::<ListRegistrations>(query).await;
        let names: Vec<&Value> = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| &item["name"])
            .collect();
        assert_eq!(names.len(), items);
        assert_eq!(names[0], "Guest 1");
        assert_eq!(list["count"], 201);
    }
    for limit in [0, -1, 201, i32::MAX] {
        let refusal = owner
            .refused::<ListRegistrations>(json!({"id": event.id, "limit": limit}))
            .await;
        refusal.blames(&["limit"]);
        assert!(refusal.message.contains("1 to 200"), "{refusal:?}");
    }
}

tests::on_every_surface!(
    ownership_is_decided_before_the_plan,
    every_paid_plan_shows_registrations,
    a_change_of_plan_counts_at_once,
    only_who_could_approve_may_ask_for_approval,
    registrations_are_listed_in_the_order_of_registering,
    who_awaits_approval_may_come_first,
    times_are_in_utc_whatever_the_events_zone,
    a_list_has_1_to_200_registrations_and_counts_the_rest,
);
