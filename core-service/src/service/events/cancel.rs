//! Cancelling an event.

use domain::{
    event::Event,
    fact::{EventChange, Fact},
    ids::EventId,
};

use super::hold;
use crate::service::{Context, Error, Events, Invocation, catalogue::saturated};

/// The result of a cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    /// The event.
    pub id: EventId,
    /// The reason of the first cancellation.
    pub reason: Option<String>,
    /// How many mails this call scheduled.
    pub registrants_notified: i32,
}

impl Events {
    /// Cancels an event, which is final, and schedules a mail to each active registrant. A second call changes nothing and
    /// sends no mails. No mails are sent about an event that has ended.
    pub async fn cancel(
        &self,
        by: impl Into<Invocation<'_, Cancellation>>,
        id: EventId,
        reason: Option<String>,
    ) -> Result<Cancellation, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let (before, _) = hold(context, caller, id).await?;
            let now = context.now;
            let Some(after) = before.cancelled(reason, now) else {
                return Ok(cancellation(before, 0));
            };
            let text = after.cancel_reason.as_deref();
            if !context.tx.mark_cancelled(id, text, now).await? {
                return Err(Error::EventCancelled);
            }
            let fact = Fact::EventChanged {
                change: EventChange::Cancelled,
                before: &before,
                after: &after,
            };
            let notified = i64::try_from(context.record(fact).await?);
            let notified = saturated(notified.unwrap_or(i64::MAX));
            Ok(cancellation(after, notified))
        };
        self.commands.run_for(by, decide).await
    }
}

fn cancellation(event: Event, registrants_notified: i32) -> Cancellation {
    Cancellation {
        id: event.id,
        reason: event.cancel_reason,
        registrants_notified,
    }
}
