//! Checking in at the door.

use domain::{
    event::Event,
    fact::RegistrationChange,
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{DoorCode, Registration},
    violation::FieldViolation,
};

use super::shown_to;
use crate::service::{
    Context, Error, Invocation, Principal, Registrations, registrations::manage::Held,
};

/// The most codes of an event that a door is given: as many as an event has seats.
const MAX_CODES: i64 = 10_000;

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
    /// Checks in `people` of a registration, or all. If they already are, it says since when.
    pub async fn check_in(
        &self,
        by: impl Into<Invocation<'_, Arrival>>,
        event: EventId,
        id: RegistrationId,
        people: Option<i32>,
    ) -> Result<Arrival, Error> {
        let decide = async |context: &mut Context, caller: &Principal, held: Held| {
            held.check_in(context, caller, people).await
        };
        self.on_held(by, (event, id), decide).await
    }

    /// The same for the registration with this code.
    pub async fn check_in_by_code(
        &self,
        by: impl Into<Invocation<'_, Arrival>>,
        code: &str,
        place: DoorPlace,
        people: Option<i32>,
    ) -> Result<Arrival, Error> {
        let by = by.into();
        let caller = by.caller;
        let (found, _) = self.get_by_code(caller, code, place).await?;
        let decide = async |context: &mut Context| {
            let held = Held::read(context, caller, found.event_id, found.id).await;
            held.map_err(as_ticket)?
                .check_in(context, caller, people)
                .await
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

    /// The codes of one of the caller's events with what became of their registrations, for a door that goes on without the network.
    pub async fn door_codes(
        &self,
        caller: &Principal,
        id: EventId,
    ) -> Result<Vec<DoorCode>, Error> {
        let (event, _) = self.require_paid(caller, id).await?;
        let store = self.commands.store();
        Ok(store.list_check_in_codes(event.id, MAX_CODES).await?)
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
    async fn check_in(
        self,
        context: &mut Context,
        caller: &Principal,
        people: Option<i32>,
    ) -> Result<Arrival, Error> {
        if self.event.is_cancelled {
            return Err(Error::EventCancelled);
        }
        let after = self
            .registration
            .checked_in(people, caller.actor, context.now)?;
        let was_checked_in = self.registration.checked_in_at.is_some();
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
