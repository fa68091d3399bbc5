//! Checking a credential and its scopes at core.

use std::any::Any;

use futures_util::{FutureExt, future::BoxFuture};
use muster_api::{
    Scope, binding::Rpc, internal::v1::CheckCredentialResponse, status::insufficient_scope,
};

use crate::{Context, Core, Problem};

/// Checks at core that the context's credential is valid and has the scope, if one is needed.
pub type CheckCredential =
    for<'c> fn(&'c Core, &'c Context, Option<Scope>) -> BoxFuture<'c, Result<(), Problem>>;

/// Checks by an rpc with `CHECKS_CREDENTIAL`. An answer other than [`CheckCredentialResponse`] grants no scope.
pub fn check_credential<'c, R: Rpc>(
    core: &'c Core,
    context: &'c Context,
    needed: Option<Scope>,
) -> BoxFuture<'c, Result<(), Problem>> {
    async move {
        let checked = core.call::<R>(R::Request::default(), context).await;
        let (answer, _metadata) = checked.map_err(|status| Problem::from(&status))?;
        match needed {
            Some(scope) if !lists(&answer, scope) => Err(Problem::from(&insufficient_scope(scope))),
            _ => Ok(()),
        }
    }
    .boxed()
}

fn lists(answer: &dyn Any, scope: Scope) -> bool {
    let answer = answer.downcast_ref::<CheckCredentialResponse>();
    answer.is_some_and(|answer| answer.scopes.iter().any(|has| has == scope.name()))
}
