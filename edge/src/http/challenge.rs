//! How a client is told to prove who it is.

use http::HeaderValue;

use crate::Problem;

/// `WWW-Authenticate` as RFC 6750 has it, where a credential is what is missing.
pub(super) fn challenge(problem: &Problem) -> Option<HeaderValue> {
    let is_unauthorized = problem.http_status == 401;
    is_unauthorized.then(|| HeaderValue::from_static("Bearer realm=\"muster\""))
}
