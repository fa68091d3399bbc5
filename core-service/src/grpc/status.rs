//! The one mapping from what a use case says to a gRPC status.

use muster_api::{
    Reason,
    status::{invalid, status},
    validation::Violation,
};
use tonic::Status;

use crate::{domain::violation::FieldViolation, service::Error};

/// The status for a refusal or a failure. What is not for callers is logged here, once, and not sent.
pub(super) fn refuse(error: Error) -> Status {
    let message = error.to_string();
    let reason = match error {
        Error::Invalid(violations) => return refuse_fields(violations),
        Error::Unauthorized => Reason::Unauthorized,
        Error::QuotaExceeded { .. } => Reason::QuotaExceeded,
        Error::PlanRequired => Reason::PlanRequired,
        Error::NotFound { .. } => Reason::NotFound,
        Error::EventCancelled => Reason::EventCancelled,
        Error::EventEnded => Reason::EventEnded,
        Error::EventNotPublished => Reason::EventNotPublished,
        Error::AlreadyRegistered => Reason::AlreadyRegistered,
        Error::RegistrationCancelled => Reason::RegistrationCancelled,
        Error::NotConfirmed(_) => Reason::NotConfirmed,
        Error::Busy => Reason::Unavailable,
        Error::CapacityBelowConfirmed { .. } => Reason::CapacityTooLow,
        Error::Conflict(_) => Reason::Conflict,
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

/// The status for fields that break rules.
pub(super) fn refuse_fields(violations: Vec<FieldViolation>) -> Status {
    let told = |FieldViolation { field, message }| Violation { field, message };
    invalid(&violations.into_iter().map(told).collect::<Vec<_>>())
}
