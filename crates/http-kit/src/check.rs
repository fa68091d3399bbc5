//! Checking a credential and its scopes at core.

use std::any::Any;

use futures_util::{FutureExt, future::BoxFuture};
use muster_api::{
    Scope,
    binding::Rpc,
    internal::v1::{CheckCredentialRequest, CheckCredentialResponse},
    status::insufficient_scope,
};
use rpc_client::{Context, Core};

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
