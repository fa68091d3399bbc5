//! Cancelling an event.

use domain::{
    account::Account,
    event::Event,
    fact::{EventChange, Fact},
    ids::{AccountId, EventId},
    mail::quota::MailCount,
    plan::Plans,
    registration::Counters,
};

use super::{
    hold,
    series::{Target, hold_later},
};
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
    /// How many events this call cancelled.
    pub events: i32,
}

impl Cancellation {
    /// That of an event which was cancelled before.
    fn of(event: Event) -> Self {
        Self {
            id: event.id,
            reason: event.cancel_reason,
            registrants_notified: 0,
            added_not_notified: 0,
            events: 0,
        }
    }
}

impl Events {
    /// Cancels an event, which is final, and later dates of its series if the target says so, and schedules a mail to each active
    /// registrant. A second call changes nothing and sends no mails. No mails are sent about an event that has ended. It is never refused
    /// because of mails: those whom an organizer added get none beyond the limit of an account that is not trusted.
    pub async fn cancel(
        &self,
        by: impl Into<Invocation<'_, Cancellation>>,
        target: impl Into<Target>,
        reason: Option<String>,
    ) -> Result<Cancellation, Error> {
        let (by, target) = (by.into(), target.into());
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let limit = lock_new_account(context, &self.plans, caller.account).await?;
            let (event, _) = hold(context, caller, target.event).await?;
            let following = target.following(&context.tx, caller, &event, context.now);
            let following = following.await?;
            let mut cancelled = call_off(context, limit, event, reason.clone()).await?;
            for id in following {
                let Some((event, _)) = hold_later(context, caller, id).await? else {
                    continue;
                };
                let other = call_off(context, limit, event, reason.clone()).await?;
                cancelled.events += other.events;
                cancelled.registrants_notified += other.registrants_notified;
                cancelled.added_not_notified += other.added_not_notified;
            }
            Ok(cancelled)
        };
        self.commands.run_for(by, decide).await
    }

    /// How many people a cancellation of these events would mail now.
    pub async fn cancellation_mails(
        &self,
        caller: &Principal,
        events: &[(Event, Counters)],
    ) -> Result<CancellationMails, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let account = store.find_account(caller.account).await?;
        let limit = account.and_then(|account| account.stranger_mails(&self.plans));
        let (mut all, mut added) = (0, 0);
        for (event, counters) in events.iter().filter(|(event, _)| event.is_ahead(now)) {
            all += counters.active();
            if limit.is_some() && counters.active() > 0 {
                added += store.count_added(event.id).await?;
            }
        }
        let Some(limit) = limit.filter(|_| added > 0) else {
            return Ok(CancellationMails {
                mails: all,
                withheld: 0,
            });
        };
        let today = store.find_mail_count(caller.account).await?;
        let today = today.map_or(MailCount::of_day(now), |count| count.today(now));
        let withheld = (added - today.strangers_left(limit)).max(0);
        Ok(CancellationMails {
            mails: all - withheld,
            withheld,
        })
    }
}

/// Cancels one event that is locked. A new account is locked, too, and may mail that many people a day who did not register themselves.
async fn call_off(
    context: &mut Context,
    limit: Option<u32>,
    before: Event,
    reason: Option<String>,
) -> Result<Cancellation, Error> {
    let (id, account, now) = (before.id, before.account_id, context.now);
    let Some(after) = before.cancelled(reason, now) else {
        return Ok(Cancellation::of(before));
    };
    let text = after.cancel_reason.as_deref();
    if !context.tx.mark_cancelled(id, text, now).await? {
        return Err(Error::EventCancelled);
    }
    let (mut max_added, mut withheld) = (None, 0);
    if let Some(limit) = limit.filter(|_| !after.has_ended(now)) {
        let added = context.tx.count_added(id).await?;
        let mails = spend_on_strangers(context, account, limit, added).await?;
        (max_added, withheld) = (Some(mails), added - mails);
    }
    let fact = Fact::EventChanged {
        change: EventChange::Cancelled { max_added },
        before: &before,
        after: &after,
    };
    let notified = i64::try_from(context.record(fact).await?);
    Ok(Cancellation {
        events: 1,
        registrants_notified: saturated(notified.unwrap_or(i64::MAX)),
        added_not_notified: withheld,
        ..Cancellation::of(after)
    })
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
    max: i32,
) -> Result<i32, Error> {
    let today = mail_quota::today(context, account).await?;
    let mails = today.strangers_left(limit).min(max);
    if mails > 0 {
        let after = MailCount {
            strangers: today.strangers.saturating_add(mails),
            ..today
        };
        context.tx.set_mail_count(account, after).await?;
    }
    Ok(mails)
}
