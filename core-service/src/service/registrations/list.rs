//! Reading registrations, for the organizer.

use crate::{
    domain::{
        ids::{EventId, RegistrationId},
        registration::Registration,
    },
    service::{Error, Principal, Registrations, catalogue::saturated},
    storage::RegistrationFilter,
};

/// A page of registrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationPage {
    /// The registrations, in the order of registering.
    pub registrations: Vec<Registration>,
    /// The total number that match the filter.
    pub count: i32,
}

impl Registrations {
    /// The registrations of one of the caller's events.
    pub async fn list(
        &self,
        caller: &Principal,
        id: EventId,
        filter: &RegistrationFilter,
        limit: i32,
        offset: i32,
    ) -> Result<RegistrationPage, Error> {
        let (_, counters) = self.require_paid(caller, id).await?;
        let store = self.commands.store();
        let count = if filter.is_all() {
            counters.total()
        } else {
            saturated(store.count_registrations(id, filter).await?)
        };
        let page = store.search_registrations(id, filter, limit.into(), offset.into());
        Ok(RegistrationPage {
            registrations: page.await?,
            count,
        })
    }

    /// One registration of one of the caller's events.
    pub async fn get(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        self.require_paid(caller, event).await?;
        let found = self.commands.store().find_registration(event, id).await?;
        found.ok_or(Error::NO_REGISTRATION)
    }
}
