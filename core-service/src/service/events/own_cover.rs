//! Pictures that organizers send as covers of their events.

use std::sync::Arc;

use bytes::Bytes;
use covers::Developer;
use domain::{
    event::Event, fact::Fact, ids::EventId, registration::Counters, violation::Violations,
};
use storage::StoredCover;

use tokio::sync::Semaphore;

use super::{hold, lock_account};
use crate::service::{Context, Error, Events, Principal};

/// Photographs that are decoded at once. One can take 250 MB, and 250 ms of a processor.
const AT_ONCE: usize = 1;

/// Photographs that are decoded or wait for it at most: each holds its file. The last one waits about two seconds.
const MAX_ADMITTED: usize = 8;

/// Makes covers of what organizers send. Clones share the limit of those that are decoded at once.
#[derive(Debug, Clone)]
pub struct OwnCovers {
    events: Events,
    developer: Developer,
    /// A permit for each photograph that is decoded or waits for it.
    admitted: Arc<Semaphore>,
}

impl OwnCovers {
    /// Covers of these events.
    pub(crate) fn new(events: Events) -> Self {
        Self {
            events,
            developer: Developer::new(AT_ONCE),
            admitted: Arc::new(Semaphore::new(MAX_ADMITTED)),
        }
    }

    /// The picture that was sent.
    pub async fn get(&self, caller: &Principal, id: EventId) -> Result<StoredCover, Error> {
        self.events.get(caller, id).await?;
        let found = self.events.commands.store().find_own_cover(id).await?;
        found.ok_or(Error::NotFound { what: "picture" })
    }

    /// Makes a picture the event's cover, instead of one that was sent before.
    pub async fn put(
        &self,
        caller: &Principal,
        id: EventId,
        file: Bytes,
    ) -> Result<(Event, Counters), Error> {
        // Before the work: whose event it is not learns nothing of it.
        let (event, _) = self.events.get(caller, id).await?;
        if event.is_cancelled {
            return Err(Error::EventCancelled);
        }
        let admitted = self.admitted.try_acquire();
        let admitted = admitted.map_err(|_full| Error::CoversBusy)?;
        let developed = self.developer.develop(file).await;
        drop(admitted);
        let mut violations = Violations::default();
        let jpeg = violations.check("file", developed);
        let jpeg = violations.unless_any(jpeg).map_err(Error::Invalid)?;
        let cover = StoredCover::new(jpeg);
        let decide = async |context: &mut Context| {
            lock_account(context, caller).await?;
            let (before, counters) = hold(context, caller, id).await?;
            if before.is_cancelled {
                return Err(Error::EventCancelled);
            }
            context.tx.put_own_cover(id, &cover, context.now).await?;
            let after = with_cover(before, true, context);
            write(context, &after).await?;
            Ok((after, counters))
        };
        self.events.commands.run(caller.actor, decide).await
    }

    /// Removes the picture that was sent.
    pub async fn delete(
        &self,
        caller: &Principal,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        let decide = async |context: &mut Context| {
            lock_account(context, caller).await?;
            let (before, counters) = hold(context, caller, id).await?;
            if before.is_cancelled {
                return Err(Error::EventCancelled);
            }
            if !before.has_own_cover {
                return Ok((before, counters));
            }
            context.tx.delete_own_cover(id).await?;
            let after = with_cover(before, false, context);
            write(context, &after).await?;
            Ok((after, counters))
        };
        self.events.commands.run(caller.actor, decide).await
    }
}

fn with_cover(before: Event, has_own_cover: bool, context: &Context) -> Event {
    Event {
        has_own_cover,
        updated_at: context.now,
        ..before
    }
}

async fn write(context: &mut Context, event: &Event) -> Result<(), Error> {
    let is_live = event.is_live(context.now);
    context.tx.update_event(event, is_live).await?;
    context.record(Fact::OwnCover { event }).await?;
    Ok(())
}
