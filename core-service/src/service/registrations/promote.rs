//! Promotion from the waitlist.

use domain::{event::Event, fact::Fact, registration::Counters};

use crate::service::{Context, Error};

/// Gives the event's free seats to the waitlist, in order, and schedules mails. `counters` are locked and current. Nobody is
/// promoted for an event that is cancelled or has ended.
pub(in crate::service) async fn promote(
    context: &mut Context,
    event: &Event,
    counters: Counters,
) -> Result<Counters, Error> {
    let count = counters.promotable(event.max_capacity);
    if count == 0 || !event.is_ahead(context.now) {
        return Ok(counters);
    }
    context
        .record(Fact::WaitlistPromoted { event, count })
        .await?;
    context
        .tx
        .promote_waitlisted(event.id, count, context.now)
        .await?;
    Ok(Counters {
        confirmed: counters.confirmed + count,
        waitlisted: counters.waitlisted - count,
        ..counters
    })
}
