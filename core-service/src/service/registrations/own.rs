//! An attendee's own registration, by a private link.

use std::sync::Arc;

use crate::{
    domain::{
        audit::Actor,
        event::Event,
        ids::RegistrationId,
        private_link::LinkToken,
        registration::{Registration, Status},
    },
    service::{
        Commands, Error, Links, Unit,
        catalogue::saturated,
        link_queue::LinkQueue,
        registrations::{manage::Held, settle::settle},
    },
};

/// The content of an attendee's private page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRegistration {
    /// The registration.
    pub registration: Registration,
    /// The event, in any state.
    pub event: Event,
    /// The position on the waitlist, from 1.
    pub waitlist_position: Option<i32>,
    /// Whether it can still be cancelled.
    pub is_cancellable: bool,
}

/// Use cases about an attendee's own registration.
#[derive(Debug, Clone)]
pub struct OwnRegistrations {
    commands: Commands,
    links: Links,
    link_queue: Arc<LinkQueue>,
}

impl OwnRegistrations {
    /// Use cases whose private links are made by `links`.
    pub fn new(commands: Commands, links: Links) -> Self {
        Self {
            commands,
            links,
            link_queue: Arc::default(),
        }
    }

    /// URLs in answers and mails.
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// The registration of a private link.
    pub async fn get(&self, token: &str) -> Result<OwnRegistration, Error> {
        let hash = LinkToken::parse(token)
            .ok_or(Error::NO_REGISTRATION)?
            .hash();
        let store = self.commands.store();
        let registration = store.find_registration_by_link(&hash).await?;
        let registration = registration.ok_or(Error::NO_REGISTRATION)?;
        let event = store.find_event(registration.event_id).await?;
        let event = event.ok_or(Error::NO_EVENT)?;
        self.shown(registration, event).await
    }

    /// Confirms the registration of a private link, if it awaits that.
    pub async fn confirm(&self, token: &str) -> Result<OwnRegistration, Error> {
        let decide = async |unit: &mut Unit, held: Held| held.confirm(unit).await;
        self.change(token, decide).await
    }

    /// Cancels the registration of a private link; its seat goes to the first on the waitlist.
    pub async fn cancel(&self, token: &str) -> Result<OwnRegistration, Error> {
        let decide = async |unit: &mut Unit, held: Held| held.cancel(unit).await;
        self.change(token, decide).await
    }

    async fn change(
        &self,
        token: &str,
        decide: impl AsyncFnOnce(&mut Unit, Held) -> Result<(Registration, Event), Error>,
    ) -> Result<OwnRegistration, Error> {
        let hash = LinkToken::parse(token)
            .ok_or(Error::NO_REGISTRATION)?
            .hash();
        let change = async |unit: &mut Unit| {
            let held = hold(unit, &hash).await?;
            decide(unit, held).await
        };
        let (registration, event) = self.commands.run(Actor::Attendee, change).await?;
        self.shown(registration, event).await
    }

    /// A new private link to a registration, for a mail. Links in earlier mails stay valid.
    pub async fn new_link(&self, registration: RegistrationId) -> Result<String, Error> {
        let token = LinkToken::generate(self.commands.entropy());
        self.link_queue
            .write(&self.commands, token.hash(), registration)
            .await?;
        Ok(self.links.private_registration(&token))
    }

    async fn shown(
        &self,
        registration: Registration,
        event: Event,
    ) -> Result<OwnRegistration, Error> {
        let mut waitlist_position = None;
        if registration.status == Status::Waitlisted {
            let store = self.commands.store();
            let position = store.waitlist_position(event.id, registration.seq).await?;
            waitlist_position = Some(saturated(position));
        }
        Ok(OwnRegistration {
            is_cancellable: registration.status != Status::Cancelled
                && event.is_active(self.commands.now()),
            registration,
            event,
            waitlist_position,
        })
    }
}

/// The registration of a private link with its event, as they are at this time, locked until the transaction ends.
async fn hold(unit: &mut Unit, hash: &[u8; 32]) -> Result<Held, Error> {
    let found = unit.tx.find_registration_by_link(hash).await?;
    let found = found.ok_or(Error::NO_REGISTRATION)?;
    // The registration is read under the lock of the counters, so that it cannot change.
    let counters = unit.tx.lock_counters(found.event_id).await?;
    let counters = counters.ok_or(Error::NO_EVENT)?;
    unit.renew_time();
    let event = unit.tx.find_event(found.event_id).await?;
    let event = event.ok_or(Error::NO_EVENT)?;
    let counters = settle(unit, &event, counters).await?;
    let registration = unit.tx.find_registration(event.id, found.id).await?;
    Ok(Held {
        registration: registration.ok_or(Error::NO_REGISTRATION)?,
        counters,
        event,
    })
}
