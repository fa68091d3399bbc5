//! Checking in at the door.

use domain::{
    event::Event,
    fact::RegistrationChange,
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::Registration,
    violation::FieldViolation,
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

/// Someone who was checked in.
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
    /// Checks an attendee in. If they already are, it says since when.
    pub async fn check_in(
        &self,
        by: impl Into<Invocation<'_, Arrival>>,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Arrival, Error> {
        let by = by.into();
        let caller = by.caller;
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let held = Held::read(context, caller, event, id).await?;
            held.check_in(context, caller).await
        };
        self.commands.run_for(by, decide).await
    }

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
            held.map_err(as_ticket)?.check_in(context, caller).await
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
        let code = self.links.scanned_code(code.trim());
        let code = code.map_err(|host| self.of_another_site(&host))?;
        let code = code.ok_or(Error::NO_TICKET)?;
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

    fn of_another_site(&self, host: &str) -> Error {
        let message = format!(
            "must be a code of {}: this one is of {host}",
            self.links.host()
        );
        Error::Invalid(vec![FieldViolation {
            field: "code".to_owned(),
            message,
        }])
    }
}

impl Held {
    /// Also after the event, to enter a list from the door.
    async fn check_in(self, context: &mut Context, caller: &Principal) -> Result<Arrival, Error> {
        if self.event.is_cancelled {
            return Err(Error::EventCancelled);
        }
        let after = self.registration.checked_in(caller.actor, context.now)?;
        let was_checked_in = after.is_none();
        let registration = match after {
            None => self.registration,
            Some(after) => {
                self.write(context, RegistrationChange::CheckedIn, &after)
                    .await?;
                // With the name of who has checked them in.
                let written = context
                    .tx
                    .find_registration(self.event.id, after.id)
                    .await?;
                written.ok_or(Error::NO_REGISTRATION)?
            }
        };
        Ok(Arrival {
            at: registration.checked_in_at.unwrap_or(context.now),
            registration: shown_to(caller, &self.event, registration),
            event: self.event,
            was_checked_in,
        })
    }
}

/// Whether the code leads to someone else's event is nobody's business.
fn as_ticket(error: Error) -> Error {
    match error {
        Error::NotFound { .. } => Error::NO_TICKET,
        other => other,
    }
}
