//! What becomes with time of registrations that await the attendee's confirmation.

use std::collections::HashSet;

use domain::{audit::Actor, event::Event, fact::Fact, ids::EventId, registration::Counters};
use server::telemetry::chain;

use crate::service::{Commands, Context, Error, registrations::promote};

/// Maximum number of registrations that one transaction releases or cancels, so that its locks are short.
const BATCH: i64 = 500;

/// Events per query, and queries per call: a call that is cut off goes on with the next one.
const PAGE: i64 = 500;
const PAGES: usize = 20;

/// Releases the seats of an event that were held until now, cancels the registrations that could be confirmed until now, and gives
/// free seats to the waitlist. `counters` are locked and current.
pub(in crate::service) async fn settle(
    context: &mut Context,
    event: &Event,
    mut counters: Counters,
) -> Result<Counters, Error> {
    let released = context
        .tx
        .release_held_seats(event.id, context.now, BATCH)
        .await?;
    if released.held != 0 {
        counters = counters + released;
        let fact = Fact::SeatsReleased {
            event,
            count: -released.held,
        };
        context.record_by(Actor::System, fact).await?;
    }
    counters = lapse(context, event, counters).await?;
    if released.held == 0 {
        // What lapses holds no seats any more, so none became free.
        return Ok(counters);
    }
    promote(context, event, counters).await
}

async fn lapse(
    context: &mut Context,
    event: &Event,
    mut counters: Counters,
) -> Result<Counters, Error> {
    let (registrations, lapsed) = context
        .tx
        .lapse_registrations(event.id, context.now, BATCH)
        .await?;
    if !registrations.is_empty() {
        counters = counters + lapsed;
        let fact = Fact::RegistrationsLapsed {
            event,
            registrations: &registrations,
        };
        context.record_by(Actor::System, fact).await?;
    }
    Ok(counters)
}

/// The same for all events for which something is due, each in a transaction of its own. Those that fail wait for the next call.
pub(crate) async fn settle_all(commands: &Commands) -> Result<(), Error> {
    let mut failed = HashSet::new();
    for _ in 0..PAGES {
        let store = commands.store();
        let limit = PAGE.saturating_add_unsigned(failed.len() as u64);
        let mut due = store.list_events_to_settle(commands.now(), limit).await?;
        due.retain(|event| !failed.contains(event));
        if due.is_empty() {
            break;
        }
        for event in due {
            match settle_one(commands, event).await {
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => {
                    tracing::error!(event_id = %event, error = %chain(&error), "an event could not be settled");
                    failed.insert(event);
                }
                Ok(()) => {}
            }
        }
    }
    Ok(())
}

async fn settle_one(commands: &Commands, event: EventId) -> Result<(), Error> {
    let decide = async |context: &mut Context| {
        let counters = context.tx.lock_counters(event).await?;
        let counters = counters.ok_or(Error::NO_EVENT)?;
        context.renew_time();
        let event = context.tx.find_event(event).await?.ok_or(Error::NO_EVENT)?;
        settle(context, &event, counters).await
    };
    commands.run(Actor::System, decide).await?;
    Ok(())
}
