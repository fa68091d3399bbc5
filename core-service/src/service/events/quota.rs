//! The plan's quota of active events (design.md 3.13).

use crate::{
    domain::{account::Account, instant::Instant, plan::Plans},
    service::Error,
    storage::Tx,
};

/// Refuses one more active event than the plan allows. The account must be locked: of two that come at once, the second
/// counts the first.
pub(super) async fn check(
    tx: &mut Tx,
    plans: &Plans,
    account: &Account,
    now: Instant,
) -> Result<(), Error> {
    let Some(limit) = plans.quota(account.plan) else {
        return Ok(());
    };
    if tx.count_active_events(account.id, now).await? < i64::from(limit) {
        return Ok(());
    }
    Err(Error::QuotaExceeded {
        plan: account.plan,
        limit,
    })
}
