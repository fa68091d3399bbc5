//! Checking a credential: that a request has one, before anything else is read, and at core that it is valid and has a scope.

use http::{HeaderMap, header::AUTHORIZATION};
use muster_api::{
    Reason, Scope,
    internal::v1::{CheckCredentialRequest, CheckCredentialResponse, bindings::CheckCredential},
    status::insufficient_scope,
};
use rpc_client::{Context, Core};

use super::Challenge;
use crate::Problem;

/// Checks at core that the context's credential is valid and has the scope, if one is needed. Core refuses who lacks it, in its own words.
///
/// # Errors
/// Core's refusal.
pub async fn check_credential(
    core: &Core,
    context: &Context,
    needed: Option<Scope>,
) -> Result<CheckCredentialResponse, Problem> {
    let request = CheckCredentialRequest {
        scope: needed.map(|scope| scope.to_string()),
    };
    let checked = core.call::<CheckCredential>(request, context).await;
    let (checked, _metadata) = checked.map_err(|status| Problem::from(&status))?;
    let has = |scope: Scope| checked.scopes.iter().any(|has| has == scope.name());
    match needed {
        // A core of another version may not have read the scope.
        Some(scope) if !has(scope) => Err(Problem::from(&insufficient_scope(scope))),
        _ => Ok(checked),
    }
}

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
