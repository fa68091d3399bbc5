//! Whom a change of registrations would mail. Nothing is changed.

use domain::{
    event::Event,
    ids::{EventId, RegistrationId},
    registration::{Refusal, Registration, Requester},
    violation::Checked,
};

use crate::service::{Error, NewRegistration, Principal, Registrations, events};

/// Whom a change would mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRecipients {
    /// The title of the event.
    pub event_title: String,
    /// Their addresses, in the order of registering.
    pub addresses: Vec<String>,
}

impl Registrations {
    /// Whom adding somebody to an event would mail.
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
            event_title: event.title,
            addresses,
        })
    }
}
