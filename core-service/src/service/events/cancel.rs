//! Cancelling an event.

use super::hold;
use crate::{
    domain::{event::Event, ids::EventId},
    service::{Caller, Error, Service, catalogue::saturated},
};

/// What a cancellation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    /// The event.
    pub id: EventId,
    /// Why, as the first cancellation said.
    pub reason: Option<String>,
    /// How many cancellation mails this one scheduled.
    pub registrants_notified: i32,
}

impl Service {
    /// Cancels an event for good and schedules a mail to each active registrant. A second time changes nothing and mails
    /// nobody; nor is anybody told that what is over is cancelled.
    pub async fn cancel_event(
        &self,
        caller: &Caller,
        id: EventId,
        reason: Option<String>,
    ) -> Result<Cancellation, Error> {
        let now = self.now();
        let mut tx = self.context.store.begin().await?;
        let (before, _) = hold(&mut tx, caller, id).await?;
        let Some(after) = before.cancelled(reason, now) else {
            return Ok(cancellation(before, 0));
        };
        if !tx
            .mark_cancelled(id, after.cancel_reason.as_deref(), now)
            .await?
        {
            return Err(Error::EventCancelled);
        }

        let mut notified = 0;
        if !before.has_ended(now) {
            notified = tx.schedule_cancellation_mails(id, now).await?;
        }
        let mut entry = self.audited(
            caller.actor(),
            after.account_id,
            "event.cancel",
            id.uuid(),
            now,
        );
        if let Some(changes) = before.changes_to(&after) {
            entry.before = changes.before;
            entry.after = Some(changes.after);
        }
        entry.reason.clone_from(&after.cancel_reason);
        tx.insert_audit(&entry).await?;
        tx.commit().await?;
        Ok(cancellation(
            after,
            saturated(i64::try_from(notified).unwrap_or(i64::MAX)),
        ))
    }
}

fn cancellation(event: Event, registrants_notified: i32) -> Cancellation {
    Cancellation {
        id: event.id,
        reason: event.cancel_reason,
        registrants_notified,
    }
}
