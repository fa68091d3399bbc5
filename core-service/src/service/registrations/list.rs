//! Reading registrations, for the organizer.

use domain::{
    cursor::Place,
    ids::{EventId, RegistrationId},
    registration::Registration,
};
use storage::RegistrationFilter;

use super::shown_to;
use crate::service::{
    Error, PageStart, Principal, Registrations, catalogue::saturated, pages::page,
};

/// A page of registrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationPage {
    /// The registrations, in the order of registering.
    pub registrations: Vec<Registration>,
    /// The total number that match the filter.
    pub count: i32,
    /// The last registration of the page, if there are more.
    pub next: Option<Place>,
}

impl Registrations {
    /// The registrations of one of the caller's events.
    pub async fn list(
        &self,
        caller: &Principal,
        id: EventId,
        filter: &RegistrationFilter,
        limit: i32,
        start: impl Into<PageStart>,
    ) -> Result<RegistrationPage, Error> {
        let (event, counters) = self.require_paid(caller, id).await?;
        // Otherwise they could find out an address letter by letter.
        let filter = &RegistrationFilter {
            is_by_name: !caller.sees_addresses,
            ..filter.clone()
        };
        let store = self.commands.store();
        if filter.text.is_some() && store.has_unfolded_registrations(id).await? {
            return Err(Error::IndexIncomplete);
        }
        let count = async {
            Ok(if filter.is_counted() {
                filter
                    .status
                    .map_or_else(|| counters.total(), |status| counters.with(status))
            } else {
                saturated(store.count_registrations(id, filter).await?)
            })
        };
        let (after_seq, offset) = match start.into() {
            PageStart::Offset(offset) => (0, offset),
            PageStart::After(place) => (place.key, 0),
        };
        let most = i64::from(limit) + 1;
        let found = store.search_registrations(id, filter, after_seq, most, offset.into());
        // Each may read all of an event's registrations.
        let (count, found) = tokio::try_join!(count, found)?;
        let (registrations, next) = page(found, limit, |last| Place {
            key: last.seq,
            id: last.id.uuid(),
        });
        let registrations = registrations.into_iter();
        Ok(RegistrationPage {
            registrations: registrations
                .map(|one| shown_to(caller, &event, one))
                .collect(),
            count,
            next,
        })
    }

    /// One registration of one of the caller's events.
    pub async fn get(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let (event, _) = self.require_paid(caller, event).await?;
        let store = self.commands.store();
        let found = store.find_registration(event.id, id).await?;
        let found = found.ok_or(Error::NO_REGISTRATION)?;
        Ok(shown_to(caller, &event, found))
    }

    /// Those of these registrations that are for one of the caller's events, in the order of registering.
    pub async fn get_all(
        &self,
        caller: &Principal,
        event: EventId,
        ids: &[RegistrationId],
    ) -> Result<Vec<Registration>, Error> {
        let (event, _) = self.require_paid(caller, event).await?;
        let store = self.commands.store();
        let found = store.find_registrations(event.id, ids).await?.into_iter();
        Ok(found.map(|one| shown_to(caller, &event, one)).collect())
    }
}
