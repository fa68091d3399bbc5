//! The daily quota of mails to people who did not ask for them (rule 29 of docs/rules.md).

use std::time::Duration;

use domain::{
    account::Account,
    ids::AccountId,
    instant::Instant,
    mail_quota::{Exceeded, MailCount},
    plan::Plans,
};

use super::{Error, Unit};

/// Counts mails of an account, which must be locked, and returns the count of the day. Refuses more than the plan allows.
pub(super) async fn count(
    unit: &mut Unit,
    plans: &Plans,
    account: &Account,
    mails: i32,
) -> Result<MailCount, Error> {
    let before = today(unit, account.id).await?;
    let limit = plans.daily_mails.of(account.plan);
    let after = before.with(mails, limit);
    let after = after.map_err(|exceeded| refusal(account, exceeded, unit.now))?;
    if after != before {
        unit.tx.set_mail_count(account.id, after).await?;
    }
    Ok(after)
}

/// Takes back mails that were counted and are not sent. The account must be locked.
pub(super) async fn give_back(
    unit: &mut Unit,
    account: AccountId,
    mails: MailCount,
) -> Result<(), Error> {
    let before = today(unit, account).await?;
    let after = before.without(mails);
    if after != before {
        unit.tx.set_mail_count(account, after).await?;
    }
    Ok(())
}

/// The count of the current day. The account must be locked.
async fn today(unit: &mut Unit, account: AccountId) -> Result<MailCount, Error> {
    let count = unit.tx.find_mail_count(account).await?;
    let new = MailCount::of_day(unit.now);
    Ok(count.map_or(new, |count| count.today(unit.now)))
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
