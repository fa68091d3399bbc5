//! Changing, publishing and unpublishing events.

use core_service::service::{Error, RegistrationFilter};
use domain::{
    change::Change,
    event::{EventPatch, NewEvent},
    plan::Plan,
    registration::{Counters, Status},
    schedule::ScheduleChange,
};
use serde_json::json;
use test_postgres::Database;

use super::{Instance, assert_no_event, new_event, public_event};
use crate::fixtures::{HOUR, migrate};

fn titled(title: &str) -> EventPatch {
    EventPatch {
        title: Change::Set(title.to_owned()),
        ..EventPatch::default()
    }
}

fn seats(max_capacity: i32) -> EventPatch {
    EventPatch {
        max_capacity: Change::Set(max_capacity),
        ..EventPatch::default()
    }
}

async fn a_change_is_stored_and_audited_with_what_changed(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, public_event("Rust Meetup")).await;
    let changed = instance
        .events
        .update(&olga, event.id, titled("Rust Night"));
    let after = changed.await.unwrap().event;
    assert_eq!(after.title, "Rust Night");
    assert_eq!(after.slug, "rust-meetup");
    assert_eq!(
        instance.catalogue.get("rust-meetup").await.unwrap().event,
        after
    );

    let same = instance
        .events
        .update(&olga, event.id, titled("Rust Night"));
    assert_eq!(same.await.unwrap().event, after);
    let audit = instance.audit(event.id.uuid()).await;
    let expected = json!({
        "actor": "key",
        "action": "event.update",
        "before": {"title": "Rust Meetup"},
        "after": {"title": "Rust Night"},
        "reason": null,
    });
    assert_eq!(audit[1..], [expected]);
}

async fn unlisting_takes_an_event_out_of_the_catalogue(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, public_event("Rust Meetup")).await;
    let listed = |is_listed| EventPatch {
        is_listed: Change::Set(is_listed),
        ..EventPatch::default()
    };
    let hidden = instance.events.update(&olga, event.id, listed(false));
    assert!(hidden.await.unwrap().event.is_published);
    assert_no_event(instance.catalogue.get("rust-meetup").await);
    assert_eq!(instance.catalogue.list(50, 0).await.unwrap().count, 0);
    let shown = instance.events.update(&olga, event.id, listed(true));
    shown.await.unwrap();
    assert_eq!(instance.catalogue.list(50, 0).await.unwrap().count, 1);
}

async fn publishing_and_unpublishing_are_idempotent(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let id = instance.create(&olga, new_event("Rust Meetup")).await.id;
    for _ in 0..2 {
        instance.clock.advance_seconds(1);
        let (event, _) = instance.events.publish(&olga, id).await.unwrap();
        assert!(event.is_published);
        assert_eq!(instance.catalogue.list(50, 0).await.unwrap().count, 1);
    }
    for _ in 0..2 {
        instance.clock.advance_seconds(1);
        let (event, _) = instance.events.unpublish(&olga, id).await.unwrap();
        assert!(!event.is_published);
        assert_eq!(instance.catalogue.list(50, 0).await.unwrap().count, 0);
    }
    let audit = instance.audit(id.uuid()).await;
    let actions: Vec<_> = audit.iter().map(|row| row["action"].clone()).collect();
    assert_eq!(
        actions,
        ["event.create", "event.publish", "event.unpublish"]
    );
}

async fn an_ended_event_is_not_published_until_it_is_moved(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let id = instance.create(&olga, new_event("Rust Meetup")).await.id;
    instance.clock.advance_seconds(2 * HOUR);
    let refused = instance.events.publish(&olga, id).await;
    assert!(matches!(refused, Err(Error::PublishEnded)), "{refused:?}");
    let later = EventPatch {
        schedule: ScheduleChange {
            end_date: Change::Set("2030-01-01T02:00:00.000001Z".to_owned()),
            ..ScheduleChange::default()
        },
        ..EventPatch::default()
    };
    instance.events.update(&olga, id, later).await.unwrap();
    instance.events.publish(&olga, id).await.unwrap();
}

