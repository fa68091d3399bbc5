//! Errors for clients: the only mapping from gRPC statuses to HTTP.

use std::time::Duration;

use muster_api::{
    Reason,
    metadata::MISTAKEN,
    status::{DOMAIN, GRANTED, SCOPE},
    violation::{Violation, Violations},
};
use serde::Serialize;
use server::observe::RequestId;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::{
    challenge::{Challenge, TokenSource},
    rate_limit::RateLimit,
};

/// When to try again after a temporary failure: a failed replica is probed after the same time.
const RETRY_SECONDS: u64 = 5;

/// An error for clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub http_status: u16,
    /// `error.code`.
    pub code: &'static str,
    /// A message for people, without internal details.
    pub message: String,
    /// The violations by field, or the quota that is used up by its name.
    pub details: Vec<Violation>,
    /// When to try again, in seconds, if that can help.
    pub retry_after_seconds: Option<u64>,
    /// The challenge for `WWW-Authenticate`.
    pub challenge: Option<Challenge>,
    /// The rate limit from core.
    pub rate_limit: Option<Box<RateLimit>>,
    /// What only some problems have, in a box so that all are small.
    pub extra: Option<Box<Extra>>,
    /// The cause, for the log only.
    pub cause: Option<Box<str>>,
}

/// What only some problems have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extra {
    /// The request that was refused, when core answers what it answered an earlier one.
    pub request_id: Option<RequestId>,
    /// Where a token is to be had, for the challenge.
    pub token_source: Option<TokenSource>,
    /// The scopes that an access token has, separated by spaces, if its person can grant the one that it lacks.
    pub granted: Option<Box<str>>,
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
    /// A problem of the edge itself.
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
            extra: None,
            cause: None,
        }
    }

    /// Invalid input that the edge found itself, in the same form as core's.
    pub fn invalid(violations: &[Violation]) -> Self {
        Self::from(&muster_api::status::invalid(violations))
    }

    /// Everything that is wrong with a request: what the edge found, and what core says of it if it was asked. What core says of the
    /// caller, or that something does not exist, comes first. If it cannot answer, what the edge found is true all the same.
    pub fn of_mistakes(found: Vec<Violation>, core: Option<Self>) -> Self {
        match core {
            Some(core) if core.http_status == 400 => {
                let mut mistakes = Violations::from(found);
                let others = core.details.into_iter();
                mistakes.add_others(others.filter(|one| one.field != MISTAKEN));
                Self::invalid(mistakes.as_slice())
            }
            Some(core) if core.http_status >= 500 => Self::invalid(&found),
            Some(core) => core,
            None => Self::invalid(&found),
        }
    }

    /// The JSON of a problem: `{"error":{"code","message","details"?,"request_id"}}`.
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
            request_id: self.request_id().unwrap_or(id).as_str(),
        };
        // Strings always serialize.
        serde_json::to_string(&Document { error }).unwrap_or_default()
    }

    /// The request that was refused, when core answers what it answered an earlier one.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.extra.as_ref()?.request_id.as_ref()
    }

    /// The scopes that an access token has, separated by spaces, if its person can grant the one that it lacks.
    pub fn granted(&self) -> Option<&str> {
        self.extra.as_ref()?.granted.as_deref()
    }

    /// Where a token is to be had.
    pub(crate) fn token_source(&self) -> Option<&TokenSource> {
        self.extra.as_ref()?.token_source.as_ref()
    }

    /// The same problem with another HTTP status, if the reason's own is not exact.
    #[must_use]
    pub fn answered(mut self, http_status: u16) -> Self {
        self.http_status = http_status;
        self
    }

    /// The same problem with a cause, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into().into());
        self
    }
}

impl From<&Status> for Problem {
    fn from(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info().filter(|info| info.domain == DOMAIN);
        let problem = match info.and_then(|info| Reason::from_code(&info.reason)) {
            // Core's own message, which is for clients.
            Some(reason) => Self::new(reason, status.message()),
            // A reason of a newer core that this build does not know: only its code can be used.
            None if info.is_some() => Self::new(by_code(status.code()), status.message()),
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
        let quotas = details
            .quota_failure()
            .map(|failure| &failure.violations[..])
            .unwrap_or_default();
        let scope = info.and_then(|info| info.metadata.get(SCOPE)?.parse().ok());
        let granted = info.and_then(|info| info.metadata.get(GRANTED));
        let request = details.request_info();
        let extra = Extra {
            request_id: request.and_then(|info| RequestId::parse(&info.request_id)),
            granted: granted.map(|granted| granted.as_str().into()),
            token_source: None,
        };
        let wait = details.retry_info().and_then(|info| info.retry_delay);
        Self {
            details: violations
                .iter()
                .map(|violation| (&violation.field, &violation.description))
                .chain(
                    quotas
                        .iter()
                        .map(|quota| (&quota.subject, &quota.description)),
                )
                .map(|(field, message)| Violation {
                    field: field.clone(),
                    message: message.clone(),
                })
                .collect(),
            retry_after_seconds: wait.map(whole_seconds).or(problem.retry_after_seconds),
            challenge: match problem.challenge {
                Some(Challenge::Scope(_)) => Some(Challenge::Scope(scope)),
                other => other,
            },
            rate_limit: RateLimit::of(status.metadata()).map(Box::new),
            extra: (extra != Extra::default()).then(|| Box::new(extra)),
            ..problem
        }
    }
}

/// At least one, and never too early.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// A status of gRPC itself or of the connection to core, not of Muster's rules. Its text is internal, so clients get another
/// one.
fn foreign(status: &Status) -> Problem {
    let reason = by_code(status.code());
    let message = match (reason, status.code()) {
        (_, Code::DeadlineExceeded) => "the request took too long; it may still have taken effect",
        (_, Code::Unimplemented) => "this is temporarily unavailable",
        (Reason::Unavailable, _) => "Muster is temporarily unavailable",
        (Reason::InvalidRequest, _) => "the request is invalid",
        (Reason::Unauthorized, _) => "the API key or access token is not valid",
        (Reason::NotFound, _) => "not found",
        (Reason::RateLimited, _) => "too many requests",
        (Reason::Conflict, _) => "the request conflicts with stored data",
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
        // `Cancelled` means that core is stopping. `Unimplemented` is an rpc that this core does not have yet, during a
        // rollout. Core always gives a reason when it refuses a client, so `PermissionDenied` without one means that core
        // refuses the edge, for example because of a wrong token.
        Code::Unavailable
        | Code::DeadlineExceeded
        | Code::Cancelled
        | Code::Unimplemented
        | Code::PermissionDenied => Reason::Unavailable,
        // `OutOfRange` is tonic's code for an answer above the size limit.
        Code::Ok | Code::Unknown | Code::Internal | Code::DataLoss | Code::OutOfRange => {
            Reason::Internal
        }
    }
}
