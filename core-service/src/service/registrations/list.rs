//! Reading registrations, for the organizer.

use std::collections::HashMap;

use domain::{
    cursor::Place,
    email,
    event::Event,
    ids::{EventId, RegistrationId},
    instant::Instant,
    mail::MailProblem,
    registration::{Registration, Status},
};
use storage::RegistrationFilter;

use super::shown_to;
use crate::service::{
    Error, PageStart, Principal, Registrations, catalogue::saturated, pages::page,
};

/// A page of registrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationPage {
    /// The registrations, in the order of the list.
    pub registrations: Vec<Registration>,
    /// The total number that match the filter.
    pub count: i32,
    /// The last registration of the page, if there are more.
    pub next: Option<Place>,
    /// Those of them who could not be mailed.
    pub mail_failures: HashMap<RegistrationId, MailFailure>,
}

/// That someone could not be mailed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFailure {
    /// Since when.
    pub since: Instant,
    /// What became of the mail; none if every try was broken off.
    pub problem: Option<MailProblem>,
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
        let filter = &RegistrationFilter {
            // Otherwise they could find out an address letter by letter.
            is_by_name: !caller.sees_addresses,
            text: filter.text.as_deref().map(as_stored),
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
        let (after, offset) = match start.into() {
            PageStart::Offset(offset) => (0, offset),
            PageStart::After(place) => (place.key, 0),
        };
        let max = i64::from(limit) + 1;
        let found = store.search_registrations(id, filter, after, max, offset.into());
        // Each may read all of an event's registrations.
        let (count, found) = tokio::try_join!(count, found)?;
        let (found, next) = page(found, limit, |(place, last)| Place {
            key: *place,
            id: last.id.uuid(),
        });
        let registrations = found.into_iter().map(|(_, one)| one).collect();
        self.listed(caller, &event, registrations, count, next)
            .await
    }

    /// The registrations of one of the caller's events with an address, the latest last. Who is at the door may ask for a whole address:
    /// they tell nobody more by it than by a ticket.
    pub async fn list_of_address(
        &self,
        caller: &Principal,
        id: EventId,
        address: &str,
        status: Option<Status>,
    ) -> Result<RegistrationPage, Error> {
        let (event, _) = self.require_paid(caller, id).await?;
        let store = self.commands.store();
        let address = email::normalised(&email::in_ascii(address));
        let mut found = store.list_registrations_at(event.id, &address).await?;
        found.retain(|one| status.is_none_or(|status| one.status == status));
        let count = found.len().try_into().unwrap_or(i32::MAX);
        self.listed(caller, &event, found, count, None).await
    }

    async fn listed(
        &self,
        caller: &Principal,
        event: &Event,
        found: Vec<Registration>,
        count: i32,
        next: Option<Place>,
    ) -> Result<RegistrationPage, Error> {
        let mail_failures = if caller.sees_addresses {
            self.mail_failures(&found).await?
        } else {
            HashMap::new()
        };
        let found = found.into_iter();
        Ok(RegistrationPage {
            registrations: found.map(|one| shown_to(caller, event, one)).collect(),
            count,
            next,
            mail_failures,
        })
    }

    async fn mail_failures(
        &self,
        found: &[Registration],
    ) -> Result<HashMap<RegistrationId, MailFailure>, Error> {
        let ids: Vec<_> = found.iter().map(|one| one.id).collect();
        let failed = self.commands.store().find_mail_failures(&ids).await?;
        let failed = failed.into_iter().map(|(id, since)| {
            let problem = None;
            (id, MailFailure { since, problem })
        });
        let mut failures: HashMap<_, _> = failed.collect();
        let registrants: Vec<_> = found.iter().map(|one| (one.id, &*one.email)).collect();
        for (id, problem) in self.mail_problems(&registrants).await? {
            let failure = MailFailure {
                since: problem.at,
                problem: Some(problem),
            };
            failures.insert(id, failure);
        }
        Ok(failures)
    }

    /// One registration of one of the caller's events, and whether the attendee could not be mailed.
    pub async fn get(
        &self,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
    ) -> Result<(Registration, Option<MailFailure>), Error> {
        let (event, _) = self.require_paid(caller, event).await?;
        let found = self
            .commands
            .store()
            .find_registration(event.id, id)
            .await?;
        let found = found.ok_or(Error::NO_REGISTRATION)?;
        let mut listed = self.listed(caller, &event, vec![found], 1, None).await?;
        let failure = listed.mail_failures.remove(&id);
        let found = listed.registrations.into_iter().next();
        Ok((found.ok_or(Error::NO_REGISTRATION)?, failure))
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

/// The words of a search, with addresses as they are stored.
fn as_stored(text: &str) -> String {
    let words: Vec<_> = text.split([' ', ',']).map(email::in_ascii).collect();
    words.join(" ")
}
