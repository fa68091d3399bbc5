//! Registrations and their states.

mod answers;
mod changes;
mod confirmation;
mod details;
mod registrant;
mod seats;

use std::{
    fmt,
    ops::{Add, Sub},
    str::FromStr,
};

pub use answers::{Answer, check_answers};
pub use confirmation::{Awaits, Confirmation};
pub use details::{Details, NewDetails};
pub use registrant::{ActiveStatus, Notification, Registrant, SampleOrganizer};
pub use seats::{Admission, MUST_BE_NEW, Requester, Seats};
use uuid::Uuid;

use super::{
    check_in_code::CheckInCode,
    ids::{EventId, RegistrationId},
    instant::Instant,
    violation::FieldViolation,
};

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
    /// When the attendee was checked in.
    pub checked_in_at: Option<Instant>,
    /// By whom: a person, or a key.
    pub checked_in_by: Option<Uuid>,
    /// What that person or key is called now. It is read only.
    pub checked_in_by_name: Option<String>,
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

/// The status of a registration (rule 11 of docs/rules.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Awaits the organizer's approval, or the attendee's confirmation.
    Pending,
    /// Holds a seat.
    Confirmed,
    /// Waits for a seat.
    Waitlisted,
    /// Cancelled, which is final.
    Cancelled,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Pending,
        Self::Confirmed,
        Self::Waitlisted,
        Self::Cancelled,
    ];

    /// Its name in the contract and in storage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Confirmed => "Confirmed",
            Self::Waitlisted => "Waitlisted",
            Self::Cancelled => "Cancelled",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The text is no status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no registration status '{0}': use Pending, Confirmed, Waitlisted or Cancelled")]
pub struct UnknownStatus(String);

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|status| status.name() == name)
            .ok_or_else(|| UnknownStatus(name.to_owned()))
    }
}

/// How many registrations an event has, by status; the row is also the event's mutex (docs/storage.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Registrations that hold a seat.
    pub confirmed: i32,
    /// Registrations that await approval or confirmation.
    pub pending: i32,
    /// Those of them that await the attendee's confirmation.
    pub unconfirmed: i32,
    /// Those of the unconfirmed that hold a seat until they are confirmed.
    pub held: i32,
    /// Registrations that wait for a seat.
    pub waitlisted: i32,
    /// Registrations that were cancelled.
    pub cancelled: i32,
    /// Those that hold a seat and were checked in.
    pub checked_in: i32,
}

impl Counters {
    /// All that are not cancelled: `registration_count`. These get a mail when the event is cancelled.
    pub const fn active(self) -> i32 {
        self.confirmed + self.pending + self.waitlisted
    }

    /// All, in any status: `registrations_total`.
    pub const fn total(self) -> i32 {
        self.active() + self.cancelled
    }

    /// Those with a status.
    pub const fn with(self, status: Status) -> i32 {
        match status {
            Status::Pending => self.pending,
            Status::Confirmed => self.confirmed,
            Status::Waitlisted => self.waitlisted,
            Status::Cancelled => self.cancelled,
        }
    }

    /// Registrations that await the organizer's approval.
    pub const fn awaiting_approval(self) -> i32 {
        self.pending - self.unconfirmed
    }
}

impl Add for Counters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            confirmed: self.confirmed + other.confirmed,
            pending: self.pending + other.pending,
            unconfirmed: self.unconfirmed + other.unconfirmed,
            held: self.held + other.held,
            waitlisted: self.waitlisted + other.waitlisted,
            cancelled: self.cancelled + other.cancelled,
            checked_in: self.checked_in + other.checked_in,
        }
    }
}

impl Sub for Counters {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            confirmed: self.confirmed - other.confirmed,
            pending: self.pending - other.pending,
            unconfirmed: self.unconfirmed - other.unconfirmed,
            held: self.held - other.held,
            waitlisted: self.waitlisted - other.waitlisted,
            cancelled: self.cancelled - other.cancelled,
            checked_in: self.checked_in - other.checked_in,
        }
    }
}

impl Registration {
    /// What it adds to its event's counters.
    pub fn counted(&self) -> Counters {
        Counters {
            checked_in: i32::from(self.checked_in_at.is_some()),
            ..Counters::of(self.status, self.confirmation)
        }
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
            checked_in_at: None,
            checked_in_by: None,
            checked_in_by_name: None,
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
