//! Reading ids from a request. A malformed id is not found (rule 14 of docs/rules.md).

use std::str::FromStr;

use domain::ids::{EventId, RegistrationId};

use crate::service::Error;

/// An id of something.
pub(super) fn id_of<T: FromStr>(what: &'static str, text: Option<String>) -> Result<T, Error> {
    let id = text.unwrap_or_default().parse();
    id.map_err(|_| Error::NotFound { what })
}

/// The id of an event.
pub(super) fn event_id(text: &str) -> Result<EventId, Error> {
    text.parse().map_err(|_| Error::NO_EVENT)
}

/// The id of a registration.
pub(super) fn registration_id(text: &str) -> Result<RegistrationId, Error> {
    text.parse().map_err(|_| Error::NO_REGISTRATION)
}

/// The ids of an event and of a registration for it.
pub(super) fn ids(event: &str, registration: &str) -> Result<(EventId, RegistrationId), Error> {
    Ok((event_id(event)?, registration_id(registration)?))
}

/// The ids of registrations.
pub(super) fn registration_ids(texts: &[String]) -> Result<Vec<RegistrationId>, Error> {
    texts.iter().map(|text| registration_id(text)).collect()
}
