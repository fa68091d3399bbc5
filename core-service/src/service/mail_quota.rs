//! The daily quota of mails to people who did not ask for them (rule 29 of docs/rules.md).

use std::time::Duration;

use domain::{
    account::Account,
    ids::AccountId,
    instant::Instant,
    mail_quota::{Exceeded, MailCount},
    plan::Plans,
};

use super::{Context, Error};

/// Counts mails of an account, which must be locked, and returns the count of the day. Refuses more than the plan allows.
pub(super) async fn count(
    context: &mut Context,
    plans: &Plans,
    account: &Account,
    mails: i32,
) -> Result<MailCount, Error> {
    let before = today(context, account.id).await?;
    let limit = plans.daily_mails.of(account.plan);
    let after = before.with(mails, limit);
    let after = after.map_err(|exceeded| refusal(account, exceeded, context.now))?;
    if after != before {
        context.tx.set_mail_count(account.id, after).await?;
    }
    Ok(after)
}

/// Takes back mails that were counted and are not sent. The account must be locked.
pub(super) async fn give_back(
    context: &mut Context,
    account: AccountId,
    mails: MailCount,
) -> Result<(), Error> {
    let before = today(context, account).await?;
    let after = before.without(mails);
    if after != before {
        context.tx.set_mail_count(account, after).await?;
    }
    Ok(())
}

/// The count of the current day. The account must be locked.
async fn today(context: &mut Context, account: AccountId) -> Result<MailCount, Error> {
    let count = context.tx.find_mail_count(account).await?;
    let new = MailCount::of_day(context.now);
    Ok(count.map_or(new, |count| count.today(context.now)))
}

/// The refusal of mails beyond the quota.
pub(super) fn refusal(account: &Account, exceeded: Exceeded, now: Instant) -> Error {
    let wait = exceeded.resets_at.micros() - now.micros();
    Error::DailyMails {
        plan: account.plan,
        exceeded,
        wait: Duration::from_micros(u64::try_from(wait).unwrap_or(0)),
    }
}
