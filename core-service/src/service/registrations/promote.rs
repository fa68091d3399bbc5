//! Promotion from the waitlist.

use domain::{event::Event, fact::Fact, registration::Counters};

use crate::service::{Error, Unit};

/// Gives the event's free seats to the waitlist, in order, and schedules mails. `counters` are locked and current. Nobody is
/// promoted for an event that is cancelled or has ended.
pub(in crate::service) async fn promote(
    unit: &mut Unit,
    event: &Event,
    counters: Counters,
) -> Result<Counters, Error> {
    let count = counters.promotable(event.max_capacity);
    if count == 0 || !event.is_active(unit.now) {
        return Ok(counters);
    }
    unit.record(Fact::WaitlistPromoted { event, count }).await?;
    unit.tx
        .promote_waitlisted(event.id, count, unit.now)
        .await?;
    Ok(Counters {
        confirmed: counters.confirmed + count,
        waitlisted: counters.waitlisted - count,
        ..counters
    })
}
