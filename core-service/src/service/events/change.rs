//! Changing, publishing and unpublishing an event.

use domain::{
    account::Account,
    event::{Event, EventPatch, Refusal},
    fact::{EventChange, Fact},
    ids::EventId,
    instant::Instant,
    registration::Counters,
    violation::{Checked, FieldViolation},
};

use super::{
    announce, hold, lock_account, quota,
    series::{Target, hold_later, on_later_date},
};
use crate::service::{
    Context, Error, Events, Invocation,
    judgement::Judgement,
    mail_quota::{self, Needed},
    registrations::promote,
};

/// An event after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The event.
    pub event: Event,
    /// Its registrations.
    pub counters: Counters,
    /// How many mails to registrants the change brings, of all dates that it is for: about a new time or place, and about a seat.
    pub notified: i32,
    /// How many events the change changed; 0 if everything was so before.
    pub events: i32,
}

impl Events {
    /// Changes the fields in the patch, of later dates of the series as well if the target says so, all or none. Free seats then go to
    /// the waitlist, in order, and registrants are notified of a new time or place a while later.
    pub async fn update(
        &self,
        by: impl Into<Invocation<'_, Updated>>,
        target: impl Into<Target>,
        patch: impl Into<Checked<EventPatch>>,
    ) -> Result<Updated, Error> {
        let (by, target) = (by.into(), target.into());
        let caller = by.caller;
        let Checked {
            message: patch,
            mistakes,
        } = patch.into();
        let decide = async |context: &mut Context| {
            let account = lock_account(context, caller).await?;
            let (before, counters) = hold(context, caller, target.event).await?;
            let following = target.following(&context.tx, caller, &before, context.now);
            let following = following.await?;
            let held = (&before, counters);
            let first = self.change(context, &account, held, patch.clone(), mistakes);
            let (mut updated, mut needed) = first.await?;
            for id in following {
                let Some((other, counters)) = hold_later(context, caller, id).await? else {
                    continue;
                };
                let patch = patch.for_date((&before, &updated.event), &other);
                let changed = async {
                    let held = (&other, counters);
                    self.change(context, &account, held, patch?, Vec::new())
                        .await
                };
                let changed = changed.await.map_err(|error| on_later_date(error, &other));
                let (other, more) = changed?;
                updated.notified += other.notified;
                updated.events += other.events;
                needed = needed.and(more);
            }
            mail_quota::count(context, &self.plans, &account, needed).await?;
            Ok(updated)
        };
        self.commands.run_for(by, decide).await
    }

    /// Changes one event that is locked, as its account is. With it, the mails that it needs, which are not counted yet: of all dates,
    /// they are refused or allowed together.
    async fn change(
        &self,
        context: &mut Context,
        account: &Account,
        (before, counters): (&Event, Counters),
        patch: EventPatch,
        mistakes: Vec<FieldViolation>,
    ) -> Result<(Updated, Needed), Error> {
        let now = context.now;
        let mut judgement = Judgement::of(mistakes);
        let begins_to_ask = quota::begins_to_ask(before, &patch);
        let after = judgement.note(before.patched(patch, counters.seated(), now))?;
        let approval = quota::check_approval(account, begins_to_ask);
        judgement.note_of("requires_approval", approval)?;
        let is_active = |event: &Event| event.is_active(now);
        if after.as_ref().is_some_and(is_active) && !before.is_active(now) {
            judgement.note(quota::check(context, &self.plans, account).await)?;
        }
        let after = judgement.conclude(after)?;
        let is_changed = before.changes_to(&after).is_some();
        if is_changed {
            write(context, EventChange::Updated, before, &after).await?;
        }
        let plan = announce::plan(context, &self.plans, account, (before, &after), counters);
        let (notified, needed) = plan.await?;
        let waited = counters.waitlisted;
        // Also without more seats: a seat may have become free while the event's end was in the past.
        let counters = promote(context, &after, counters).await?;
        let updated = Updated {
            event: after,
            notified: notified + waited - counters.waitlisted,
            events: i32::from(is_changed),
            counters,
        };
        Ok((updated, needed))
    }

    /// Publishes an event. A published event stays unchanged.
    pub async fn publish(
        &self,
        by: impl Into<Invocation<'_, (Event, Counters)>>,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        self.transition(by.into(), id, EventChange::Published, Event::published)
            .await
    }

    /// Makes an event a draft. A draft stays unchanged.
    pub async fn unpublish(
        &self,
        by: impl Into<Invocation<'_, (Event, Counters)>>,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        self.transition(by.into(), id, EventChange::Unpublished, Event::unpublished)
            .await
    }

    async fn transition(
        &self,
        by: Invocation<'_, (Event, Counters)>,
        id: EventId,
        change: EventChange,
        transition: fn(&Event, Instant) -> Result<Event, Refusal>,
    ) -> Result<(Event, Counters), Error> {
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let (before, counters) = hold(context, caller, id).await?;
            let after = transition(&before, context.now)?;
            if before.changes_to(&after).is_some() {
                write(context, change, &before, &after).await?;
            }
            Ok((after, counters))
        };
        self.commands.run_for(by, decide).await
    }
}

/// New search words remove the photograph that was found for the old ones.
pub(in crate::service) async fn write(
    context: &mut Context,
    change: EventChange,
    before: &Event,
    after: &Event,
) -> Result<(), Error> {
    let is_live = after.is_live(context.now);
    context.tx.update_event(after, is_live).await?;
    if after.image_query != before.image_query && before.image_credit.is_some() {
        context.tx.delete_stock_cover(after.id).await?;
    }
    let fact = Fact::EventChanged {
        change,
        before,
        after,
    };
    context.record(fact).await?;
    Ok(())
}
