//! Publishing and taking back: both may be repeated, neither touches what is over or cancelled.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{CancelEvent, GetEvent, PublishEvent, UnpublishEvent},
};
use serde_json::json;
use tests::Api;

async fn publishing_answers_the_event_and_may_be_repeated(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    let mut expected = owner.detail(&event).await;
    expected["is_published"] = json!(true);
    for _ in 0..2 {
        let published = owner.ok::<PublishEvent>(json!({"id": event.id})).await;
        assert_eq!(published, expected);
    }
    assert_eq!(
        api.audit(&event.id).await.len(),
        2,
        "created and published once"
    );
}

async fn unpublishing_keeps_registrations_and_may_be_repeated(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Confirmed, Status::Pending])
        .await;
    let mut expected = owner.detail(&event).await;
    expected["is_published"] = json!(false);
    for _ in 0..2 {
        let draft = owner.ok::<UnpublishEvent>(json!({"id": event.id})).await;
        assert_eq!(draft, expected);
    }
    assert_eq!(expected["registrations_active"], 2);
    assert_eq!(api.cancellation_mails().await, []);
    let slug = json!({"slug": event.slug});
    assert_eq!(
        api.anyone().refused::<GetEvent>(slug).await.reason,
        Reason::NotFound
    );
}

async fn an_ended_event_is_not_published_but_may_be_taken_back(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let soon = json!({"start_date": "2027-01-15T13:00:00Z"});
    let draft = owner.create(soon.clone()).await;
    let public = owner.publish_new(soon).await;
    api.advance(Duration::from_hours(1));
    for event in [&draft, &public] {
        let refusal = owner.refused::<PublishEvent>(json!({"id": event.id})).await;
        assert_eq!(refusal.reason, Reason::EventEnded);
    }
    let taken_back = owner.ok::<UnpublishEvent>(json!({"id": public.id})).await;
    assert_eq!(taken_back["is_published"], false);
}

async fn a_cancelled_event_is_neither_published_nor_taken_back(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for is_public in [false, true] {
        let event = owner.create(json!({ "is_public": is_public })).await;
        owner.ok::<CancelEvent>(json!({"id": event.id})).await;
        let published = owner.refused::<PublishEvent>(json!({"id": event.id})).await;
        assert_eq!(published.reason, Reason::EventCancelled);
        let taken_back = owner
            .refused::<UnpublishEvent>(json!({"id": event.id}))
            .await;
        assert_eq!(taken_back.reason, Reason::EventCancelled);
        assert_eq!(owner.detail(&event).await["is_published"], is_public);
    }
}

tests::on_every_surface!(
    publishing_answers_the_event_and_may_be_repeated,
    unpublishing_keeps_registrations_and_may_be_repeated,
    an_ended_event_is_not_published_but_may_be_taken_back,
    a_cancelled_event_is_neither_published_nor_taken_back,
);
