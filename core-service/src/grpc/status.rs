//! The only mapping from errors of use cases to gRPC statuses.

use std::time::Duration;

use domain::{mail::quota::Exceeded, scope::Scope};
use http::HeaderMap;
use muster_api::{
    Reason,
    metadata::{RATE_LIMIT, RATE_LIMIT_POLICY},
    status::{
        insufficient_grant, insufficient_role, insufficient_scope, invalid, only_some_events,
        overloaded, quota_exceeded, retry_after, status, with_violations,
    },
    violation::Violation,
};
use server::telemetry::chain;
use tonic::{Status, metadata::MetadataMap};

use crate::service::{Allowance, Error, Lacking, new_account_limit};

/// The name of the daily quota of mails, in details and rate limits.
const DAILY_MAILS: &str = "daily_mails";

/// The same for mails of a new account to people who did not register themselves.
const NEW_ACCOUNT_MAILS: &str = "new_account_mails";

/// When clients may search again: an index of a million events takes minutes.
const INDEX_WAIT: Duration = Duration::from_mins(1);

/// The status for an error. Internal details are logged here, once, and not sent.
pub(super) fn refuse(error: Error) -> Status {
    let message = error.to_string();
    let reason = match error {
        Error::Invalid(violations) => return invalid(&violations),
        Error::PlanForbids { first, details } => return with_violations(&refuse(*first), &details),
        Error::Unauthorized | Error::WrongAudience(_) => Reason::Unauthorized,
        Error::AccountSuspended => Reason::AccountSuspended,
        Error::StepUpRequired => Reason::StepUpRequired,
        Error::QuotaExceeded { .. } => Reason::QuotaExceeded,
        Error::PlanRequired => Reason::PlanRequired,
        Error::MessagesOff => Reason::NotOffered,
        Error::NotFound { .. } => Reason::NotFound,
        Error::EventCancelled => Reason::EventCancelled,
        Error::PublishEnded | Error::EventEnded => Reason::EventEnded,
        Error::EventNotPublished => Reason::EventNotPublished,
        Error::RegistrationNotOpen(opens) => {
            let reason = status(Reason::RegistrationNotOpen, message);
            return with_violations(&reason, &[is("registration_opens", &opens)]);
        }
        Error::RegistrationClosed(since) => {
            let cause = match since {
                Some(closed) => is("registration_closes", &closed),
                None => is("is_registration_open", "false"),
            };
            return with_violations(&status(Reason::RegistrationClosed, message), &[cause]);
        }
        Error::AlreadyRegistered => Reason::AlreadyRegistered,
        Error::RegistrationCancelled => Reason::RegistrationCancelled,
        Error::NotConfirmed(_) => Reason::NotConfirmed,
        Error::AwaitsConfirmation => Reason::AwaitsConfirmation,
        Error::RateLimited { wait, allowance } => return refuse_rate(message, wait, allowance),
        Error::DailyMails { exceeded, wait, .. } => {
            return refuse_mails(message, exceeded, wait);
        }
        Error::NewAccountMails { exceeded, wait } => {
            // Tools show the details alone.
            let text = new_account_limit(&exceeded);
            return quota_exceeded(message, NEW_ACCOUNT_MAILS, &text, wait);
        }
        Error::Busy => return overloaded(),
        Error::IndexIncomplete => return retry_after(Reason::Unavailable, message, INDEX_WAIT),
        Error::TooManyUnknownKeys { wait }
        | Error::ExportUnderWay { wait }
        | Error::TooManyWaits { wait, .. } => return refuse_rate(message, wait, None),
        Error::InsufficientScope { needed, lacking } => return refuse_scope(needed, lacking),
        Error::ReadTooSlowly | Error::CoversBusy => Reason::Unavailable,
        Error::CapacityBelowConfirmed { .. } | Error::CapacityBelowConfirmedOn { .. } => {
            Reason::CapacityTooLow
        }
        Error::NotAllowedNow(_) | Error::Conflict(_) => Reason::Conflict,
        Error::IdempotencyKeyReused => Reason::IdempotencyKeyReused,
        Error::IdempotencyKeyInUse => Reason::IdempotencyKeyInUse,
        Error::Unavailable(cause) => {
            tracing::warn!(error = %chain(&cause), "the database is unavailable");
            Reason::Unavailable
        }
        Error::Internal(cause) => {
            tracing::error!(error = %chain(&cause), "a use case failed");
            Reason::Internal
        }
    };
    status(reason, message)
}

/// What a field of an event is, as the cause of a refusal.
fn is(field: &str, value: &str) -> Violation {
    Violation {
        field: field.to_owned(),
        message: format!("is {value}"),
    }
}

/// The status for a caller without this scope.
fn refuse_scope(needed: Scope, lacking: Lacking) -> Status {
    match lacking {
        Lacking::Key => insufficient_scope(needed),
        Lacking::Role => insufficient_role(needed),
        Lacking::Events => only_some_events(needed),
        Lacking::Grant(granted) => insufficient_grant(needed, &granted.joined(" ")),
    }
}

/// The status for what was done too often.
fn refuse_rate(message: String, wait: Duration, allowance: Option<Allowance>) -> Status {
    let mut status = retry_after(Reason::RateLimited, message, wait);
    if let Some(allowance) = allowance {
        tell_allowance(status.metadata_mut(), allowance);
    }
    status
}

/// The status for mails beyond a daily quota, with the quota and the time at which it begins anew.
fn refuse_mails(message: String, exceeded: Exceeded, wait: Duration) -> Status {
    let Exceeded {
        limit,
        used,
        needed,
        resets_at,
    } = exceeded;
    let text = format!(
        "allows {limit} a day, of which {used} are used, and this needs {needed}; resets at {resets_at}"
    );
    quota_exceeded(message, DAILY_MAILS, &text, wait)
}

/// Adds the remaining allowance of a client or an account, in the form of draft-ietf-httpapi-ratelimit-headers.
pub(super) fn tell_allowance(metadata: &mut MetadataMap, allowance: Allowance) {
    write_allowance(metadata.as_mut(), allowance);
}

/// The same to the headers of an answer.
pub(super) fn write_allowance(headers: &mut HeaderMap, allowance: Allowance) {
    let Allowance {
        name,
        quota,
        window_seconds,
        remaining,
        reset_seconds,
    } = allowance;
    let policy = format!("\"{name}\";q={quota};w={window_seconds}");
    let left = format!("\"{name}\";r={remaining};t={reset_seconds}");
    for (name, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
        if let Ok(value) = value.parse() {
            headers.insert(name, value);
        }
    }
}
