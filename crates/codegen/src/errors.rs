//! The errors that a route can answer with.

use crate::{
    model::{Api, Method},
    options::{Access, Reason},
    parts::Parts,
    route::Route,
};

/// Invalid input.
pub(crate) const INVALID_REQUEST: &str = "INVALID_REQUEST";
/// Rate limits.
pub(crate) const RATE_LIMITED: &str = "RATE_LIMITED";
const UNAUTHORIZED: &str = "UNAUTHORIZED";
/// The credential lacks the scope.
pub(crate) const INSUFFICIENT_SCOPE: &str = "INSUFFICIENT_SCOPE";
const ACCOUNT_SUSPENDED: &str = "ACCOUNT_SUSPENDED";
const PLAN_REQUIRED: &str = "PLAN_REQUIRED";
const PAYLOAD_TOO_LARGE: &str = "PAYLOAD_TOO_LARGE";
const UNSUPPORTED_MEDIA_TYPE: &str = "UNSUPPORTED_MEDIA_TYPE";
const IDEMPOTENCY_KEY_IN_USE: &str = "IDEMPOTENCY_KEY_IN_USE";
const IDEMPOTENCY_KEY_REUSED: &str = "IDEMPOTENCY_KEY_REUSED";
const INTERNAL: &str = "INTERNAL";
const UNAVAILABLE: &str = "UNAVAILABLE";

/// The codes that an rpc does not have to name, since its access and its input imply them.
pub(crate) const IMPLIED: [&str; 11] = [
    INVALID_REQUEST,
    UNAUTHORIZED,
    INSUFFICIENT_SCOPE,
    ACCOUNT_SUSPENDED,
    PLAN_REQUIRED,
    IDEMPOTENCY_KEY_IN_USE,
    IDEMPOTENCY_KEY_REUSED,
    PAYLOAD_TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    INTERNAL,
    UNAVAILABLE,
];

/// Every error that a well-routed request can be answered with, in the order of the proto.
pub(crate) fn of_route<'a>(api: &'a Api, method: &Method, route: &Route) -> Vec<&'a Reason> {
    let parts = Parts::new(api, method, route);
    of_call(api, method, parts.body.is_some() || parts.file.is_some())
}

/// Every error that a call over gRPC can be answered with, in the order of the proto.
pub(crate) fn of_rpc<'a>(api: &'a Api, method: &Method) -> Vec<&'a Reason> {
    of_call(api, method, false)
}

fn of_call<'a>(api: &'a Api, method: &Method, body: bool) -> Vec<&'a Reason> {
    let credential = method.rules.access != Access::Public;
    let paid = method.rules.access == Access::Paid;
    let possible = |code: &str| match code {
        // Every route refuses unknown query parameters.
        INVALID_REQUEST | INTERNAL | UNAVAILABLE => true,
        UNAUTHORIZED => credential,
        INSUFFICIENT_SCOPE | ACCOUNT_SUSPENDED => method.rules.scope.is_some(),
        IDEMPOTENCY_KEY_IN_USE | IDEMPOTENCY_KEY_REUSED => method.rules.idempotency_key,
        // Calls of an account are limited, and look-ups of unknown keys.
        RATE_LIMITED if credential => true,
        PLAN_REQUIRED if paid => true,
        PAYLOAD_TOO_LARGE | UNSUPPORTED_MEDIA_TYPE => body,
        _ => method.rules.errors.iter().any(|named| named == code),
    };
    api.reasons
        .iter()
        .filter(|reason| possible(&reason.code))
        .collect()
}
