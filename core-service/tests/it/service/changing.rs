//! Changing, publishing and unpublishing events.

use core_service::{
    domain::{
        change::Change,
        event::{EventPatch, NewEvent},
        job::JobKind,
        plan::Plan,
        registration::{Counters, Status},
        schedule::ScheduleChange,
    },
    service::{Error, RegistrationFilter},
};
use serde_json::json;
use test_postgres::Database;

use super::{
    Desk, assert_no_event,
    guests::{self, guest},
    new_event, public_event,
};
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
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, public_event("Rust Meetup")).await;
    let changed = desk.events.update(&olga, event.id, titled("Rust Night"));
    let (after, _) = changed.await.unwrap();
    assert_eq!(after.title, "Rust Night");
    assert_eq!(after.slug, "rust-meetup");
    assert_eq!(desk.catalogue.get("rust-meetup").await.unwrap(), after);

    let same = desk.events.update(&olga, event.id, titled("Rust Night"));
    assert_eq!(same.await.unwrap().0, after);
    let audit = desk.audit(event.id.uuid()).await;
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
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, public_event("Rust Meetup")).await;
    let listed = |is_listed| EventPatch {
        is_listed: Change::Set(is_listed),
        ..EventPatch::default()
    };
    let hidden = desk.events.update(&olga, event.id, listed(false));
    assert!(hidden.await.unwrap().0.is_published);
    assert_no_event(desk.catalogue.get("rust-meetup").await);
    assert_eq!(desk.catalogue.list(50, 0).await.unwrap().count, 0);
    let shown = desk.events.update(&olga, event.id, listed(true));
    shown.await.unwrap();
    assert_eq!(desk.catalogue.list(50, 0).await.unwrap().count, 1);
}

async fn publishing_and_unpublishing_are_idempotent(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let id = desk.create(&olga, new_event("Rust Meetup")).await.id;
    for _ in 0..2 {
        let (event, _) = desk.events.publish(&olga, id).await.unwrap();
        assert!(event.is_published);
        assert_eq!(desk.catalogue.list(50, 0).await.unwrap().count, 1);
    }
    for _ in 0..2 {
        let (event, _) = desk.events.unpublish(&olga, id).await.unwrap();
        assert!(!event.is_published);
        assert_eq!(desk.catalogue.list(50, 0).await.unwrap().count, 0);
    }
    let actions: Vec<_> = desk.audit(id.uuid()).await;
    let actions: Vec<_> = actions.iter().map(|row| row["action"].clone()).collect();
    assert_eq!(
        actions,
        ["event.create", "event.publish", "event.unpublish"]
    );
}

async fn an_ended_event_is_not_published_until_it_is_moved(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let id = desk.create(&olga, new_event("Rust Meetup")).await.id;
    desk.clock.advance_seconds(2 * HOUR);
    let refused = desk.events.publish(&olga, id).await;
    assert!(matches!(refused, Err(Error::PublishEnded)), "{refused:?}");
    let later = EventPatch {
        schedule: ScheduleChange {
            end_date: Change::Set("2030-01-01T02:00:00.000001Z".to_owned()),
            ..ScheduleChange::default()
        },
        ..EventPatch::default()
    };
    desk.events.update(&olga, id, later).await.unwrap();
    desk.events.publish(&olga, id).await.unwrap();
}

async fn a_cancelled_event_stays_as_it_is(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let id = desk.create(&olga, public_event("Rust Meetup")).await.id;
    desk.events.cancel(&olga, id, None).await.unwrap();
    let refused = [
        desk.events.update(&olga, id, titled("Rust")).await,
        desk.events.publish(&olga, id).await,
        desk.events.unpublish(&olga, id).await,
    ];
    for outcome in refused {
        assert!(matches!(outcome, Err(Error::EventCancelled)), "{outcome:?}");
    }
}

async fn others_events_are_not_found(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let otto = desk.caller("otto@example.org", Plan::Free).await;
    let id = desk.create(&olga, public_event("Rust Meetup")).await.id;
    assert_no_event(desk.events.update(&otto, id, titled("Mine")).await);
    assert_no_event(desk.events.publish(&otto, id).await);
    assert_no_event(desk.events.unpublish(&otto, id).await);
    assert_no_event(desk.events.cancel(&otto, id, None).await);
    assert_no_event(
        desk.registrations
            .list(&otto, id, &RegistrationFilter::default(), 50, 0)
            .await,
    );
    let nil = core_service::domain::ids::EventId::new(uuid::Uuid::nil());
    assert_no_event(desk.events.publish(&olga, nil).await);
}

