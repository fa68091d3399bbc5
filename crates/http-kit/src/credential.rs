//! Checking a credential: that a request has one, before anything else is read, and at core that it is valid and has a scope.

use std::any::Any;

use futures_util::{FutureExt, future::BoxFuture};
use http::{HeaderMap, header::AUTHORIZATION};
use muster_api::{
    Reason, Scope,
    binding::Rpc,
    internal::v1::{CheckCredentialRequest, CheckCredentialResponse},
    status::insufficient_scope,
};
use rpc_client::{Context, Core};

use super::Challenge;
use crate::Problem;

/// What core says of a valid credential; `None` if it says so in another way than [`CheckCredentialResponse`].
pub type Checked = Option<CheckCredentialResponse>;

/// Checks at core that the context's credential is valid and has the scope, if one is needed.
pub type CheckCredential =
    for<'c> fn(&'c Core, &'c Context, Option<Scope>) -> BoxFuture<'c, Result<Checked, Problem>>;

/// Checks by an rpc with `CHECKS_CREDENTIAL`. Core refuses who lacks the scope, in its own words. An answer other than
/// [`CheckCredentialResponse`] grants no scope.
pub fn check_credential<'c, R: Rpc>(
    core: &'c Core,
    context: &'c Context,
    needed: Option<Scope>,
) -> BoxFuture<'c, Result<Checked, Problem>> {
    async move {
        let mut request = R::Request::default();
        let asked: &mut dyn Any = &mut request;
        if let Some(asked) = asked.downcast_mut::<CheckCredentialRequest>() {
            asked.scope = needed.map(|scope| scope.to_string());
        }
        let checked = core.call::<R>(request, context).await;
        let (answer, _metadata) = checked.map_err(|status| Problem::from(&status))?;
        let answer: &dyn Any = &answer;
        let checked = answer.downcast_ref::<CheckCredentialResponse>();
        match needed {
            // Nor does a core of another version, which may not have read the scope.
            Some(scope) if !checked.is_some_and(|checked| lists(checked, scope)) => {
                Err(Problem::from(&insufficient_scope(scope)))
            }
            _ => Ok(checked.cloned()),
        }
    }
    .boxed()
}

fn lists(checked: &CheckCredentialResponse, scope: Scope) -> bool {
    checked.scopes.iter().any(|has| has == scope.name())
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
