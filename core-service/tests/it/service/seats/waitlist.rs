//! Who gets a seat, and who waits for one.

use domain::{
    change::Change, event::EventPatch, ids::RegistrationId, job::JobKind, registration::Status,
};
use test_postgres::Database;

use crate::{
    fixtures::migrate,
    service::{
        Instance,
        guests::{guest, seats},
    },
};

async fn the_first_get_the_seats_and_the_others_wait_in_order(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(2)).await;
    for name in ["ada", "bob", "cleo", "dan"] {
        instance.ask(&event, name).await;
    }
    let expected = [
        ("ada".to_owned(), Status::Confirmed),
        ("bob".to_owned(), Status::Confirmed),
        ("cleo".to_owned(), Status::Waitlisted),
        ("dan".to_owned(), Status::Waitlisted),
    ];
    assert_eq!(instance.standing(event.id).await, expected);
    assert_eq!(
        instance.mailed(event.id, JobKind::RegisteredMail).await,
        ["ada", "bob"]
    );
    assert_eq!(
        instance.mailed(event.id, JobKind::WaitlistedMail).await,
        ["cleo", "dan"]
    );

    let more = EventPatch {
        max_capacity: Change::Set(3),
        ..EventPatch::default()
    };
    let changed = instance.events.update(&olga, event.id, more).await.unwrap();
    let counters = changed.counters;
    assert_eq!((counters.confirmed, counters.waitlisted), (3, 1));
    assert_eq!(
        instance.mailed(event.id, JobKind::PromotedMail).await,
        ["cleo"]
    );
    assert_eq!(
        instance.standing(event.id).await[2],
        ("cleo".to_owned(), Status::Confirmed)
    );
}

async fn a_freed_seat_goes_to_who_waits_longest(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(1)).await;
    let mut ids: Vec<RegistrationId> = Vec::new();
    let mut urls = Vec::new();
    for name in ["ada", "bob", "cleo"] {
        let added = instance.registrations.add(&olga, event.id, guest(name));
        let added = added.await.unwrap();
        ids.push(added.id);
        urls.push(added.cancel_url);
    }
    let cancelled = instance.registrations.cancel(&olga, event.id, ids[0]);
    assert_eq!(cancelled.await.unwrap().status, Status::Cancelled);
    let expect = async |statuses: [Status; 3], promoted: &[&str]| {
        let standing = instance.standing(event.id).await;
        let found: Vec<Status> = standing.iter().map(|(_, status)| *status).collect();
        assert_eq!(found, statuses);
        assert_eq!(
            instance.mailed(event.id, JobKind::PromotedMail).await,
            promoted
        );
    };
    expect(
        [Status::Cancelled, Status::Confirmed, Status::Waitlisted],
        &["bob"],
    )
    .await;
    // Cancelling again frees no second seat.
    let again = instance.registrations.cancel(&olga, event.id, ids[0]);
    again.await.unwrap();
    expect(
        [Status::Cancelled, Status::Confirmed, Status::Waitlisted],
        &["bob"],
    )
    .await;

    // The audit log is in the order of time.
    instance.clock.advance_seconds(1);
    let token = urls[1].rsplit('/').next().unwrap();
    let own = instance.own_registrations.cancel(token).await;
    let own = own.unwrap();
    assert_eq!(own.registration.status, Status::Cancelled);
    assert!(!own.is_cancellable);
    expect(
        [Status::Cancelled, Status::Cancelled, Status::Confirmed],
        &["bob", "cleo"],
    )
    .await;
    let own = instance.own_registrations.cancel(token).await;
    assert_eq!(own.unwrap().registration.status, Status::Cancelled);
    assert_eq!(
        instance
            .mailed(event.id, JobKind::RegistrationCancelledMail)
            .await,
        ["ada", "bob"]
    );
    let audit = instance.audit(ids[1].uuid()).await;
    assert_eq!(audit[1]["actor"], "attendee");
    assert_eq!(audit[1]["action"], "registration.cancel");
}

test_postgres::on_both_engines!(prepare: migrate;
    the_first_get_the_seats_and_the_others_wait_in_order,
    a_freed_seat_goes_to_who_waits_longest,
);
