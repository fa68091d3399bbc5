//! Following the time zone database: when a newer release moves the clocks at an event, its wall time stays, since that is what people read.

use domain::{
    audit::Actor,
    event::{Clocks, Window},
    fact::{EventChange, Fact},
    ids::EventId,
    instant::Instant,
    schedule::{ClockChange, Schedule},
    zone::Zone,
};
use server::telemetry::chain;
use uuid::Uuid;

use super::{Commands, Context, Error};

/// Events that are read in one transaction.
const BATCH: i64 = 500;

/// Transactions in a round of maintenance.
const BATCHES: usize = 20;

/// An event whose clocks are others than was known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedEvent {
    /// The event.
    pub id: EventId,
    /// As it is stored.
    pub before: Schedule,
    /// As it will be; `None` if clocks skip its time, so that it stays.
    pub after: Option<Schedule>,
}

/// Looks at events that end in the future and whose moments an older release made. Returns whether there are more.
pub(crate) async fn follow_clocks(commands: &Commands) -> Result<bool, Error> {
    let (release, mut after) = (Zone::release(), EventId::new(Uuid::nil()));
    for _ in 0..BATCHES {
        let mut tx = commands.store().begin().await?;
        let now = commands.now();
        let found = tx.lock_events_of_older_zones(release, now, after, BATCH);
        let found = found.await?;
        // Those that cannot be read are passed over.
        let read = found.iter();
        let read = read.filter_map(|(id, times)| Some((*id, times.as_ref()?)));
        let is_right = |(_, (schedule, window)): &(EventId, &(Schedule, Window))| {
            schedule.clock_change() == ClockChange::None
                && window.by_current_clocks(&schedule.timezone) == *window
        };
        let (right, wrong): (Vec<_>, Vec<_>) = read.partition(is_right);
        let right: Vec<EventId> = right.into_iter().map(|(id, _)| id).collect();
        tx.set_zone_release(&right, release).await?;
        tx.commit().await?;
        for (id, _) in wrong {
            // One that fails does not keep the others.
            if let Err(error) = follow(commands, id).await {
                tracing::warn!(event_id = %id, error = %chain(&error), "the clocks of an event were not followed and will be tried again");
            }
        }
        match found.last() {
            Some((last, _)) if i64::try_from(found.len()).unwrap_or(BATCH) == BATCH => {
                after = *last;
            }
            _ => return Ok(false),
        }
    }
    Ok(true)
}

async fn follow(commands: &Commands, id: EventId) -> Result<(), Error> {
    let decide = async |context: &mut Context| {
        if context.tx.lock_counters(id).await?.is_none() {
            return Ok(());
        }
        context.renew_time();
        let Some(before) = context.tx.find_event(id).await? else {
            return Ok(());
        };
        let clocks = before.by_current_clocks(context.now);
        match clocks {
            Clocks::Moved(after) if !before.is_cancelled => {
                let is_live = after.is_live(context.now);
                context.tx.update_event(&after, is_live).await?;
                let fact = Fact::EventChanged {
                    change: EventChange::ClocksMoved,
                    before: &before,
                    after: &after,
                };
                context.record(fact).await?;
            }
            _ => {
                context.tx.set_zone_release(&[id], Zone::release()).await?;
                if clocks == Clocks::Skipped && !before.is_cancelled {
                    let event = &before;
                    context.record(Fact::ClocksSkipped { event }).await?;
                }
            }
        }
        Ok(())
    };
    commands.run(Actor::System, decide).await
}

/// At most so many events that would be at another moment, by id, and how many were looked at. Nothing is changed.
pub async fn planned_clocks(
    commands: &Commands,
    now: Instant,
    limit: usize,
) -> Result<(Vec<ChangedEvent>, usize), Error> {
    let (mut changed, mut seen) = (Vec::new(), 0);
    let (release, mut after) = (Zone::release(), EventId::new(Uuid::nil()));
    loop {
        let store = commands.store();
        let found = store.list_events_of_older_zones(release, now, after, BATCH);
        let found = found.await?;
        seen += found.len();
        let Some((last, _)) = found.last() else {
            return Ok((changed, seen));
        };
        after = *last;
        for (id, before) in found {
            let Some((before, _)) = before else {
                continue;
            };
            let after = match before.clock_change() {
                ClockChange::None => continue,
                ClockChange::Moved(after) => Some(after),
                ClockChange::Skipped => None,
            };
            changed.push(ChangedEvent { id, before, after });
        }
        if changed.len() >= limit {
            changed.truncate(limit);
            return Ok((changed, seen));
        }
    }
}
