//! The plan's quota of active events (rule 13 of docs/rules.md).

use crate::{
    domain::{account::Account, plan::Plans},
    service::{Error, Unit},
};

/// Refuses one more active event than the plan allows. The account must be locked, so that of two concurrent calls the second
/// counts the first.
pub(super) async fn check(unit: &mut Unit, plans: &Plans, account: &Account) -> Result<(), Error> {
    let Some(limit) = plans.active_events.of(account.plan) else {
        return Ok(());
    };
    let active = unit.tx.count_active_events(account.id, unit.now).await?;
    if active < i64::from(limit) {
        return Ok(());
    }
    Err(Error::QuotaExceeded {
        plan: account.plan,
        limit,
    })
}
