//! Who comes to an event.

use super::{Caller, Error, Service};
use crate::domain::{ids::EventId, registration::Registration};

/// A list of registrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registrations {
    /// The registrations, first come first.
    pub registrations: Vec<Registration>,
    /// How many there are in all, in any status.
    pub count: i32,
}

impl Service {
    /// Who registered for one of the caller's events. Ownership is decided before the plan, so that a refusal for the
    /// plan's sake reveals nothing (design.md 3.12).
    pub async fn list_registrations(
        &self,
        caller: &Caller,
        id: EventId,
        limit: i32,
    ) -> Result<Registrations, Error> {
        let (_, counters) = self.get_my_event(caller, id).await?;
        let store = &self.context.store;
        let account = store.find_account(caller.account_id).await?;
        if !account.ok_or(Error::Unauthorized)?.plan.is_paid() {
            return Err(Error::PlanRequired);
        }
        Ok(Registrations {
            registrations: store.list_registrations(id, limit.into()).await?,
            count: counters.total(),
        })
    }
}
