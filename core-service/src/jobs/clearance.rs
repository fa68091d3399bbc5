//! Asking whether a claimed mail may still be sent.

use domain::job::ClaimedJob;
use futures_util::future::BoxFuture;
use storage::{Clearance, Store};

use crate::email::Undelivered;

/// Asks right before the mail server hears of a mail: an operator may have held or dropped it since it was claimed.
pub(super) fn ask<'a>(
    store: &'a Store,
    job: &'a ClaimedJob,
) -> BoxFuture<'a, Result<(), Undelivered>> {
    Box::pin(async {
        match store.clearance(job).await {
            Ok(Clearance::Granted) => Ok(()),
            Ok(Clearance::Held) => Err(Undelivered::Held),
            Ok(Clearance::Withdrawn) => Err(Undelivered::Withdrawn),
            Err(error) => Err(Undelivered::Temporary(error.to_string())),
        }
    })
}
