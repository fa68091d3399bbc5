//! `Idempotency-Key`: a repeated call is answered like the first and does nothing more.

mod broken;
mod kept;
mod under_way;

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, ApproveRegistration, CancelEvent, CancelRegistration, CheckIn,
        CreateEvent, ListMyEvents, PublishEvent, UndoCheckIn, UnpublishEvent, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, new_event};

/// How many events the caller has.
pub(crate) async fn events_of(owner: &Client) -> Value {
    let mut mine = owner.ok::<ListMyEvents>(json!({"status": "all"})).await;
    mine["count"].take()
}

pub(crate) fn guest(name: &str) -> Value {
    json!({"name": name, "email": format!("{name}@example.org")})
}

/// With the event's id, and the registration's if there is one.
fn of(event: &str, registration: Option<&Value>, mut fields: Value) -> Value {
    fields["id"] = event.into();
    if let Some(registration) = registration {
        fields["registration_id"] = registration.clone();
    }
    fields
}

/// Calls a write twice under a key and once without; answers what it was answered under the key.
macro_rules! twice {
    ($rpc:ty, $owner:expr, $key:literal, $request:expr) => {{
        let keyed = $owner.under($key);
        let first = keyed.ok::<$rpc>($request).await;
        assert_eq!(keyed.ok::<$rpc>($request).await, first, $key);
        first
    }};
}

async fn every_write_of_an_organizer_is_done_once(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let created = twice!(CreateEvent, owner, "create", new_event(json!({})));
    assert_eq!(events_of(&owner).await, 1);
    let id = created["id"].as_str().unwrap();
    let event = || of(id, None, json!({}));
    twice!(PublishEvent, owner, "publish", event());
    twice!(UnpublishEvent, owner, "unpublish", event());
    // Not a draft any more since, and not published by what only repeats an earlier answer.
    let repeated = owner.under("publish").ok::<PublishEvent>(event()).await;
    assert_eq!(repeated["is_published"], true);
    let now = owner
        .ok::<UpdateEvent>(of(id, None, json!({"city": "Berlin"})))
        .await;
    assert_eq!(now["is_published"], false);
    let patch = || {
        of(
            id,
            None,
            json!({"max_capacity": 2, "requires_approval": true}),
        )
    };
    twice!(UpdateEvent, owner, "update", patch());
    owner.ok::<PublishEvent>(event()).await;

    let add = || of(id, None, guest("ada"));
    let added = twice!(AddRegistration, owner, "add", add());
    let ada = || of(id, Some(&added["id"]), json!({}));
    twice!(ApproveRegistration, owner, "approve", ada());
    twice!(CheckIn, owner, "check-in", ada());
    let undone = twice!(UndoCheckIn, owner, "undo", ada());
    assert_eq!(undone["checked_in"], false);
    let checked_in = owner.under("check-in").ok::<CheckIn>(ada()).await;
    assert_eq!(checked_in["checked_in"], true);
    twice!(CancelRegistration, owner, "cancel-one", ada());
    // Without its key the address would be registered anew by now.
    assert_eq!(owner.under("add").ok::<AddRegistration>(add()).await, added);

    owner
        .ok::<AddRegistration>(of(id, None, guest("bob")))
        .await;
    let cancelled = twice!(CancelEvent, owner, "cancel", event());
    assert_eq!(cancelled["registrants_notified"], 1);
    let without = owner.ok::<CancelEvent>(event()).await;
    assert_eq!(without["registrants_notified"], 0);
}

async fn a_key_is_for_one_request_of_one_account(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let keyed = owner.under("k");
    let created = keyed.ok::<CreateEvent>(new_event(json!({}))).await;
    let others = new_event(json!({"title": "Another"}));
    let refusal = keyed.refused::<CreateEvent>(others).await;
    assert_eq!(refusal.reason, Reason::IdempotencyKeyReused);
    let id = created["id"].as_str().unwrap();
    let refusal = keyed.refused::<PublishEvent>(of(id, None, json!({}))).await;
    assert_eq!(refusal.reason, Reason::IdempotencyKeyReused);
    assert_eq!(events_of(&owner).await, 1);

    let neighbour = api.owner(Plan::Business).await.under("k");
    let theirs = neighbour.ok::<CreateEvent>(new_event(json!({}))).await;
    assert_ne!(theirs["id"], created["id"]);
}

async fn a_refusal_is_an_answer_too(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let limit = 3;
    let mut ids = Vec::new();
    for _ in 0..limit {
        ids.push(owner.create(json!({})).await.id);
    }
    let create = || new_event(json!({}));
    let keyed = owner.under("one-too-many");
    let refusal = keyed.refused::<CreateEvent>(create()).await;
    assert_eq!(refusal.reason, Reason::QuotaExceeded);
    owner.ok::<CancelEvent>(of(&ids[0], None, json!({}))).await;
    assert_eq!(keyed.refused::<CreateEvent>(create()).await, refusal);
    owner.under("another-key").ok::<CreateEvent>(create()).await;

    let unpaid = of(&ids[1], Some(&json!(ids[1])), json!({}));
    let keyed = owner.under("paid-only");
    let refusal = keyed.refused::<CheckIn>(unpaid.clone()).await;
    assert_eq!(refusal.reason, Reason::PlanRequired);
    assert_eq!(keyed.refused::<CheckIn>(unpaid).await, refusal);
}

async fn what_was_not_decided_may_come_again(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let keyed = owner.under("k");
    keyed
        .refused::<CreateEvent>(new_event(json!({"title": "x"})))
        .await
        .blames(&["title"]);
    // Decided by the clock and not by the form, but no less invalid.
    let past = new_event(json!({"start_date": "2020-01-01T00:00:00Z", "is_public": true}));
    let refusal = keyed.refused::<CreateEvent>(past).await;
    assert_ne!(refusal.reason, Reason::IdempotencyKeyReused);
    let stranger = api.with_key("mk_unknown").under("k");
    let refusal = stranger.refused::<CreateEvent>(new_event(json!({}))).await;
    assert_eq!(refusal.reason, Reason::Unauthorized);
    keyed.ok::<CreateEvent>(new_event(json!({}))).await;
    assert_eq!(events_of(&owner).await, 1);
}

async fn a_malformed_key_is_refused(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let longest = "~".repeat(255);
    owner
        .under(&longest)
        .ok::<CreateEvent>(new_event(json!({})))
        .await;
    for key in ["", "a key", &"x".repeat(256)] {
        let refusal = owner
            .under(key)
            .refused::<CreateEvent>(new_event(json!({})))
            .await;
        assert_eq!(refusal.reason, Reason::InvalidRequest, "{key:?}");
        let field = refusal.fields()[0].to_lowercase();
        assert!(field.contains("idempotency-key"), "{refusal:?}");
    }
    // Reads take none, and do not look at it.
    owner.under("a key").ok::<ListMyEvents>(json!({})).await;
    assert_eq!(events_of(&owner).await, 1);
}

tests::on_every_surface!(
    every_write_of_an_organizer_is_done_once,
    a_key_is_for_one_request_of_one_account,
    a_refusal_is_an_answer_too,
    what_was_not_decided_may_come_again,
    a_malformed_key_is_refused,
);
