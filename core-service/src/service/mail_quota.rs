//! The daily quotas of mails to people who did not ask for them (rules 29 and 41 of docs/rules.md).

use std::time::Duration;

use domain::{
    account::Account,
    ids::AccountId,
    instant::Instant,
    mail::quota::{Exceeded, MailCount},
    plan::Plans,
};

use super::{Context, Error};

/// Mails that a command needs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Needed {
    /// Those that count against the quota of the plan.
    pub(super) mails: i32,
    /// Those that go to people who did not register themselves.
    pub(super) strangers: i32,
}

impl Needed {
    /// The mail to a person whom an organizer adds.
    pub(super) const ADDED: Self = Self {
        mails: 1,
        strangers: 1,
    };

    /// A person of a list who is not mailed yet: reminders and changes come, which look at strangers themselves.
    pub(super) const LISTED: Self = Self {
        mails: 1,
        strangers: 0,
    };

    /// An invitation to an account.
    pub(super) const INVITATION: Self = Self {
        mails: 0,
        strangers: 1,
    };

    /// Those and others.
    pub(super) const fn and(self, others: Self) -> Self {
        Self {
            mails: self.mails.saturating_add(others.mails),
            strangers: self.strangers.saturating_add(others.strangers),
        }
    }
}

/// Counts mails of an account, which must be locked, and returns the count of the day. Refuses more than its quotas allow.
pub(super) async fn count(
    context: &mut Context,
    plans: &Plans,
    account: &Account,
    needed: Needed,
) -> Result<MailCount, Error> {
    let before = today(context, account.id).await?;
    let after = allowed(plans, account, before, needed, context.now)?;
    if after != before {
        context.tx.set_mail_count(account.id, after).await?;
    }
    Ok(after)
}

/// The count of the day with these mails, if the quotas of the account allow them.
pub(super) fn allowed(
    plans: &Plans,
    account: &Account,
    today: MailCount,
    needed: Needed,
    now: Instant,
) -> Result<MailCount, Error> {
    let after = today.with_strangers(needed.strangers, account.stranger_mails(plans));
    let after = after.map_err(|exceeded| Error::NewAccountMails {
        exceeded,
        wait: until_reset(exceeded, now),
    })?;
    let after = after.with(needed.mails, plans.daily_mails.of(account.plan));
    after.map_err(|exceeded| Error::DailyMails {
        plan: account.plan,
        exceeded,
        wait: until_reset(exceeded, now),
    })
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
pub(super) async fn today(
    context: &mut Context,
    account: AccountId,
) -> Result<MailCount, storage::Error> {
    let count = context.tx.find_mail_count(account).await?;
    let new = MailCount::of_day(context.now);
    Ok(count.map_or(new, |count| count.today(context.now)))
}

/// How long until a new day begins.
pub(super) fn until_reset(exceeded: Exceeded, now: Instant) -> Duration {
    let wait = exceeded.resets_at.micros() - now.micros();
    Duration::from_micros(u64::try_from(wait).unwrap_or(0))
}
