//! Reading the caller and ids from a request.

use std::{net::IpAddr, str::FromStr};

use tonic::{Request, Status};

use super::{edges::Arrival, status::refuse};
use crate::{
    domain::ids::{EventId, RegistrationId},
    service::{Caller, Error, Principal, SignedIn},
};

/// The caller, as the gate has authenticated it. Without one the call is refused.
pub(super) fn caller<T>(request: &Request<T>) -> Result<Principal, Status> {
    request
        .extensions()
        .get()
        .copied()
        .ok_or_else(|| refuse(Error::Unauthorized))
}

/// The person who is signed in, as the gate has authenticated them. Without one the call is refused.
pub(super) fn person<T>(request: &Request<T>) -> Result<SignedIn, Status> {
    let caller: Option<&Caller> = request.extensions().get();
    let person = caller.and_then(|caller| caller.person);
    person.ok_or_else(|| refuse(Error::Unauthorized))
}

/// An id of something. A malformed id is not found.
pub(super) fn id_of<T: FromStr>(what: &'static str, text: Option<String>) -> Result<T, Status> {
    let id = text.unwrap_or_default().parse();
    id.map_err(|_| refuse(Error::NotFound { what }))
}

/// The address of the client, as the gate has determined it.
pub(super) fn client_address<T>(request: &Request<T>) -> Option<IpAddr> {
    request.extensions().get::<Arrival>()?.client
}

/// An id. A malformed id is not found (rule 14 of docs/rules.md).
pub(super) fn id<T: FromStr>(text: &str) -> Result<T, Status> {
    text.parse().map_err(|_| refuse(Error::NO_EVENT))
}

/// The ids of an event and of a registration for it.
pub(super) fn ids(event: &str, registration: &str) -> Result<(EventId, RegistrationId), Status> {
    let registration = registration.parse();
    Ok((
        id(event)?,
        registration.map_err(|_| refuse(Error::NO_REGISTRATION))?,
    ))
}

/// The ids of registrations.
pub(super) fn registration_ids(texts: &[String]) -> Result<Vec<RegistrationId>, Status> {
    let ids = texts.iter().map(|text| text.parse());
    let ids: Result<_, _> = ids.collect();
    ids.map_err(|_| refuse(Error::NO_REGISTRATION))
}
