//! Errors as gRPC statuses with rich details: `google.rpc.ErrorInfo`, `BadRequest` for invalid input, and `QuotaFailure` for a quota
//! that is used up.

use std::{collections::HashMap, time::Duration};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::{
    Scope,
    v1::reasons::Reason,
    violation::{MAX_MESSAGE_LENGTH, MAX_VIOLATIONS, Violation, answered, shortened},
};

/// `ErrorInfo.domain` of every reason.
pub const DOMAIN: &str = "muster";

/// The entry of `ErrorInfo.metadata` that names the scope of [`Reason::InsufficientScope`].
pub const SCOPE: &str = "scope";

/// The entry of `ErrorInfo.metadata` with the scopes that an access token has, separated by spaces. It is there if its person can
/// grant the missing one as well.
pub const GRANTED: &str = "granted";

/// A status with this reason.
pub fn status(reason: Reason, message: impl Into<String>) -> Status {
    let details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
    Status::with_error_details(reason.grpc_code(), message, details)
}

/// A status that names the missing scope and says how to get it. `ErrorInfo.metadata` contains it as [`SCOPE`].
pub fn insufficient_scope(scope: Scope) -> Status {
    let message = format!(
        "the API key lacks the scope {scope}: use a key that has it, for example one made by `key create --scope {scope}`"
    );
    lacks(scope, None, message)
}

/// The same for an app whose person could agree to the scope, but has agreed to others only. `ErrorInfo.metadata` contains those as
/// [`GRANTED`], separated by spaces.
pub fn insufficient_grant(scope: Scope, granted: &str) -> Status {
    let message = format!(
        "this connection was not granted the scope {scope}: connect the app again, and agree to it"
    );
    lacks(scope, Some(granted), message)
}

/// The same for a person whose role does not allow what needs the scope.
pub fn insufficient_role(scope: Scope) -> Status {
    let message = format!("your role in this account does not allow this: it lacks {scope}");
    lacks(scope, None, message)
}

/// The same for a person who is a member for some events only, of an rpc that is about the account as a whole.
pub fn only_some_events(scope: Scope) -> Status {
    let message = "you are a member of this account for some events only (list your events to see which), and this is about more than those: ask an owner of the account";
    lacks(scope, None, message)
}

fn lacks(scope: Scope, granted: Option<&str>, message: impl Into<String>) -> Status {
    let reason = Reason::InsufficientScope;
    let mut metadata = HashMap::from([(SCOPE.to_owned(), scope.to_string())]);
    metadata.extend(granted.map(|granted| (GRANTED.to_owned(), granted.to_owned())));
    let details = ErrorDetails::with_error_info(reason.code(), DOMAIN, metadata);
    Status::with_error_details(reason.grpc_code(), message, details)
}

/// The same status, with the id of the request that it refuses as `google.rpc.RequestInfo`.
pub fn about_request(status: &Status, request_id: &str) -> Status {
    let mut details = status.get_error_details();
    details.set_request_info(request_id, "");
    let metadata = status.metadata().clone();
    Status::with_error_details_and_metadata(status.code(), status.message(), details, metadata)
}

/// The same status, with what is wrong with each field.
pub fn with_violations(status: &Status, violations: &[Violation]) -> Status {
    let mut details = status.get_error_details();
    for Violation { field, message } in answered(violations) {
        details.add_bad_request_violation(field, message);
    }
    Status::with_error_details(status.code(), status.message(), details)
}

/// A status with this reason and a time to try again.
pub fn retry_after(reason: Reason, message: impl Into<String>, wait: Duration) -> Status {
    let mut details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
    details.set_retry_info(Some(wait));
    Status::with_error_details(reason.grpc_code(), message, details)
}

/// When clients may try again whose call was one too many: the calls under way take less.
const OVERLOAD_SECONDS: u64 = 1;

/// The status of a call that is refused at once, since there are too many at a time.
pub fn overloaded() -> Status {
    let message = format!("too many requests at once; try again in {OVERLOAD_SECONDS} s");
    let wait = Duration::from_secs(OVERLOAD_SECONDS);
    retry_after(Reason::Unavailable, message, wait)
}

/// A status for a quota that is used up, with its name and description as `google.rpc.QuotaFailure`, and a time to try again.
pub fn quota_exceeded(
    message: impl Into<String>,
    name: &str,
    description: &str,
    wait: Duration,
) -> Status {
    let reason = Reason::RateLimited;
    let mut details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
    details.set_retry_info(Some(wait));
    details.add_quota_failure_violation(name, description);
    Status::with_error_details(reason.grpc_code(), message, details)
}

/// A status that says what is wrong with each field, as far as an answer has room for it. The first one is in the message, too.
pub fn invalid(violations: &[Violation]) -> Status {
    let first = |Violation { field, message }: &Violation| {
        shortened(format!("{field} {message}"), MAX_MESSAGE_LENGTH)
    };
    let message = match violations {
        [] => "the request is invalid".to_owned(),
        [one] => first(one),
        [one, rest @ ..] => {
            let least = if violations.len() < MAX_VIOLATIONS {
                ""
            } else {
                "at least "
            };
            let more = rest.len();
            format!("{} (and {least}{more} more, see details)", first(one))
        }
    };
    let mut details = ErrorDetails::with_error_info(Reason::InvalidRequest.code(), DOMAIN, []);
    for Violation { field, message } in answered(violations) {
        details.add_bad_request_violation(field, message);
    }
    Status::with_error_details(Reason::InvalidRequest.grpc_code(), message, details)
}

/// The canonical name of a code, as the documentation of gRPC writes it.
pub const fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
