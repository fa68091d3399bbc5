//! Registrations as the organizer sees them.

use crate::{
    domain::{
        event::Event,
        ids::{EventId, RegistrationId},
        registration::{Counters, Registration},
    },
    service::{Caller, Error, Service, catalogue::saturated},
    storage::RegistrationFilter,
};

/// A list of registrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registrations {
    /// The registrations, first come first.
    pub registrations: Vec<Registration>,
    /// How many pass the filter, listed here or not.
    pub count: i32,
}

impl Service {
    /// Who registered for one of the caller's events.
    pub async fn list_registrations(
        &self,
        caller: &Caller,
        id: EventId,
        filter: &RegistrationFilter,
        limit: i32,
        offset: i32,
    ) -> Result<Registrations, Error> {
        let (_, counters) = self.require_paid(caller, id).await?;
        let store = &self.context.store;
        let count = if filter.is_all() {
            counters.total()
        } else {
            saturated(store.count_registrations(id, filter).await?)
        };
        let page = store.search_registrations(id, filter, limit.into(), offset.into());
        Ok(Registrations {
            registrations: page.await?,
            count,
        })
    }

    /// One registration for one of the caller's events.
    pub async fn get_registration(
        &self,
        caller: &Caller,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        self.require_paid(caller, event).await?;
        let found = self.context.store.find_registration(event, id).await?;
        found.ok_or(Error::NO_REGISTRATION)
    }

    /// One of the caller's events, whose registrations only a paid plan shows. Ownership is decided before the plan, so that a
    /// refusal for the plan's sake reveals nothing (rule 12 of docs/rules.md).
    pub(super) async fn require_paid(
        &self,
        caller: &Caller,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        let found = self.get_my_event(caller, id).await?;
        let account = self.context.store.find_account(caller.account_id).await?;
        if account.ok_or(Error::Unauthorized)?.plan.is_paid() {
            Ok(found)
        } else {
            Err(Error::PlanRequired)
        }
    }
}
