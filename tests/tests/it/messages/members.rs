//! Which members of an account write messages.

use std::sync::Arc;

use domain::{
    ids::EventId,
    person::{Position, Role},
    plan::Plan,
};
use muster_api::{
    Reason,
    v1::bindings::{CreateMessage, ListMessages, PreviewMessage},
};
use serde_json::json;
use tests::{Account, Created, Surface, TestApp};

use super::{GRACE, guests, now, pass, reached, sent_to, to, which};

/// Gives the only member of an account another position, and time to the caches of it.
async fn becomes(app: &TestApp, account: &Account, role: Role, only: Option<&Created>) {
    let person = app.store.find_person_by_email(&account.email).await;
    let person = person.unwrap().unwrap().id;
    let events = only.map(|event| [EventId::new(event.id.parse().unwrap())]);
    let position = Position {
        role,
        events: events.as_ref().map(|events| &events[..]),
    };
    let mut tx = app.store.begin().await.unwrap();
    let changed = tx.put_membership(account.id, person, position, TestApp::START);
    changed.await.unwrap();
    tx.commit().await.unwrap();
    app.clock.advance_seconds(5);
}

async fn a_member_for_some_events_writes_for_hers_alone(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let own = owner.publish_new(json!({"title": "Own"})).await;
    let other = owner.publish_new(json!({"title": "Other"})).await;
    guests(&app, &own, 2).await;
    let theirs = sent_to(&owner, &other, json!({"hours_before_start": 24})).await;
    becomes(&app, &account, Role::Organizer, Some(&own)).await;
    let message = sent_to(&owner, &own, json!({})).await;
    for fields in [json!({"hours_before_start": 24}), json!({"test": true})] {
        let request = to(&other, fields);
        let refusal = owner.refused::<CreateMessage>(request.clone()).await;
        assert_eq!(refusal.reason, Reason::NotFound);
        let refusal = owner.refused::<PreviewMessage>(request).await;
        assert_eq!(refusal.reason, Reason::NotFound);
    }
    let list = json!({"id": other.id});
    let refusal = owner.refused::<ListMessages>(list).await;
    assert_eq!(refusal.reason, Reason::NotFound);
    // Not by way of her own event either.
    let crossed = owner.refused::<muster_api::v1::bindings::GetMessage>(which(&own, &theirs));
    assert_eq!(crossed.await.reason, Reason::NotFound);
    pass(&app, GRACE).await;
    assert_eq!(reached(&app).len(), 2);
    assert_eq!(now(&owner, &own, &message).await["state"], "sent");
}

async fn door_staff_write_nothing(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 1).await;
    becomes(&app, &account, Role::Door, None).await;
    for fields in [
        json!({}),
        json!({"test": true}),
        json!({"hours_after_end": 1}),
    ] {
        let refusal = owner.refused::<CreateMessage>(to(&event, fields)).await;
        assert_eq!(refusal.reason, Reason::InsufficientScope);
    }
    pass(&app, GRACE).await;
    assert_eq!(reached(&app), Vec::<String>::new());
}

tests::on_both_engines!(
    a_member_for_some_events_writes_for_hers_alone,
    door_staff_write_nothing,
);
