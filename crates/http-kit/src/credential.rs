//! Checking that a request has a credential, before anything else is read.

use http::{HeaderMap, header::AUTHORIZATION};
use muster_api::Reason;

use super::Challenge;
use crate::Problem;

/// Checks that there is one `Authorization: Bearer <token>`. Whether the token is any good, core decides.
///
/// # Errors
/// A problem that says what is missing.
pub fn require_bearer(headers: &HeaderMap) -> Result<(), Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let problem = |message: &str| Err(Problem::new(Reason::Unauthorized, message));
    let Some(value) = values.next() else {
        let message = "this needs an API key or an access token: send the header Authorization: Bearer <API_KEY>";
        return Err(Problem {
            challenge: Some(Challenge::Credential),
            ..Problem::new(Reason::Unauthorized, message)
        });
    };
    if values.next().is_some() || !is_bearer(value.as_bytes()) {
        return problem("the header Authorization must be: Bearer <API_KEY>");
    }
    Ok(())
}

/// RFC 6750: the scheme in any case, and a token of its characters.
fn is_bearer(value: &[u8]) -> bool {
    const SCHEME: &[u8] = b"bearer ";
    let Some((scheme, token)) = value.split_at_checked(SCHEME.len()) else {
        return false;
    };
    let token = token.trim_ascii();
    let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte);
    scheme.eq_ignore_ascii_case(SCHEME) && !token.is_empty() && token.iter().all(valid)
}
