//! Changing, publishing and unpublishing an event.

use domain::{
    event::{Event, EventPatch, Refusal},
    fact::{EventChange, Fact},
    ids::EventId,
    instant::Instant,
    registration::Counters,
};

use super::{announce, hold, lock_account, quota};
use crate::service::{By, Error, Events, Unit, registrations::promote};

/// An event after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The event.
    pub event: Event,
    /// Its registrations.
    pub counters: Counters,
    /// How many mails to registrants the change brings: about a new time or place, and about a seat.
    pub notified: i32,
}

impl Events {
    /// Changes the fields in the patch. Free seats then go to the waitlist, in order, and registrants are told of a new time or
    /// place a while later.
    pub async fn update(
        &self,
        by: impl Into<By<'_, Updated>>,
        id: EventId,
        patch: EventPatch,
    ) -> Result<Updated, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |unit: &mut Unit| {
            let account = lock_account(unit, caller).await?;
            let (before, counters) = hold(unit, caller, id).await?;

            let now = unit.now;
            let after = before.patched(patch, counters.confirmed, now)?;
            quota::check_approval(&account, Some(&before), &after)?;
            if after.is_active(now) && !before.is_active(now) {
                quota::check(unit, &self.plans, &account).await?;
            }
            if before.changes_to(&after).is_some() {
                write(unit, EventChange::Updated, &before, &after).await?;
            }
            let told =
                announce::plan(unit, &self.plans, &account, (&before, &after), counters).await?;
            let waited = counters.waitlisted;
            // Also without more seats: a seat may have become free while the event's end was in the past.
            let counters = promote(unit, &after, counters).await?;
            Ok(Updated {
                event: after,
                notified: told + waited - counters.waitlisted,
                counters,
            })
        };
        self.commands.run_for(by, decide).await
    }

    /// Publishes an event. A published event stays unchanged.
    pub async fn publish(
        &self,
        by: impl Into<By<'_, (Event, Counters)>>,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        self.transition(by.into(), id, EventChange::Published, Event::published)
            .await
    }

    /// Makes an event a draft. A draft stays unchanged.
    pub async fn unpublish(
        &self,
        by: impl Into<By<'_, (Event, Counters)>>,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        self.transition(by.into(), id, EventChange::Unpublished, Event::unpublished)
            .await
    }

    async fn transition(
        &self,
        by: By<'_, (Event, Counters)>,
        id: EventId,
        change: EventChange,
        transition: fn(&Event, Instant) -> Result<Event, Refusal>,
    ) -> Result<(Event, Counters), Error> {
        let caller = by.caller;
        let decide = async |unit: &mut Unit| {
            let (before, counters) = hold(unit, caller, id).await?;
            let after = transition(&before, unit.now)?;
            if before.changes_to(&after).is_some() {
                write(unit, change, &before, &after).await?;
            }
            Ok((after, counters))
        };
        self.commands.run_for(by, decide).await
    }
}

/// New search words remove the photograph that was found for the old ones.
async fn write(
    unit: &mut Unit,
    change: EventChange,
    before: &Event,
    after: &Event,
) -> Result<(), Error> {
    let is_live = after.is_live(unit.now);
    unit.tx.update_event(after, is_live).await?;
    if after.image_query != before.image_query && before.image_credit.is_some() {
        unit.tx.delete_stock_cover(after.id).await?;
    }
    let fact = Fact::EventChanged {
        change,
        before,
        after,
    };
    unit.record(fact).await?;
    Ok(())
}
