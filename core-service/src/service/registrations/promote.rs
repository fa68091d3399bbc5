//! Promotion from the waitlist: in order, as seats become free, and by the organizer's choice.

use domain::{
    change::Change,
    event::{Event, EventPatch},
    fact::{EventChange, Fact, RegistrationChange},
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{Counters, Registration},
};

use crate::service::{
    Context, Error, Invocation, Registrations, events, registrations::manage::Held,
};

/// The largest capacity of an event, as the proto says.
const MAX_CAPACITY: i32 = 10_000;

impl Registrations {
    /// Gives someone on the waitlist a seat, before others. A full event has one seat more afterwards.
    pub async fn promote(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let by = by.into();
        let caller = by.caller;
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let held = Held::read(context, caller, event, id).await?;
            let Some(after) = held.registration.promoted(context.now)? else {
                return Ok(held.registration);
            };
            held.event.check_running(context.now)?;
            let larger = with_a_seat(&held.event, held.counters, context.now)?;
            if larger != held.event {
                events::write(context, EventChange::Updated, &held.event, &larger).await?;
            }
            held.write(context, RegistrationChange::Promoted, &after)
                .await?;
            Ok(after)
        };
        self.commands.run_for(by, decide).await
    }
}

/// The event, with one seat more if all are taken.
pub(super) fn with_a_seat(event: &Event, counters: Counters, now: Instant) -> Result<Event, Error> {
    if counters.taken() < event.max_capacity {
        return Ok(event.clone());
    }
    // The capacity may have been lowered below the seats that are held.
    let seats = counters.taken() + 1;
    if seats > MAX_CAPACITY {
        return Err(Error::NotAllowedNow(
            "the event has the largest capacity there is: cancel a registration first",
        ));
    }
    let patch = EventPatch {
        max_capacity: Change::Set(seats),
        ..EventPatch::default()
    };
    Ok(event.patched(patch, counters.confirmed, now)?)
}

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
