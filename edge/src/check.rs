//! Checking a credential and its scopes at core.

use std::any::Any;

use futures_util::{FutureExt, future::BoxFuture};
use muster_api::{
    Scope,
    binding::Rpc,
    internal::v1::{CheckCredentialResponse, CredentialKind},
    status::{insufficient_grant, insufficient_scope},
};
use tonic::Status;

use crate::{Context, Core, Problem};

/// What core says of a valid credential; `None` if it says so in another way than [`CheckCredentialResponse`].
pub type Checked = Option<CheckCredentialResponse>;

/// Checks at core that the context's credential is valid and has the scope, if one is needed.
pub type CheckCredential =
    for<'c> fn(&'c Core, &'c Context, Option<Scope>) -> BoxFuture<'c, Result<Checked, Problem>>;

/// Checks by an rpc with `CHECKS_CREDENTIAL`. An answer other than [`CheckCredentialResponse`] grants no scope.
pub fn check_credential<'c, R: Rpc>(
    core: &'c Core,
    context: &'c Context,
    needed: Option<Scope>,
) -> BoxFuture<'c, Result<Checked, Problem>> {
    async move {
        let checked = core.call::<R>(R::Request::default(), context).await;
        let (answer, _metadata) = checked.map_err(|status| Problem::from(&status))?;
        let answer: &dyn Any = &answer;
        let checked = answer.downcast_ref::<CheckCredentialResponse>();
        match needed {
            Some(scope) if !checked.is_some_and(|checked| lists(checked, scope)) => {
                Err(Problem::from(&refusal(checked, scope)))
            }
            _ => Ok(checked.cloned()),
        }
    }
    .boxed()
}

/// As core's gate refuses the credential.
fn refusal(checked: Option<&CheckCredentialResponse>, needed: Scope) -> Status {
    let app = checked.filter(|checked| checked.kind() == CredentialKind::AccessToken);
    match app {
        Some(app) => insufficient_grant(needed, &app.scopes.join(" ")),
        None => insufficient_scope(needed),
    }
}

fn lists(checked: &CheckCredentialResponse, scope: Scope) -> bool {
    checked.scopes.iter().any(|has| has == scope.name())
}
