//! How many events may be active on each plan, and what GET /me says of it.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelEvent, CreateEvent, GetAccount, PublishEvent, RegisterAttendee,
        UnpublishEvent, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Refusal, new_event};

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
        .set_plan(account.id, Plan::Free)
        .await
        .unwrap();
    assert_eq!(usage(&owner).await, [json!(5), json!(3), json!(0)]);
    assert!(is_full(&owner).await);
    api.core
        .use_cases()
        .accounts
        .set_plan(account.id, Plan::Pro)
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
    let mut told = api.as_owner(&account).ok::<GetAccount>(json!({})).await;
    // Tools leave out what is null: the account has no public page.
    told.as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    let expected = json!({
        "id": account.id.to_string(), "email": account.email, "name": "Olga Owner", "plan": "premium", "is_paid": true,
        "active_events": 0, "active_events_limit": 25, "active_events_left": 25, "timezone": "Europe/Berlin",
        "daily_mails_limit": 10_000, "daily_mails_left": 10_000,
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

/// What a refusal says of the daily mails.
fn names_daily_mails(refusal: &Refusal) {
    assert_eq!(refusal.reason, Reason::RateLimited, "{refusal:?}");
    let details = refusal.details.iter();
    let mut told = refusal.message.clone();
    told.extend(details.flat_map(|one| [&*one.field, " ", &*one.message].map(str::to_owned)));
    for part in ["daily_mails", "500", "2027-01-16T00:00:00Z"] {
        assert!(told.contains(part), "{part} in {refusal:?}");
    }
}

async fn mails_that_nobody_asked_for_are_counted_by_day(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let mut events = Vec::new();
    for _ in 0..2 {
        let event = owner.publish_new(json!({})).await;
        let guests = [Status::Confirmed; 250];
        api.register(&event.id, &guests).await;
        events.push(event);
    }
    let left = async || {
        let account = owner.ok::<GetAccount>(json!({})).await;
        let fields = ["daily_mails_limit", "daily_mails_left"];
        fields.map(|field| account[field].clone())
    };
    assert_eq!(left().await, [500, 500]);
    let moved = |event: &Created| json!({"id": event.id, "title": "Moved", "location": "xHain"});
    owner.ok::<UpdateEvent>(moved(&events[0])).await;
    let person = |name: &str| json!({"id": events[1].id, "name": name, "email": format!("{name}@example.org")});
    owner.ok::<AddRegistration>(person("ada")).await;
    assert_eq!(left().await, [500, 249]);

    // One more than is left.
    let before = owner.detail(&events[1]).await;
    names_daily_mails(&owner.refused::<UpdateEvent>(moved(&events[1])).await);
    assert_eq!(owner.detail(&events[1]).await, before);
    for number in 0..249 {
        owner
            .ok::<AddRegistration>(person(&format!("guest{number}")))
            .await;
    }
    names_daily_mails(&owner.refused::<AddRegistration>(person("bob")).await);
    // What needs no such mail is not refused.
    let renamed = json!({"id": events[1].id, "title": "Renamed"});
    owner.ok::<UpdateEvent>(renamed).await;
    owner.ok::<CancelEvent>(json!({"id": events[0].id})).await;

    api.advance(Duration::from_hours(12));
    assert_eq!(left().await, [500, 500]);
    owner.ok::<AddRegistration>(person("bob")).await;
}

async fn a_new_account_mails_few_people_who_did_not_register_themselves(api: Api) {
    let owner = api.as_owner(&api.app().signed_up(Plan::Pro).await);
    let event = owner.publish_new(json!({})).await;
    let person =
        |name: &str| json!({"id": event.id, "name": name, "email": format!("{name}@example.org")});
    for number in 0..20 {
        let name = format!("guest{number}");
        owner.ok::<AddRegistration>(person(&name)).await;
    }
    let refusal = owner.refused::<AddRegistration>(person("late")).await;
    assert_eq!(refusal.reason, Reason::RateLimited, "{refusal:?}");
    let message = &refusal.message;
    for part in [
        "of which 0 are left until 2027-01-16T00:00:00Z",
        "20 people have registered themselves",
        "the operator trusts the account",
    ] {
        assert!(message.contains(part), "{part} in {refusal:?}");
    }
    // Those of tools are in the message.
    if let Some(detail) = refusal.details.first() {
        assert_eq!(detail.field, "new_account_mails");
        assert!(
            detail.message.contains("may mail 20 people a day"),
            "{refusal:?}"
        );
    }

    // Cancelling goes on, and says who is not told.
    let one = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    api.anyone().ok::<RegisterAttendee>(one).await;
    let detail = owner.detail(&event).await;
    assert_eq!(detail["registrations_active"], 21);
    let cancelled = owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert_eq!(cancelled["registrants_notified"], 1);
    assert_eq!(cancelled["added_not_notified"], 20);
}

tests::on_every_surface!(
    a_new_account_mails_few_people_who_did_not_register_themselves,
    each_plan_allows_so_many_active_events,
    business_has_no_limit,
    drafts_count_and_what_is_cancelled_or_over_does_not,
    an_event_moved_from_the_past_into_the_future_counts,
    a_smaller_plan_leaves_events_but_takes_no_more,
    quotas_are_each_accounts_own,
    the_account_tells_about_itself,
    mails_that_nobody_asked_for_are_counted_by_day,
);