async fn a_cancelled_event_stays_as_it_is(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let id = instance.create(&olga, public_event("Rust Meetup")).await.id;
    instance.events.cancel(&olga, id, None).await.unwrap();
    let changed = instance.events.update(&olga, id, titled("Rust")).await;
    let refused = [
        changed.map(|after| (after.event, after.counters)),
        instance.events.publish(&olga, id).await,
        instance.events.unpublish(&olga, id).await,
    ];
    for outcome in refused {
        assert!(matches!(outcome, Err(Error::EventCancelled)), "{outcome:?}");
    }
}

async fn others_events_are_not_found(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let otto = instance.caller("otto@example.org", Plan::Free).await;
    let id = instance.create(&olga, public_event("Rust Meetup")).await.id;
    assert_no_event(instance.events.update(&otto, id, titled("Mine")).await);
    assert_no_event(instance.events.publish(&otto, id).await);
    assert_no_event(instance.events.unpublish(&otto, id).await);
    assert_no_event(instance.events.cancel(&otto, id, None).await);
    assert_no_event(
        instance
            .registrations
            .list(&otto, id, &RegistrationFilter::default(), 50, 0)
            .await,
    );
    let nil = domain::ids::EventId::new(uuid::Uuid::nil());
    assert_no_event(instance.events.publish(&olga, nil).await);
}

async fn capacity_follows_the_seats_that_are_taken(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let new = NewEvent {
        max_capacity: 2,
        ..public_event("Rust Meetup")
    };
    let id = instance.create(&olga, new).await.id;
    let statuses = [
        Status::Confirmed,
        Status::Waitlisted,
        Status::Confirmed,
        Status::Waitlisted,
        Status::Waitlisted,
        Status::Pending,
        Status::Cancelled,
    ];
    instance.register(id, &statuses).await;

    let refused = instance.events.update(&olga, id, seats(1)).await;
    assert!(
        matches!(refused, Err(Error::CapacityBelowConfirmed { confirmed: 2 })),
        "{refused:?}"
    );
    let changed = instance.events.update(&olga, id, seats(4)).await.unwrap();
    assert_eq!(changed.notified, 2, "who got a spot");
    let counters = changed.counters;
    let expected = Counters {
        confirmed: 4,
        pending: 1,
        waitlisted: 1,
        cancelled: 1,
        checked_in: 2,
        ..Counters::default()
    };
    assert_eq!(counters, expected);
    let (_, stored) = instance.events.get(&olga, id).await.unwrap();
    assert_eq!(stored, expected);
    let list = instance
        .registrations
        .list(&olga, id, &RegistrationFilter::default(), 50, 0)
        .await
        .unwrap();
    let now: Vec<_> = list.registrations.iter().map(|one| one.status).collect();
    assert_eq!(now[1], Status::Confirmed);
    assert_eq!(now[3], Status::Confirmed);
    assert_eq!(now[4], Status::Waitlisted);
    let audit = instance.audit(id.uuid()).await;
    let promoted = audit
        .iter()
        .find(|row| row["action"] == "event.promote_waitlist");
    assert_eq!(promoted.unwrap()["after"], json!({"promoted": 2}));
}

async fn registrations_are_for_the_owner_on_a_paid_plan(database: Database) {
    let instance = Instance::open(&database).await;
    let fay = instance.caller("fay@example.org", Plan::Free).await;
    let id = instance.create(&fay, new_event("Rust Meetup")).await.id;
    let registered = instance
        .register(id, &[Status::Confirmed, Status::Cancelled])
        .await;
    let refused = instance
        .registrations
        .list(&fay, id, &RegistrationFilter::default(), 50, 0)
        .await;
    assert!(matches!(refused, Err(Error::PlanRequired)), "{refused:?}");

    let plan = instance.accounts.set_plan(fay.account, Plan::Premium);
    plan.await.unwrap();
    let list = instance
        .registrations
        .list(&fay, id, &RegistrationFilter::default(), 1, 0)
        .await
        .unwrap();
    assert_eq!(list.registrations, registered[..1]);
    assert_eq!(list.count, 2);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_change_is_stored_and_audited_with_what_changed,
    unlisting_takes_an_event_out_of_the_catalogue,
    publishing_and_unpublishing_are_idempotent,
    an_ended_event_is_not_published_until_it_is_moved,
    a_cancelled_event_stays_as_it_is,
    others_events_are_not_found,
    capacity_follows_the_seats_that_are_taken,
    registrations_are_for_the_owner_on_a_paid_plan,
);
