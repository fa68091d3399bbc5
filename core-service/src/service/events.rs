//! The caller's own events.

mod cancel;
mod change;
mod create;
mod quota;

pub use cancel::Cancellation;

use super::{Caller, Error, Service, catalogue::saturated};
use crate::{
    domain::{event::Event, ids::EventId, registration::Counters},
    storage::{EventFilter, Tx},
};

/// A list of the caller's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyEvents {
    /// The events with their registrations' numbers, latest start first.
    pub events: Vec<(Event, Counters)>,
    /// How many events pass the filter, listed here or not.
    pub count: i32,
}

impl Service {
    /// The caller's events.
    pub async fn list_my_events(
        &self,
        caller: &Caller,
        filter: EventFilter,
        limit: i32,
    ) -> Result<MyEvents, Error> {
        let now = self.now();
        let store = &self.context.store;
        let owner = caller.account_id;
        Ok(MyEvents {
            events: store
                .list_account_events(owner, filter, now, limit.into())
                .await?,
            count: saturated(store.count_account_events(owner, filter, now).await?),
        })
    }

    /// One of the caller's events.
    pub async fn get_my_event(
        &self,
        caller: &Caller,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        let found = self
            .context
            .store
            .find_account_event(caller.account_id, id)
            .await?;
        found.ok_or(Error::NO_EVENT)
    }
}

/// Reads one of the caller's events to change it: nobody else changes it or its seats until the transaction ends.
pub(super) async fn hold(
    tx: &mut Tx,
    caller: &Caller,
    id: EventId,
) -> Result<(Event, Counters), Error> {
    tx.lock_counters(id).await?.ok_or(Error::NO_EVENT)?;
    let found = tx.find_account_event(caller.account_id, id).await?;
    found.ok_or(Error::NO_EVENT)
}
