//! What every rpc reads from its request: the caller, whom the gate has found, and ids.

use std::{net::IpAddr, str::FromStr};

use muster_api::metadata::CLIENT_ADDRESS;
use tonic::{Request, Status};

use super::status::refuse;
use crate::{
    domain::ids::{EventId, RegistrationId},
    service::{Caller, Error},
};

/// Who calls. The gate has put them there; without them the call is refused, whatever the proto says.
pub(super) fn caller<T>(request: &Request<T>) -> Result<Caller, Status> {
    request
        .extensions()
        .get()
        .copied()
        .ok_or_else(|| refuse(Error::Unauthorized))
}

/// The address of the client: what the edge says that calls for it (the gate has removed what is not to be believed), else
/// the peer of the connection. A Unix socket has none.
pub(super) fn client_address<T>(request: &Request<T>) -> Option<IpAddr> {
    let told = request.metadata().get(CLIENT_ADDRESS);
    let told = told.and_then(|told| told.to_str().ok()?.parse().ok());
    told.or_else(|| request.remote_addr().map(|peer| peer.ip()))
}

/// An event's id. A malformed one names nothing, so it is not found (rule 14 of docs/rules.md).
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
