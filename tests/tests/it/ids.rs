//! Ids that lead nowhere: malformed, missing and foreign ones are told alike.

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        CancelEvent, CloneEvent, DeleteEvent, GetMyEvent, ListRegistrations, PublishEvent,
        UnpublishEvent, UpdateEvent,
    },
};
use serde_json::json;
use tests::{Api, Client, Refusal};

const MISSING: &str = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

/// What each operation that takes an id says to this one.
async fn refusals(client: &Client, id: &str) -> [Refusal; 8] {
    let id = json!({ "id": id });
    let mut change = id.clone();
    change["title"] = json!("Mine now");
    [
        client.refused::<GetMyEvent>(id.clone()).await,
        client.refused::<UpdateEvent>(change).await,
        client.refused::<PublishEvent>(id.clone()).await,
        client.refused::<UnpublishEvent>(id.clone()).await,
        client.refused::<CancelEvent>(id.clone()).await,
        client.refused::<CloneEvent>(id.clone()).await,
        client.refused::<DeleteEvent>(id.clone()).await,
        client.refused::<ListRegistrations>(id).await,
    ]
}

async fn what_is_no_uuid_is_not_found(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let missing = refusals(&owner, MISSING).await;
    for refusal in &missing {
        assert_eq!(refusal.reason, Reason::NotFound);
        assert_eq!(refusal.message, "there is no such event");
        assert_eq!(refusal.details, []);
    }
    for id in [
        "x",
        "0",
        "-1",
        "null",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3",
        "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3dd",
        "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3g",
        "0197a3c55d0f7c3e9d520f6d8a1b2c3d",
        "{0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d}",
        "urn:uuid:0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d",
        " 0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d",
        "../events",
        "a/b",
        "%",
        "\u{0}",
        "\u{1f389}",
        "' OR 1=1 --",
        &"x".repeat(2_000),
    ] {
        assert_eq!(refusals(&owner, id).await, missing, "{id:?}");
    }
}

async fn a_foreign_event_is_told_like_one_that_is_not_there(api: Api) {
    let (ada, bob) = (
        api.owner(Plan::Premium).await,
        api.owner(Plan::Premium).await,
    );
    let missing = refusals(&bob, MISSING).await;
    for is_public in [false, true] {
        let event = ada.create(json!({ "is_public": is_public })).await;
        let before = ada.detail(&event).await;
        assert_eq!(refusals(&bob, &event.id).await, missing);
        assert_eq!(ada.detail(&event).await, before);
        ada.ok::<CancelEvent>(json!({"id": event.id})).await;
        assert_eq!(refusals(&bob, &event.id).await, missing);
    }
}

async fn a_slug_is_no_id_and_an_id_is_no_slug(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    let missing = refusals(&owner, MISSING).await;
    assert_eq!(refusals(&owner, &event.slug).await, missing);
    let by_id = json!({"slug": event.id});
    let refusal = api
        .anyone()
        .refused::<muster_api::v1::bindings::GetEvent>(by_id)
        .await;
    assert_eq!(refusal.reason, Reason::NotFound);
}

async fn an_id_may_be_written_in_capitals(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({})).await;
    let detail = owner
        .ok::<GetMyEvent>(json!({"id": event.id.to_uppercase()}))
        .await;
    assert_eq!(detail, owner.detail(&event).await);
}

tests::on_every_surface!(
    what_is_no_uuid_is_not_found,
    a_foreign_event_is_told_like_one_that_is_not_there,
    a_slug_is_no_id_and_an_id_is_no_slug,
    an_id_may_be_written_in_capitals,
);
