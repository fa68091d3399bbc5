//! Guests: who registers in tests, where they stand, and what they are mailed.

use core_service::service::NewRegistration;
use domain::{
    entropy::Entropy,
    event::{Event, NewEvent},
    ids::{EventId, RegistrationId},
    job::JobKind,
    private_link::LinkToken,
    registration::{Counters, Party, Registration, Status},
};

use super::{Instance, public_event};

pub(crate) fn guest(name: &str) -> NewRegistration {
    NewRegistration {
        name: name.to_owned(),
        email: format!("{name}@example.org"),
        party: Party::default(),
        answers: Vec::new(),
    }
}

/// Someone who comes with others.
pub(crate) fn party(name: &str, size: i32) -> NewRegistration {
    NewRegistration {
        party: Party::of(size),
        ..guest(name)
    }
}

pub(crate) fn seats(max_capacity: i32) -> NewEvent {
    NewEvent {
        max_capacity,
        ..public_event("Rust Meetup")
    }
}

impl Instance {
    /// A new private link to a registration, as mails have them.
    pub(crate) async fn private_link(&self, registration: RegistrationId) -> String {
        let token = LinkToken::generate(&Entropy::system());
        let mut tx = self.store.begin().await.unwrap();
        let (hash, now) = (token.hash(), self.clock.now());
        let stored = tx.insert_link(&hash, registration, None, now).await;
        stored.unwrap();
        tx.commit().await.unwrap();
        self.links.private_registration(&token)
    }

    /// Where everyone stands, in the order of registering, after a look at the counters.
    pub(crate) async fn standing(&self, event: EventId) -> Vec<(String, Status)> {
        let everyone = self.store.list_registrations(event, 0, 100_000).await;
        let everyone = everyone.unwrap();
        let mut tx = self.store.begin().await.unwrap();
        let counters = tx.lock_counters(event).await.unwrap().unwrap();
        drop(tx);
        let count = |status| {
            let of_status = everyone.iter().filter(|one| one.status == status).count();
            i32::try_from(of_status).unwrap()
        };
        assert_eq!(counters.confirmed, count(Status::Confirmed));
        assert_eq!(counters.pending, count(Status::Pending));
        let counted = everyone.iter().map(Registration::counted);
        let counted = counted.fold(Counters::default(), |all, one| all + one);
        assert_eq!(counters, counted);
        assert_eq!(counters.waitlisted, count(Status::Waitlisted));
        assert_eq!(counters.cancelled, count(Status::Cancelled));
        everyone
            .into_iter()
            .map(|one| (one.name, one.status))
            .collect()
    }

    /// To whom a kind of mail is to go, by name.
    pub(super) async fn mailed(&self, event: EventId, kind: JobKind) -> Vec<String> {
        let jobs = self.store.list_jobs(kind, 100_000).await.unwrap();
        let everyone = self.store.list_registrations(event, 0, 100_000).await;
        let jobs: Vec<_> = jobs.iter().map(|job| job.key.subject_id).collect();
        let mailed = everyone
            .unwrap()
            .into_iter()
            .filter(|one| jobs.contains(&one.id.uuid()));
        mailed.map(|one| one.name).collect()
    }

    /// Registers someone by that name.
    pub(super) async fn ask(&self, event: &Event, name: &str) {
        let asked = self.registrations.register(&event.slug, guest(name), None);
        asked.await.unwrap();
    }

    /// Registers someone, as they stand then.
    pub(super) async fn asked(&self, event: &Event, new: NewRegistration) -> Registration {
        let before = self.standing(event.id).await.len();
        self.registrations
            .register(&event.slug, new, None)
            .await
            .unwrap();
        let everyone = self.store.list_registrations(event.id, 0, 1_000).await;
        everyone.unwrap().swap_remove(before)
    }
}
