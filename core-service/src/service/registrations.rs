//! Who comes to an event: registering, and what the organizer and the attendee do afterwards.

mod batch;
mod export;
mod list;
mod manage;
mod own;
mod promote;
mod register;

pub use export::Export;
pub use list::RegistrationPage;
pub use own::{OwnRegistration, OwnRegistrations};
pub use register::{Added, NewRegistration};

pub(super) use promote::promote;

use std::sync::Arc;

use self::batch::Batchers;
use super::{Commands, Error, Links, Principal, events, limits::Limiters};
use crate::domain::{event::Event, ids::EventId, registration::Counters};

/// Use cases about registrations: the public makes them, the organizer manages them.
#[derive(Debug, Clone)]
pub struct Registrations {
    commands: Commands,
    links: Links,
    limiters: Arc<Limiters>,
    batchers: Arc<Batchers>,
}

impl Registrations {
    /// Registrations that are decided in batches; called within a Tokio runtime, in which those run.
    pub(super) fn new(commands: Commands, links: Links, limiters: Arc<Limiters>) -> Self {
        Self {
            batchers: Arc::new(Batchers::start(&commands, &limiters)),
            commands,
            links,
            limiters,
        }
    }

    /// One of the caller's events, whose registrations only a paid plan shows. Ownership is decided before the plan, so that a
    /// refusal for the plan's sake reveals nothing.
    async fn require_paid(
        &self,
        caller: &Principal,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        let store = self.commands.store();
        let found = events::find(store, caller, id).await?;
        let account = store.find_account(caller.account).await?;
        if account.ok_or(Error::Unauthorized)?.plan.is_paid() {
            Ok(found)
        } else {
            Err(Error::PlanRequired)
        }
    }
}
