//! Whom a change of registrations would mail. Nothing is changed.

use domain::{
    event::Event,
    ids::{EventId, RegistrationId},
    registration::{Refusal, Registration, Requester},
    violation::Checked,
};

use crate::service::{
    Error, NewRegistration, Principal, RegistrationPatch, Registrations, events,
    registrations::{mail_again::check_free, manage::Held, promote::with_seats_for},
};

/// Whom a change would mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRecipients {
    /// The title of the event.
    pub event_title: String,
    /// Their addresses, in the order of registering.
    pub addresses: Vec<String>,
    /// The capacity of the event afterwards.
    pub max_capacity: i32,
}

impl Registrations {
    /// Whom adding someone to an event would mail.
    pub async fn planned_guest(
        &self,
        caller: &Principal,
        event: EventId,
        new: Checked<NewRegistration>,
    ) -> Result<PlannedRecipients, Error> {
        let (event, _) = events::find(self.commands.store(), caller, event).await?;
        let requester = Requester::Owner(caller.account);
        let addresses = vec![new.message.email.clone()];
        let judgement = self.judge(&event, requester, new).await?;
        judgement.conclude(Some(PlannedRecipients {
            max_capacity: event.max_capacity,
            event_title: event.title,
            addresses,
        }))
    }

    /// Whom approving these registrations would mail: those that await it.
    pub async fn planned_approval(
        &self,
        caller: &Principal,
        event: EventId,
        ids: &[RegistrationId],
    ) -> Result<PlannedRecipients, Error> {
        let (event, counters) = self.require_paid(caller, event).await?;
        let now = self.commands.now();
        let found = self.commands.store().find_registrations(event.id, ids);
        let max_capacity = event.max_capacity;
        let approved = |one: &Registration| match one.approved(counters, max_capacity, now) {
            Ok(after) => Ok(after),
            Err(Refusal::RegistrationCancelled | Refusal::NotConfirmedByAttendee) => Ok(None),
            Err(refusal) => Err(refusal),
        };
        self.changed(event, found.await?, approved)
    }

    /// Whom declining a registration would mail: nobody, if it is cancelled.
    pub async fn planned_decline(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
    ) -> Result<PlannedRecipients, Error> {
        let now = self.commands.now();
        let declined = |one: &Registration| one.declined(now);
        self.planned_change(caller, event, id, declined).await
    }

    /// Whom cancelling a registration would mail: nobody, if it is cancelled.
    pub async fn planned_cancellation(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
    ) -> Result<PlannedRecipients, Error> {
        let now = self.commands.now();
        let cancelled = |one: &Registration| Ok(one.cancelled(now));
        self.planned_change(caller, event, id, cancelled).await
    }

    /// Whom giving a seat before others would mail, and the capacity that the event would have.
    pub async fn planned_promotion(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
    ) -> Result<PlannedRecipients, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let promoted = |one: &Registration| one.promoted(now);
        let planned = self.planned_change(caller, event, id, promoted).await?;
        if planned.addresses.is_empty() {
            return Ok(planned);
        }
        let (event, counters) = events::find(store, caller, event).await?;
        let found = store.find_registration(event.id, id).await?;
        let size = found.ok_or(Error::NO_REGISTRATION)?.party.size;
        let larger = with_seats_for(size, &event, counters, now)?;
        Ok(PlannedRecipients {
            max_capacity: larger.max_capacity,
            ..planned
        })
    }

    /// Whom a correction would mail: nobody, unless the address is another one.
    pub async fn planned_edit(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
        patch: Checked<RegistrationPatch>,
    ) -> Result<PlannedRecipients, Error> {
        let Checked {
            message: patch,
            mistakes,
        } = patch;
        if !mistakes.is_empty() {
            return Err(Error::Invalid(mistakes));
        }
        let (event, counters) = self.require_paid(caller, event).await?;
        let store = self.commands.store();
        let found = store.find_registration(event.id, id).await?;
        let held = Held {
            registration: found.ok_or(Error::NO_REGISTRATION)?,
            event,
            counters,
        };
        if held.event.is_cancelled {
            return Err(Error::EventCancelled);
        }
        let (entropy, now) = (self.commands.entropy(), self.commands.now());
        let after = held.edited(patch, entropy, now)?;
        let before = held.registration;
        let is_moved = after.is_moved_from(&before);
        if is_moved {
            check_free(store, &after).await?;
        }
        Ok(PlannedRecipients {
            max_capacity: held.event.max_capacity,
            event_title: held.event.title,
            addresses: if is_moved {
                vec![before.email, after.email]
            } else {
                Vec::new()
            },
        })
    }

    async fn planned_change(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
        change: impl Fn(&Registration) -> Result<Option<Registration>, Refusal>,
    ) -> Result<PlannedRecipients, Error> {
        let (event, _) = self.require_paid(caller, event).await?;
        let found = self
            .commands
            .store()
            .find_registration(event.id, id)
            .await?;
        let found = found.ok_or(Error::NO_REGISTRATION)?;
        self.changed(event, vec![found], change)
    }

    fn changed(
        &self,
        event: Event,
        registrations: Vec<Registration>,
        change: impl Fn(&Registration) -> Result<Option<Registration>, Refusal>,
    ) -> Result<PlannedRecipients, Error> {
        let mut addresses = Vec::new();
        for one in registrations {
            if change(&one)?.is_some() {
                addresses.push(one.email.clone());
            }
        }
        if !addresses.is_empty() {
            event.check_running(self.commands.now())?;
        }
        Ok(PlannedRecipients {
            max_capacity: event.max_capacity,
            event_title: event.title,
            addresses,
        })
    }
}
