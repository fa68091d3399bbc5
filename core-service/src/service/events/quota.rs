//! What a plan allows: active events (rule 13 of docs/rules.md), and asking for approval.

use domain::{
    account::Account,
    change::Change,
    event::{Event, EventPatch},
    plan::Plans,
};

use crate::service::{Context, Error};

/// Refuses one more active event than the plan allows. The account must be locked, so that of two concurrent calls the second
/// counts the first.
pub(super) async fn check(
    context: &mut Context,
    plans: &Plans,
    account: &Account,
) -> Result<(), Error> {
    check_all(context, plans, account, 1).await
}

/// The same for so many more at once.
pub(super) async fn check_all(
    context: &mut Context,
    plans: &Plans,
    account: &Account,
    more: usize,
) -> Result<(), Error> {
    let Some(limit) = plans.active_events.of(account.plan) else {
        return Ok(());
    };
    let (tx, now, most) = (&mut context.tx, context.now, i64::from(limit));
    let more = i64::try_from(more).unwrap_or(i64::MAX);
    let active = tx.count_active_events(account.id, now, most).await?;
    if active.saturating_add(more) <= most {
        return Ok(());
    }
    Err(Error::QuotaExceeded {
        plan: account.plan,
        limit,
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
