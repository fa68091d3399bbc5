//! What a client is told when a call fails: the one mapping from gRPC statuses to HTTP.

use std::time::Duration;

use muster_api::{
    Reason,
    status::{DOMAIN, SCOPE},
    validation::Violation,
};
use process::observe::RequestId;
use serde::Serialize;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::http::{Challenge, rate_limit::RateLimit};

/// When to come back after a failure that passes; a replica that failed is tried again after as long.
const RETRY_SECONDS: u64 = 5;

/// A failure as clients see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub http_status: u16,
    /// `error.code`.
    pub code: &'static str,
    /// For people; never anything internal.
    pub message: String,
    /// What is wrong with which field of the request.
    pub details: Vec<Violation>,
    /// When to try again, in seconds, if that can help.
    pub retry_after_seconds: Option<u64>,
    /// What the client lacks to be let in, for `WWW-Authenticate`.
    pub challenge: Option<Challenge>,
    /// What core says of a rate limit.
    pub rate_limit: Option<Box<RateLimit>>,
    /// The request that was refused, when core answers what it answered an earlier one.
    pub request_id: Option<Box<RequestId>>,
    /// What really happened, for the log alone.
    pub cause: Option<Box<str>>,
}

#[derive(Serialize)]
struct Document<'p> {
    error: Error<'p>,
}

#[derive(Serialize)]
struct Error<'p> {
    code: &'p str,
    message: &'p str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail<'p>>,
    request_id: &'p str,
}

#[derive(Serialize)]
struct Detail<'p> {
    field: &'p str,
    message: &'p str,
}

impl Problem {
    /// A problem that an edge found itself.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            http_status: reason.http_status(),
            code: reason.code(),
            message: message.into(),
            details: Vec::new(),
            retry_after_seconds: matches!(reason, Reason::Unavailable | Reason::RateLimited)
                .then_some(RETRY_SECONDS),
            challenge: match reason {
                Reason::Unauthorized => Some(Challenge::ValidCredential),
                Reason::InsufficientScope => Some(Challenge::Scope(None)),
                _ => None,
            },
            rate_limit: None,
            request_id: None,
            cause: None,
        }
    }

    /// Invalid input that an edge found itself, told as core tells it.
    pub fn invalid(violations: &[Violation]) -> Self {
        Self::from(&muster_api::status::invalid(violations))
    }

    /// The problem as every edge shows it: `{"error":{"code","message","details"?,"request_id"}}`.
    pub fn document(&self, id: &RequestId) -> String {
        let error = Error {
            code: self.code,
            message: &self.message,
            details: self
                .details
                .iter()
                .map(|one| Detail {
                    field: &one.field,
                    message: &one.message,
                })
                .collect(),
            request_id: self.request_id.as_deref().unwrap_or(id).as_str(),
        };
        // Strings always serialize.
        serde_json::to_string(&Document { error }).unwrap_or_default()
    }

    /// With another HTTP status, where the reason's own is not exact.
    #[must_use]
    pub fn answered(mut self, http_status: u16) -> Self {
        self.http_status = http_status;
        self
    }

    /// With what really happened, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into().into());
        self
    }
}

impl From<&Status> for Problem {
    fn from(status: &Status) -> Self {
        let details = status.get_error_details();
        let told = details.error_info().filter(|info| info.domain == DOMAIN);
        let problem = match told.and_then(|info| Reason::from_code(&info.reason)) {
            // Core says so itself, in words meant for clients.
            Some(reason) => Self::new(reason, status.message()),
            // A reason that this build does not know, from a newer core: its code is all there is to go by.
            None if told.is_some() => Self::new(by_code(status.code()), status.message()),
            None => foreign(status),
        };
        let problem = match problem.http_status {
            500.. => problem.caused_by(format!("{:?}: {}", status.code(), status.message())),
            _ => problem,
        };
        let violations = details
            .bad_request()
            .map(|bad| &bad.field_violations[..])
            .unwrap_or_default();
        let scope = told.and_then(|info| info.metadata.get(SCOPE)?.parse().ok());
        let request = details.request_info();
        let wait = details.retry_info().and_then(|info| info.retry_delay);
        Self {
            details: violations
                .iter()
                .map(|violation| Violation {
                    field: violation.field.clone(),
                    message: violation.description.clone(),
                })
                .collect(),
            retry_after_seconds: wait.map(whole_seconds).or(problem.retry_after_seconds),
            challenge: match problem.challenge {
                Some(Challenge::Scope(_)) => Some(Challenge::Scope(scope)),
                other => other,
            },
            rate_limit: RateLimit::of(status.metadata()).map(Box::new),
            request_id: request
                .and_then(|info| RequestId::parse(&info.request_id))
                .map(Box::new),
            ..problem
        }
    }
}

/// At least one, and never too early.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// A status that does not come from Muster's rules but from gRPC itself or the way to core. Its text is about internals, so
/// clients get another one.
fn foreign(status: &Status) -> Problem {
    let reason = by_code(status.code());
    let message = match (reason, status.code()) {
        (_, Code::DeadlineExceeded) => {
            "this took too long and was given up; it may still have had its effect"
        }
        (_, Code::Unimplemented) => "this is not available at the moment",
        (Reason::Unavailable, _) => "Muster is out of reach for a moment",
        (Reason::InvalidRequest, _) => "the request is invalid",
        (Reason::Unauthorized, _) => "the API key is not valid",
        (Reason::NotFound, _) => "there is no such thing",
        (Reason::RateLimited, _) => "too many requests in a short time",
        (Reason::Conflict, _) => "the request contradicts what is stored",
        _ => "Muster failed",
    };
    Problem::new(reason, message).caused_by(format!("{:?}: {}", status.code(), status.message()))
}

const fn by_code(code: Code) -> Reason {
    match code {
        Code::InvalidArgument => Reason::InvalidRequest,
        Code::Unauthenticated => Reason::Unauthorized,
        Code::NotFound => Reason::NotFound,
        Code::AlreadyExists | Code::FailedPrecondition | Code::Aborted => Reason::Conflict,
        Code::ResourceExhausted => Reason::RateLimited,
        // `Cancelled` is core stopping. `Unimplemented` is an rpc that this core does not have yet, in the middle of a rollout.
        // Core always says why it refuses a client, so a bare `PermissionDenied` is the way to core that is closed, for example to
        // an edge whose token is wrong.
        Code::Unavailable
        | Code::DeadlineExceeded
        | Code::Cancelled
        | Code::Unimplemented
        | Code::PermissionDenied => Reason::Unavailable,
        // `OutOfRange` is tonic's word for an answer above the size limit.
        Code::Ok | Code::Unknown | Code::Internal | Code::DataLoss | Code::OutOfRange => {
            Reason::Internal
        }
    }
}
