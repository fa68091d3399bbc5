//! What a plan allows: active events (rule 13 of docs/rules.md), and asking for approval.

use domain::{account::Account, event::Event, plan::Plans};

use crate::service::{Context, Error};

/// Refuses one more active event than the plan allows. The account must be locked, so that of two concurrent calls the second
/// counts the first.
pub(super) async fn check(
    context: &mut Context,
    plans: &Plans,
    account: &Account,
) -> Result<(), Error> {
    let Some(limit) = plans.active_events.of(account.plan) else {
        return Ok(());
    };
    let (tx, now, most) = (&mut context.tx, context.now, i64::from(limit));
    if tx.count_active_events(account.id, now, most).await? < most {
        return Ok(());
    }
    Err(Error::QuotaExceeded {
        plan: account.plan,
        limit,
    })
}

/// Refuses to ask for approval on a plan that does not show registrations, since nobody could approve. `before` is the event before a
/// change: one that asks already may go on.
pub(super) fn check_approval(
    account: &Account,
    before: Option<&Event>,
    after: &Event,
) -> Result<(), Error> {
    let asked = before.is_some_and(|before| before.requires_approval);
    if !after.requires_approval || asked || account.plan.is_paid() {
        Ok(())
    } else {
        Err(Error::PlanRequired)
    }
}
