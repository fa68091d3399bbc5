//! Checking in by the code on a ticket.

use domain::{
    check_in_code::CheckInCode, event::Event, fact::RegistrationChange, ids::EventId,
    instant::Instant, registration::Registration,
};

use super::shown_to;
use crate::service::{
    Context, Error, Invocation, Principal, Registrations, registrations::manage::Held,
};

/// Where the code is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoorPlace {
    /// At the door of this event: tickets for others do not count.
    At(EventId),
    /// At any event of the caller.
    Anywhere,
}

/// Someone who was checked in by a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The registration, checked in.
    pub registration: Registration,
    /// The event.
    pub event: Event,
    /// When the attendee was first checked in.
    pub at: Instant,
    /// Whether that was before this call.
    pub was_checked_in: bool,
}

impl Registrations {
    /// Checks in the attendee with this code. If they already are, it says since when.
    pub async fn check_in_by_code(
        &self,
        by: impl Into<Invocation<'_, Arrival>>,
        code: &str,
        place: DoorPlace,
    ) -> Result<Arrival, Error> {
        let by = by.into();
        let caller = by.caller;
        let (found, _) = self.get_by_code(caller, code, place).await?;
        let decide = async |context: &mut Context| {
            let held = Held::read(context, caller, found.event_id, found.id).await;
            let held = held.map_err(as_ticket)?;
            if held.event.is_cancelled {
                return Err(Error::EventCancelled);
            }
            let after = held.registration.checked_in(context.now)?;
            let was_checked_in = after.is_none();
            if let Some(after) = &after {
                held.write(context, RegistrationChange::CheckedIn, after)
                    .await?;
            }
            let registration = after.unwrap_or(held.registration);
            Ok(Arrival {
                at: registration.checked_in_at.unwrap_or(context.now),
                registration: shown_to(caller, &held.event, registration),
                event: held.event,
                was_checked_in,
            })
        };
        self.commands.run_for(by, decide).await
    }

    /// The registration with this code, and its event, which is the caller's.
    pub async fn get_by_code(
        &self,
        caller: &Principal,
        code: &str,
        place: DoorPlace,
    ) -> Result<(Registration, Event), Error> {
        let code = CheckInCode::parse(code).ok_or(Error::NO_TICKET)?;
        let store = self.commands.store();
        let found = store.find_registration_by_code(&code).await?;
        let is_here = |found: &Registration| match place {
            DoorPlace::At(event) => found.event_id == event,
            DoorPlace::Anywhere => true,
        };
        let found = found.filter(is_here).ok_or(Error::NO_TICKET)?;
        let paid = self.require_paid(caller, found.event_id).await;
        let (event, _) = paid.map_err(as_ticket)?;
        Ok((shown_to(caller, &event, found), event))
    }
}

/// Whether the code leads to someone else's event is nobody's business.
fn as_ticket(error: Error) -> Error {
    match error {
        Error::NotFound { .. } => Error::NO_TICKET,
        other => other,
    }
}
