//! Changing, publishing and unpublishing an event.

use super::{hold, quota};
use crate::{
    domain::{
        event::{Event, EventPatch, Refusal},
        ids::EventId,
        instant::Instant,
        registration::Counters,
    },
    service::{Caller, Error, Service},
    storage::Tx,
};

impl Service {
    /// Changes what the patch mentions. Seats that are free afterwards go to who waits for one, in order.
    pub async fn update_event(
        &self,
        caller: &Caller,
        id: EventId,
        patch: EventPatch,
    ) -> Result<(Event, Counters), Error> {
        let now = self.now();
        let mut tx = self.context.store.begin().await?;
        let account = tx.lock_account(caller.account_id).await?;
        let account = account.ok_or(Error::Unauthorized)?;
        let (before, counters) = hold(&mut tx, caller, id).await?;

        let after = before.patched(patch, counters.confirmed, now)?;
        if after.is_active(now) && !before.is_active(now) {
            quota::check(&mut tx, &self.context.plans, &account, now).await?;
        }

        self.write(&mut tx, caller, "event.update", &before, &after, now)
            .await?;
        self.renew_cover(&mut tx, &before, &after, now).await?;
        // Also without more seats: one that came free while the event was over is given on once it is not.
        let actor = caller.actor();
        let counters = self.promote(&mut tx, actor, &after, counters, now).await?;
        // Whoever comes has to know where and when; what is over is nobody's plan any more.
        if after.sequence > before.sequence && !after.has_ended(now) {
            tx.schedule_event_changed_mails(id, after.sequence, now)
                .await?;
        }
        tx.commit().await?;
        Ok((after, counters))
    }

    /// Publishes an event; one that is published stays so.
    pub async fn publish_event(
        &self,
        caller: &Caller,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        self.transition(caller, id, "event.publish", Event::published)
            .await
    }

    /// Makes an event a draft again; a draft stays one.
    pub async fn unpublish_event(
        &self,
        caller: &Caller,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        self.transition(caller, id, "event.unpublish", Event::unpublished)
            .await
    }

    async fn transition(
        &self,
        caller: &Caller,
        id: EventId,
        action: &'static str,
        decide: fn(&Event, Instant) -> Result<Event, Refusal>,
    ) -> Result<(Event, Counters), Error> {
        let now = self.now();
        let mut tx = self.context.store.begin().await?;
        let (before, counters) = hold(&mut tx, caller, id).await?;
        let after = decide(&before, now)?;
        self.write(&mut tx, caller, action, &before, &after, now)
            .await?;
        tx.commit().await?;
        Ok((after, counters))
    }

    /// Writes what differs, with its audit row; nothing when nothing does.
    async fn write(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        action: &'static str,
        before: &Event,
        after: &Event,
        now: Instant,
    ) -> Result<(), Error> {
        let Some(changes) = before.changes_to(after) else {
            return Ok(());
        };
        tx.update_event(after, after.is_live(now)).await?;
        let mut entry = self.audited(
            caller.actor(),
            after.account_id,
            action,
            after.id.uuid(),
            now,
        );
        entry.before = changes.before;
        entry.after = Some(changes.after);
        Ok(tx.insert_audit(&entry).await?)
    }
}
