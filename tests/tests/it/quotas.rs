//! How many events may be active on each plan, and what GET /me says of it.

use std::time::Duration;

use core_service::domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        CancelEvent, CreateEvent, GetAccount, PublishEvent, UnpublishEvent, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, new_event};

async fn is_full(owner: &Client) -> bool {
    match owner.call::<CreateEvent>(new_event(json!({}))).await {
        Ok(_) => false,
        Err(refusal) => {
            assert_eq!(refusal.reason, Reason::QuotaExceeded);
            true
        }
    }
}

async fn usage(owner: &Client) -> [Value; 3] {
    let account = owner.ok::<GetAccount>(json!({})).await;
    ["active_events", "active_events_limit", "active_events_left"]
        .map(|field| account[field].clone())
}

async fn each_plan_allows_so_many_active_events(api: Api) {
    for (plan, quota) in [(Plan::Free, 3), (Plan::Premium, 25), (Plan::Pro, 100)] {
        let owner = api.owner(plan).await;
        for left in (1..=quota).rev() {
            assert_eq!(
                usage(&owner).await,
                [json!(quota - left), json!(quota), json!(left)]
            );
            assert!(!is_full(&owner).await);
        }
        assert_eq!(usage(&owner).await, [json!(quota), json!(quota), json!(0)]);
        let refusal = owner.refused::<CreateEvent>(new_event(json!({}))).await;
        assert_eq!(refusal.reason, Reason::QuotaExceeded);
        assert!(
            refusal.message.contains(&format!("{quota} active events")),
            "{refusal:?}"
        );
    }
}

async fn business_has_no_limit(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for _ in 0..101 {
        assert!(!is_full(&owner).await);
    }
    assert_eq!(usage(&owner).await, [json!(101), Value::Null, Value::Null]);
}

async fn drafts_count_and_what_is_cancelled_or_over_does_not(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let draft = owner.create(json!({})).await;
    let public = owner.publish_new(json!({})).await;
    let soon = owner
        .publish_new(json!({"start_date": "2027-01-15T13:00:00Z"}))
        .await;
    assert!(is_full(&owner).await);
    // Neither makes an event active.
    owner.ok::<PublishEvent>(json!({"id": draft.id})).await;
    owner.ok::<UnpublishEvent>(json!({"id": soon.id})).await;
    // What is over already needs no place.
    owner
        .create(json!({"start_date": "2026-05-01T18:00:00Z"}))
        .await;

    owner.ok::<CancelEvent>(json!({"id": public.id})).await;
    assert_eq!(usage(&owner).await[0], 2);
    assert!(!is_full(&owner).await);
    assert!(is_full(&owner).await);

    api.advance(Duration::from_hours(1));
    assert_eq!(usage(&owner).await[0], 2);
    assert!(!is_full(&owner).await);
    assert!(is_full(&owner).await);
}

async fn an_event_moved_from_the_past_into_the_future_counts(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let past = owner
        .create(json!({"start_date": "2026-05-01T18:00:00Z"}))
        .await;
    let active = owner.create(json!({})).await;
    for _ in 0..2 {
        owner.create(json!({})).await;
    }
    for later in [
        json!({"start_date": "2027-06-01T18:00:00Z"}),
        json!({"end_date": "2027-06-01T18:00:00Z"}),
    ] {
        let mut change = later;
        change["id"] = json!(past.id);
        let refusal = owner.refused::<UpdateEvent>(change).await;
        assert_eq!(refusal.reason, Reason::QuotaExceeded);
    }
    // Other changes are free, also where the quota is used up.
    owner
        .ok::<UpdateEvent>(json!({"id": past.id, "title": "Looking back"}))
        .await;
    owner
        .ok::<UpdateEvent>(json!({"id": active.id, "start_date": "2027-06-01T18:00:00Z"}))
        .await;
}

async fn a_smaller_plan_leaves_events_but_takes_no_more(api: Api) {
    let account = api.account(Plan::Premium).await;
    let owner = api.as_owner(&account);
    for _ in 0..5 {
        owner.create(json!({})).await;
    }
    api.core
        .use_cases()
        .accounts
        .set_plan(&account.email, Plan::Free)
        .await
        .unwrap();
    assert_eq!(usage(&owner).await, [json!(5), json!(3), json!(0)]);
    assert!(is_full(&owner).await);
    api.core
        .use_cases()
        .accounts
        .set_plan(&account.email, Plan::Pro)
        .await
        .unwrap();
    assert!(!is_full(&owner).await);
}

async fn quotas_are_each_accounts_own(api: Api) {
    let (ada, bob) = (api.owner(Plan::Free).await, api.owner(Plan::Free).await);
    for _ in 0..3 {
        assert!(!is_full(&ada).await);
    }
    assert!(is_full(&ada).await);
    assert!(!is_full(&bob).await);
}

async fn the_account_tells_about_itself(api: Api) {
    let account = api.account_in(Plan::Premium, Some("Europe/Berlin")).await;
    let told = api.as_owner(&account).ok::<GetAccount>(json!({})).await;
    let expected = json!({
        "id": account.id.to_string(), "email": account.email, "name": "Olga Owner", "plan": "premium", "is_paid": true,
        "active_events": 0, "active_events_limit": 25, "active_events_left": 25, "timezone": "Europe/Berlin",
    });
    assert_eq!(told, expected);
    for (plan, name, is_paid) in [
        (Plan::Free, "free", false),
        (Plan::Pro, "pro", true),
        (Plan::Business, "business", true),
    ] {
        let told = api.owner(plan).await.ok::<GetAccount>(json!({})).await;
        assert_eq!(
            (&told["plan"], &told["is_paid"]),
            (&json!(name), &json!(is_paid))
        );
        assert_eq!(told["timezone"], Value::Null);
    }
}

tests::on_every_surface!(
    each_plan_allows_so_many_active_events,
    business_has_no_limit,
    drafts_count_and_what_is_cancelled_or_over_does_not,
    an_event_moved_from_the_past_into_the_future_counts,
    a_smaller_plan_leaves_events_but_takes_no_more,
    quotas_are_each_accounts_own,
    the_account_tells_about_itself,
);
