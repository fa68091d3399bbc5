//! Copies of events, and deleting drafts.

use domain::{event::Event, fact::Fact, ids::EventId, violation::Checked};

use super::{find, hold, quota};
use crate::service::{Context, Error, Events, Invocation, judgement::Judgement};

impl Events {
    /// Creates a draft with the fields, times, questions and own cover of one of the caller's events, in any state, at another start if
    /// one is given.
    pub async fn copy(
        &self,
        by: impl Into<Invocation<'_, Event>>,
        id: EventId,
        start: Checked<Option<String>>,
    ) -> Result<Event, Error> {
        let by = by.into();
        let caller = by.caller;
        let (original, _) = find(self.commands.store(), caller, id).await?;
        let moved = match &start.message {
            Some(start) => original.moved_to(start),
            None => Ok(original.clone()),
        };
        let decide = async |context: &mut Context| {
            let mut judgement = Judgement::of(start.mistakes);
            let moved = judgement.note(moved)?;
            let has_valid_start = moved.is_some();
            let original = moved.unwrap_or(original);
            let (account, identity) = self
                .begin_event(context, caller, &original.title, original.is_listed)
                .await?;
            let now = context.now;
            let cover = if original.has_own_cover {
                context.tx.find_own_cover(id).await?
            } else {
                None
            };
            let copy = Event {
                has_own_cover: cover.is_some(),
                ..original.copied(identity, now)
            };
            judgement.note(quota::check_approval(&account, copy.requires_approval))?;
            // What has no valid start yet will most likely be in the future.
            if !has_valid_start || copy.is_active(now) {
                judgement.note(quota::check(context, &self.plans, &account).await)?;
            }
            let copy = judgement.conclude(Some(copy))?;
            let copy = self.add_with_free_slug(context, copy, true).await?;
            if let Some(cover) = cover {
                context.tx.put_own_cover(copy.id, &cover, now).await?;
            }
            Ok(copy)
        };
        self.commands.run_for(by, decide).await
    }

    /// Deletes a draft for which nobody ever registered.
    pub async fn delete(
        &self,
        by: impl Into<Invocation<'_, EventId>>,
        id: EventId,
    ) -> Result<EventId, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let (event, counters) = hold(context, caller, id).await?;
            event.check_deletable(counters.total())?;
            context.tx.delete_event(id).await?;
            context.record(Fact::EventDeleted { event: &event }).await?;
            Ok(id)
        };
        self.commands.run_for(by, decide).await
    }
}
