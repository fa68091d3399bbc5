//! Copies of events, and deleting drafts.

use domain::{event::Event, fact::Fact, ids::EventId};

use super::{find, hold, quota};
use crate::service::{By, Error, Events, Unit};

impl Events {
    /// Creates a draft with the fields, times and questions of one of the caller's events, in any state.
    pub async fn copy(&self, by: impl Into<By<'_, Event>>, id: EventId) -> Result<Event, Error> {
        let by = by.into();
        let caller = by.caller;
        let (original, _) = find(self.commands.store(), caller, id).await?;
        let decide = async |unit: &mut Unit| {
            let (account, identity) = self.begin_event(unit, caller, &original.title).await?;
            let now = unit.now;
            let copy = original.copied(identity, now);
            quota::check_approval(&account, None, &copy)?;
            if copy.is_active(now) {
                quota::check(unit, &self.plans, &account).await?;
            }
            self.add_with_free_slug(unit, copy).await
        };
        self.commands.run_for(by, decide).await
    }

    /// Deletes a draft for which nobody ever registered.
    pub async fn delete(
        &self,
        by: impl Into<By<'_, EventId>>,
        id: EventId,
    ) -> Result<EventId, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |unit: &mut Unit| {
            let (event, counters) = hold(unit, caller, id).await?;
            event.check_deletable(counters.total())?;
            unit.tx.delete_event(id).await?;
            unit.record(Fact::EventDeleted { event: &event }).await?;
            Ok(id)
        };
        self.commands.run_for(by, decide).await
    }
}
