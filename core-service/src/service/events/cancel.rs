//! Cancelling an event.

use domain::{
    account::Account,
    event::Event,
    fact::{EventChange, Fact},
    ids::{AccountId, EventId},
    mail_quota::MailCount,
    plan::Plans,
    registration::Counters,
};

use super::hold;
use crate::service::{
    Context, Error, Events, Invocation, Principal, catalogue::saturated, mail_quota,
};

/// The result of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    /// The event.
    pub id: EventId,
    /// The reason of the first cancellation.
    pub reason: Option<String>,
    /// How many mails this call scheduled.
    pub registrants_notified: i32,
    /// How many people whom an organizer added get none, since the account is not trusted.
    pub added_not_notified: i32,
}

impl Events {
    /// Cancels an event, which is final, and schedules a mail to each active registrant. A second call changes nothing and
    /// sends no mails. No mails are sent about an event that has ended. It is never refused because of mails: those whom an organizer
    /// added get none beyond the limit of an account that is not trusted.
    pub async fn cancel(
        &self,
        by: impl Into<Invocation<'_, Cancellation>>,
        id: EventId,
        reason: Option<String>,
    ) -> Result<Cancellation, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let limit = lock_new_account(context, &self.plans, caller.account).await?;
            let (before, _) = hold(context, caller, id).await?;
            let now = context.now;
            let Some(after) = before.cancelled(reason, now) else {
                return Ok(cancellation(before, 0, 0));
            };
            let text = after.cancel_reason.as_deref();
            if !context.tx.mark_cancelled(id, text, now).await? {
                return Err(Error::EventCancelled);
            }
            let (mut max_added, mut withheld) = (None, 0);
            if let Some(limit) = limit.filter(|_| !after.has_ended(now)) {
                let added = context.tx.count_added(id).await?;
                let mails = spend_on_strangers(context, caller.account, limit, added).await?;
                (max_added, withheld) = (Some(mails), added - mails);
            }
            let fact = Fact::EventChanged {
                change: EventChange::Cancelled { max_added },
                before: &before,
                after: &after,
            };
            let notified = i64::try_from(context.record(fact).await?);
            let notified = saturated(notified.unwrap_or(i64::MAX));
            Ok(cancellation(after, notified, withheld))
        };
        self.commands.run_for(by, decide).await
    }

    /// How many people a cancellation of an event would mail now.
    pub async fn cancellation_mails(
        &self,
        caller: &Principal,
        event: &Event,
        counters: Counters,
    ) -> Result<CancellationMails, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let all = counters.active();
        if event.is_cancelled || event.has_ended(now) || all == 0 {
            return Ok(CancellationMails::default());
        }
        let account = store.find_account(caller.account).await?;
        let limit = account.and_then(|account| account.stranger_mails(&self.plans));
        let mut withheld = 0;
        if let Some(limit) = limit {
            let today = store.find_mail_count(caller.account).await?;
            let today = today.map_or(MailCount::of_day(now), |count| count.today(now));
            let added = store.count_added(event.id).await?;
            withheld = (added - today.strangers_left(limit)).max(0);
        }
        Ok(CancellationMails {
            mails: all - withheld,
            withheld,
        })
    }
}

/// The mails of a cancellation that is considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CancellationMails {
    /// How many would be mailed.
    pub mails: i32,
    /// How many people whom an organizer added would not, since the account is not trusted.
    pub withheld: i32,
}

/// Locks an account that is not trusted; returns how many people a day it may mail who did not register themselves.
async fn lock_new_account(
    context: &mut Context,
    plans: &Plans,
    account: AccountId,
) -> Result<Option<u32>, Error> {
    let limit = |account: Option<Account>| account.and_then(|one| one.stranger_mails(plans));
    if limit(context.tx.find_account(account).await?).is_none() {
        return Ok(None);
    }
    Ok(limit(context.tx.lock_account(account).await?))
}

/// Counts as many mails to people who did not register themselves as the limit allows, up to so many; returns their number.
async fn spend_on_strangers(
    context: &mut Context,
    account: AccountId,
    limit: u32,
    most: i32,
) -> Result<i32, Error> {
    let today = mail_quota::today(context, account).await?;
    let mails = today.strangers_left(limit).min(most);
    if mails > 0 {
        let after = MailCount {
            strangers: today.strangers.saturating_add(mails),
            ..today
        };
        context.tx.set_mail_count(account, after).await?;
    }
    Ok(mails)
}

fn cancellation(event: Event, registrants_notified: i32, added_not_notified: i32) -> Cancellation {
    Cancellation {
        id: event.id,
        reason: event.cancel_reason,
        registrants_notified,
        added_not_notified,
    }
}
