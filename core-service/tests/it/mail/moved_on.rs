//! Mails that things have moved past when they are due.

use core_service::service::LastOwner;
use domain::{change::Change, event::EventPatch, job::JobKind};
use test_postgres::Database;

use super::Mailbox;
use crate::{
    fixtures::{HOUR, migrate},
    service::{Instance, guests::seats},
};

fn moved_to(location: &str) -> EventPatch {
    EventPatch {
        location: Change::Set(location.to_owned()),
        ..EventPatch::default()
    }
}

impl Mailbox {
    /// Has everything sent that is due; answers to whom what, in order.
    async fn subjects(&self) -> Vec<(String, String)> {
        let mails = self.collect().await.into_iter();
        let mut told: Vec<_> = mails
            .map(|mail| (mail.to.0.unwrap_or_default(), mail.subject))
            .collect();
        told.sort();
        told
    }
}

impl Instance {
    async fn assert_nothing_waits(&self) {
        for kind in JobKind::MAILS {
            assert_eq!(self.store.list_jobs(kind, 10).await.unwrap(), [], "{kind}");
        }
    }
}

fn told(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, subject): &(&str, &str)| ((*name).to_owned(), (*subject).to_owned());
    expected.iter().map(owned).collect()
}

async fn only_how_it_ended_is_told(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, seats(1)).await;
    for name in ["ada", "bob", "cleo"] {
        instance.register_guest(&event, name).await;
    }
    let people = instance
        .store
        .list_registrations(event.id, 0, 10)
        .await
        .unwrap();
    let cancelled = instance.registrations.cancel(&olga, event.id, people[0].id);
    cancelled.await.unwrap();
    for location in ["Betahaus", "Tempelhof"] {
        let changed = instance.events.update(&olga, event.id, moved_to(location));
        changed.await.unwrap();
    }
    let expected = told(&[
        ("ada", "Your registration is cancelled: Rust Meetup"),
        ("bob", "You have a spot: Rust Meetup"),
        ("cleo", "You are on the waitlist: Rust Meetup"),
    ]);
    assert_eq!(mailbox.subjects().await, expected);
    // The mails tell the new place, too.
    instance.clock.advance_seconds(5 * 60);
    assert_eq!(mailbox.subjects().await, []);
    instance.assert_nothing_waits().await;
}

async fn who_registers_for_what_is_called_off_at_once_hears_only_that(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, seats(1)).await;
    instance.register_guest(&event, "ada").await;
    instance.register_guest(&event, "ada").await;
    instance.register_guest(&event, "bob").await;
    let cancelled = instance.events.cancel(&olga, event.id, None).await;
    assert_eq!(cancelled.unwrap().registrants_notified, 2);
    let expected = told(&[
        ("ada", "Cancelled: Rust Meetup"),
        ("bob", "Cancelled: Rust Meetup"),
    ]);
    assert_eq!(mailbox.subjects().await, expected);
    instance.assert_nothing_waits().await;
}

async fn of_what_is_over_only_a_cancellation_is_told(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let called_off = instance.create(&olga, seats(9)).await;
    let held = instance.create(&olga, seats(9)).await;
    for event in [&called_off, &held] {
        instance.register_guest(event, "ada").await;
    }
    let cancelled = instance.events.cancel(&olga, called_off.id, None);
    cancelled.await.unwrap();
    instance.clock.advance_seconds(2 * HOUR);
    let expected = told(&[("ada", "Cancelled: Rust Meetup")]);
    assert_eq!(mailbox.subjects().await, expected);
    instance.assert_nothing_waits().await;
}

async fn who_was_erased_is_not_written_to(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, seats(9)).await;
    instance.register_guest(&event, "ada").await;
    instance.register_guest(&event, "bob").await;
    for person in ["ada@example.org", "olga@example.org"] {
        let heir = LastOwner::Named("otto@example.org".to_owned());
        instance.people.erase(person, &heir).await.unwrap();
    }
    let mail = mailbox.collect_one().await;
    assert_eq!(mail.to.1, "bob@example.org");
    // Nor is the organizer named any more, whose account is another's now.
    assert!(mail.text.contains("Organized by otto"), "{}", mail.text);
    assert!(!mail.source.contains("Olga"), "{}", mail.source);
    instance.assert_nothing_waits().await;
}

test_postgres::on_both_engines!(prepare: migrate;
    only_how_it_ended_is_told,
    who_registers_for_what_is_called_off_at_once_hears_only_that,
    of_what_is_over_only_a_cancellation_is_told,
    who_was_erased_is_not_written_to,
);
