//! Promotion from the waitlist: in order, as seats become free, and by the organizer's choice.

use domain::{
    change::Change,
    event::{Event, EventPatch},
    fact::{EventChange, Fact, RegistrationChange},
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{Counters, Registration, Waiting, first_that_fit},
};
use storage::Reads;

use crate::service::{
    Context, Error, Invocation, Principal, Registrations, events, registrations::manage::Held,
};

/// The largest capacity of an event, as the proto says.
const MAX_CAPACITY: i32 = 10_000;

/// Parties per query of the waitlist.
const PAGE: i64 = 500;

impl Registrations {
    /// Gives someone on the waitlist a seat, before others. A full event has more seats afterwards.
    pub async fn promote(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let decide = async |context: &mut Context, _: &Principal, held: Held| {
            let Some(after) = held.registration.promoted(context.now)? else {
                return Ok(held.registration);
            };
            held.event.check_running(context.now)?;
            let size = held.registration.party.size;
            let larger = with_seats_for(size, &held.event, held.counters, context.now)?;
            if larger != held.event {
                events::write(context, EventChange::Updated, &held.event, &larger).await?;
            }
            held.write(context, RegistrationChange::Promoted, &after)
                .await?;
            Ok(after)
        };
        self.on_held(by, (event, id), decide).await
    }
}

/// The event, with as many seats more as a party of `size` lacks.
pub(super) fn with_seats_for(
    size: i32,
    event: &Event,
    counters: Counters,
    now: Instant,
) -> Result<Event, Error> {
    // The capacity may have been lowered below the seats that are held.
    let seats = counters.taken() + size;
    if seats <= event.max_capacity {
        return Ok(event.clone());
    }
    if seats > MAX_CAPACITY {
        return Err(Error::NotAllowedNow(
            "the event has the largest capacity there is: cancel a registration first",
        ));
    }
    let patch = EventPatch {
        max_capacity: Change::Set(seats),
        ..EventPatch::default()
    };
    Ok(event.patched(patch, counters.seated(), now)?)
}

/// Gives the event's free seats to the waitlist, in order, and schedules mails. `counters` are locked and current. Nobody is
/// promoted for an event that is cancelled or has ended.
pub(in crate::service) async fn promote(
    context: &mut Context,
    event: &Event,
    counters: Counters,
) -> Result<Counters, Error> {
    if !event.is_ahead(context.now) {
        return Ok(counters);
    }
    let promoted = promotable(&context.tx, event, counters).await?;
    if promoted.is_empty() {
        return Ok(counters);
    }
    let fact = Fact::WaitlistPromoted {
        event,
        promoted: &promoted,
    };
    context.record(fact).await?;
    let change = context
        .tx
        .promote_waitlisted(event.id, &promoted, context.now)
        .await?;
    Ok(counters + change)
}

/// Those of the waitlist who get the seats that are free: in order, each party that fits.
pub(in crate::service) async fn promotable(
    reads: &Reads,
    event: &Event,
    counters: Counters,
) -> Result<Vec<Waiting>, storage::Error> {
    let mut promoted = Vec::new();
    let (mut free, mut after_seq) = (counters.free(event.max_capacity), 0);
    let mut is_more = counters.waitlisted > 0;
    while is_more && free > 0 {
        let page = reads.list_waiting(event.id, free, after_seq, PAGE).await?;
        is_more = page.len() as u64 == PAGE.unsigned_abs();
        after_seq = page.last().map_or(after_seq, |last| last.seq);
        free = first_that_fit(page, free, &mut promoted);
    }
    Ok(promoted)
}
