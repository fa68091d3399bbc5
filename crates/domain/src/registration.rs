//! Registrations and their states.

mod answers;
mod changes;
mod check_in_code;
mod confirmation;
mod counters;
mod details;
mod party;
mod registrant;
mod seats;

pub use answers::{Answer, check_answers};
pub use check_in_code::CheckInCode;
pub use confirmation::{Awaits, Confirmation};
pub use counters::{Companions, Counters};
pub use details::{Details, NewDetails};
pub use party::{MAX_PARTY, Party, Waiting, first_that_fit};
pub use registrant::{ActiveStatus, Notification, Registrant, SampleOrganizer};
pub use seats::{Admission, MUST_BE_NEW, Requester, Seats};
use uuid::Uuid;

use super::{
    date_time::EventTime,
    ids::{EventId, RegistrationId},
    instant::Instant,
    names::names,
    violation::FieldViolation,
};

/// A code of an event for its door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoorCode {
    /// The code.
    pub code: CheckInCode,
    /// The status of its registration.
    pub status: Status,
    /// Whether it was checked in.
    pub is_checked_in: bool,
    /// For how many people it is.
    pub party_size: i32,
}

/// A registration for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Its identifier.
    pub id: RegistrationId,
    /// The event.
    pub event_id: EventId,
    /// Its place in the order of registering within the event, from 1.
    pub seq: i64,
    /// The attendee's name.
    pub name: String,
    /// The attendee's email address, as entered.
    pub email: String,
    /// Its status.
    pub status: Status,
    /// The confirmation by the attendee that it awaits; only pending registrations await one.
    pub confirmation: Option<Confirmation>,
    /// Answers to the event's custom fields, as they were when it was made.
    pub answers: Vec<Answer>,
    /// The code on the attendee's ticket.
    pub check_in_code: CheckInCode,
    /// Whether an organizer added the attendee, who did not register themselves.
    pub is_added: bool,
    /// The people for whom it is.
    pub party: Party,
    /// How many of them were checked in.
    pub arrived: i32,
    /// When the first of them was checked in.
    pub checked_in_at: Option<Instant>,
    /// By whom: a person, or a key.
    pub checked_in_by: Option<Uuid>,
    /// What that person or key is called now. It is read only.
    pub checked_in_by_name: Option<String>,
    /// Whether the attendee wants no reminders of the event.
    pub refuses_reminders: bool,
    /// When it was made.
    pub registered_at: Instant,
    /// When it was last changed.
    pub updated_at: Instant,
}

/// Why a change of a registration is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such event, or the caller may not see it.
    #[error("there is no such event")]
    NoEvent,
    /// The operator has withdrawn the event from the public.
    #[error("the event is hidden")]
    EventWithdrawn,
    /// Answers that do not fit the event's questions.
    #[error("the answers break rules")]
    Invalid(Vec<FieldViolation>),
    /// The event is cancelled, which is final.
    #[error("the event is cancelled")]
    EventCancelled,
    /// The event has ended.
    #[error("the event has ended")]
    EventEnded,
    /// Registration opens at this time.
    #[error("registration is not open")]
    RegistrationNotOpen(EventTime),
    /// Registration is closed, since this time unless by hand.
    #[error("registration is closed")]
    RegistrationClosed(Option<EventTime>),
    /// The event is a draft.
    #[error("the event is not published")]
    EventNotPublished,
    /// The address has a registration that is not cancelled.
    #[error("the address is registered already")]
    AlreadyRegistered,
    /// The registration is cancelled, which is final.
    #[error("the registration is cancelled")]
    RegistrationCancelled,
    /// Only a registration that holds a seat can be checked in.
    #[error("the registration is {0}, not Confirmed")]
    NotConfirmed(Status),
    /// The event does not let guests change their answers, or has begun.
    #[error("the answers cannot be changed any more")]
    AnswersFixed,
    /// Who holds a seat is not declined.
    #[error("the registration holds a seat")]
    HoldsSeat,
    /// The attendee must confirm the registration before it is approved.
    #[error("the attendee has not confirmed the registration")]
    NotConfirmedByAttendee,
    /// Only who waits for a seat is promoted.
    #[error("the registration is {0}, not Waitlisted")]
    NotWaitlisted(Status),
}

names! {
    /// The status of a registration (rule 11 of docs/rules.md).
    #[derive(Hash)]
    Status / UnknownStatus(String): "there is no registration status '{0}': use Pending, Confirmed, Waitlisted or Cancelled" {
        /// Awaits the organizer's approval, or the attendee's confirmation.
        Pending = "Pending",
        /// Holds a seat.
        Confirmed = "Confirmed",
        /// Waits for a seat.
        Waitlisted = "Waitlisted",
        /// Cancelled, which is final.
        Cancelled = "Cancelled",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::entropy::Entropy;

    pub(crate) const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    pub(crate) fn registration(status: Status) -> Registration {
        Registration {
            id: RegistrationId::new(uuid::Uuid::nil()),
            event_id: EventId::new(uuid::Uuid::nil()),
            seq: 1,
            name: "Grace".to_owned(),
            email: "grace@example.org".to_owned(),
            status,
            confirmation: None,
            answers: Vec::new(),
            check_in_code: CheckInCode::generate(&Entropy::seeded(1)),
            is_added: false,
            party: Party::default(),
            arrived: 0,
            checked_in_at: None,
            checked_in_by: None,
            checked_in_by_name: None,
            refuses_reminders: false,
            registered_at: NOW,
            updated_at: NOW,
        }
    }

    #[test]
    fn every_status_is_found_by_its_name() {
        for status in Status::ALL {
            assert_eq!(status.name().parse(), Ok(status));
        }
        assert!("confirmed".parse::<Status>().is_err());
    }
}
