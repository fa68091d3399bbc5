//! What a plan allows: active events (rule 13 of docs/rules.md), and asking for approval.

use domain::{
    account::Account,
    change::Change,
    event::{Event, EventPatch},
    instant::Instant,
    plan::Plans,
};
use storage::Reads;

use crate::service::{Context, Error};

/// Refuses one more active event than the plan allows. The account must be locked, so that of two concurrent calls the second
/// counts the first.
pub(super) async fn check(
    context: &mut Context,
    plans: &Plans,
    account: &Account,
) -> Result<(), Error> {
    check_all(&context.tx, (plans, account), 1, context.now).await
}

/// The same for several more at once. Without a lock it is what would be refused now.
pub(super) async fn check_all(
    reads: &Reads,
    (plans, account): (&Plans, &Account),
    more: usize,
    now: Instant,
) -> Result<(), Error> {
    let Some(limit) = plans.active_events.of(account.plan) else {
        return Ok(());
    };
    let max = i64::from(limit);
    let needed = i64::try_from(more).unwrap_or(i64::MAX);
    let active = reads.count_active_events(account.id, now, max).await?;
    let left = max.saturating_sub(active);
    if needed <= left {
        return Ok(());
    }
    Err(Error::QuotaExceeded {
        plan: account.plan,
        limit,
        left,
        needed,
    })
}

/// Refuses to ask for approval on a plan that does not show registrations, since nobody could approve.
pub(super) fn check_approval(account: &Account, asks: bool) -> Result<(), Error> {
    if !asks || account.plan.is_paid() {
        Ok(())
    } else {
        Err(Error::PlanRequired)
    }
}

/// Whether a change makes an event ask for approval. One that asks already may go on.
pub(super) fn begins_to_ask(before: &Event, patch: &EventPatch) -> bool {
    !before.requires_approval && matches!(patch.requires_approval, Change::Set(true))
}
