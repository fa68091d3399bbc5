//! The only mapping from errors of use cases to gRPC statuses.

use std::time::Duration;

use muster_api::{
    Reason,
    metadata::{RATE_LIMIT, RATE_LIMIT_POLICY},
    status::{invalid, overloaded, retry_after, status},
};
use tonic::{Status, metadata::MetadataMap};

use crate::service::{Allowance, Error};

/// The status for an error. Internal details are logged here, once, and not sent.
pub(super) fn refuse(error: Error) -> Status {
    let message = error.to_string();
    let reason = match error {
        Error::Invalid(violations) => return invalid(&violations),
        Error::Unauthorized => Reason::Unauthorized,
        Error::QuotaExceeded { .. } => Reason::QuotaExceeded,
        Error::PlanRequired => Reason::PlanRequired,
        Error::NotFound { .. } => Reason::NotFound,
        Error::EventCancelled => Reason::EventCancelled,
        Error::PublishEnded | Error::EventEnded => Reason::EventEnded,
        Error::EventNotPublished => Reason::EventNotPublished,
        Error::AlreadyRegistered => Reason::AlreadyRegistered,
        Error::RegistrationCancelled => Reason::RegistrationCancelled,
        Error::NotConfirmed(_) => Reason::NotConfirmed,
        Error::AwaitsConfirmation => Reason::AwaitsConfirmation,
        Error::RateLimited { wait, allowance } => return refuse_rate(message, wait, allowance),
        Error::Busy => return overloaded(),
        Error::CapacityBelowConfirmed { .. } => Reason::CapacityTooLow,
        Error::Conflict(_) => Reason::Conflict,
        Error::IdempotencyKeyReused => Reason::IdempotencyKeyReused,
        Error::IdempotencyKeyInUse => Reason::IdempotencyKeyInUse,
        Error::Unavailable(cause) => {
            tracing::warn!(error = %cause, "the database is unavailable");
            Reason::Unavailable
        }
        Error::Internal(cause) => {
            tracing::error!(error = %cause, "a use case failed");
            Reason::Internal
        }
    };
    status(reason, message)
}

/// The status for what was done too often.
fn refuse_rate(message: String, wait: Duration, allowance: Option<Allowance>) -> Status {
    let mut status = retry_after(Reason::RateLimited, message, wait);
    if let Some(allowance) = allowance {
        tell_allowance(status.metadata_mut(), allowance);
    }
    status
}

/// Adds the client's remaining allowance, in the form of draft-ietf-httpapi-ratelimit-headers.
pub(super) fn tell_allowance(metadata: &mut MetadataMap, allowance: Allowance) {
    let Allowance {
        quota,
        window_seconds,
        remaining,
        reset_seconds,
    } = allowance;
    let policy = format!("\"address\";q={quota};w={window_seconds}");
    let left = format!("\"address\";r={remaining};t={reset_seconds}");
    for (name, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
        if let Ok(value) = value.parse() {
            metadata.insert(name, value);
        }
    }
}