async fn capacity_follows_the_seats_that_are_taken(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let new = NewEvent {
        max_capacity: 2,
        ..public_event("Rust Meetup")
    };
    let id = desk.create(&olga, new).await.id;
    let statuses = [
        Status::Confirmed,
        Status::Waitlisted,
        Status::Confirmed,
        Status::Waitlisted,
        Status::Waitlisted,
        Status::Pending,
        Status::Cancelled,
    ];
    desk.register(id, &statuses).await;

    let refused = desk.events.update(&olga, id, seats(1)).await;
    assert!(
        matches!(refused, Err(Error::CapacityBelowConfirmed { confirmed: 2 })),
        "{refused:?}"
    );
    let (_, counters) = desk.events.update(&olga, id, seats(4)).await.unwrap();
    let expected = Counters {
        confirmed: 4,
        pending: 1,
        waitlisted: 1,
        cancelled: 1,
    };
    assert_eq!(counters, expected);
    let (_, stored) = desk.events.get(&olga, id).await.unwrap();
    assert_eq!(stored, expected);
    let list = desk
        .registrations
        .list(&olga, id, &RegistrationFilter::default(), 50, 0)
        .await
        .unwrap();
    let now: Vec<_> = list.registrations.iter().map(|one| one.status).collect();
    assert_eq!(now[1], Status::Confirmed);
    assert_eq!(now[3], Status::Confirmed);
    assert_eq!(now[4], Status::Waitlisted);
    let audit = desk.audit(id.uuid()).await;
    assert_eq!(audit[2]["action"], "event.promote_waitlist");
    assert_eq!(audit[2]["after"], json!({"promoted": 2}));
}

async fn registrations_are_for_the_owner_on_a_paid_plan(database: Database) {
    let desk = Desk::open(&database).await;
    let fay = desk.caller("fay@example.org", Plan::Free).await;
    let id = desk.create(&fay, new_event("Rust Meetup")).await.id;
    let registered = desk
        .register(id, &[Status::Confirmed, Status::Cancelled])
        .await;
    let refused = desk
        .registrations
        .list(&fay, id, &RegistrationFilter::default(), 50, 0)
        .await;
    assert!(matches!(refused, Err(Error::PlanRequired)), "{refused:?}");

    let plan = desk.accounts.set_plan("FAY@example.org", Plan::Premium);
    plan.await.unwrap();
    let list = desk
        .registrations
        .list(&fay, id, &RegistrationFilter::default(), 1, 0)
        .await
        .unwrap();
    assert_eq!(list.registrations, registered[..1]);
    assert_eq!(list.count, 2);
}

async fn a_change_of_time_or_place_is_mailed_once_to_whoever_may_come(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, guests::seats(1)).await;
    for name in ["ada", "bob"] {
        desk.ask(&event, name).await;
    }
    let gone = desk.registrations.add(&olga, event.id, guest("cleo"));
    let gone = gone.await.unwrap().id;
    let cancel = desk.registrations.cancel(&olga, event.id, gone);
    cancel.await.unwrap();
    let change = async |patch| {
        let changed = desk.events.update(&olga, event.id, patch);
        changed.await.unwrap();
    };
    let placed = |place: &str| EventPatch {
        location: Change::Set(place.to_owned()),
        ..EventPatch::default()
    };
    change(EventPatch {
        description: Change::Set("Other words.".to_owned()),
        ..EventPatch::default()
    })
    .await;
    assert_eq!(
        desk.mailed(event.id, JobKind::EventChangedMail).await,
        [""; 0]
    );
    change(placed("Elsewhere")).await;
    change(placed("Elsewhere")).await;
    assert_eq!(
        desk.mailed(event.id, JobKind::EventChangedMail).await,
        ["ada", "bob"]
    );
    change(placed("Hall")).await;
    let jobs = desk.store.list_jobs(JobKind::EventChangedMail, 10).await;
    let mut occasions: Vec<i32> = jobs.unwrap().iter().map(|job| job.key.occasion).collect();
    occasions.sort_unstable();
    assert_eq!(occasions, [1, 1, 2, 2]);
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
    a_change_of_time_or_place_is_mailed_once_to_whoever_may_come,
);
