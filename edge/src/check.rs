//! Whether a credential is valid, as core says.

use futures_util::{FutureExt, future::BoxFuture};
use muster_api::binding::Rpc;

use crate::{Context, Core, Problem};

/// Asks core whether the context's credential is valid.
pub type CheckCredential = for<'c> fn(&'c Core, &'c Context) -> BoxFuture<'c, Result<(), Problem>>;

/// Asks by that rpc, one with `CHECKS_CREDENTIAL`.
pub fn check_credential<'c, R: Rpc>(
    core: &'c Core,
    context: &'c Context,
) -> BoxFuture<'c, Result<(), Problem>> {
    async move {
        let checked = core.call::<R>(R::Request::default(), context).await;
        checked
            .map(|_answer| ())
            .map_err(|status| Problem::from(&status))
    }
    .boxed()
}
