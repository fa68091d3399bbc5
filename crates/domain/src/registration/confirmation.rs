//! The confirmation of a registration by the attendee, from the mail, where the event asks for it (rule 27 of docs/rules.md).

use super::{Counters, Refusal, Registration, Status};
use crate::{event::Event, instant::Instant, names::names};

/// How long a registration that is not confirmed holds a seat: enough to read a mail, too short to keep seats from others.
const HOLD_SECONDS: i64 = 30 * 60;

/// How long a registration can be confirmed.
const CONFIRM_SECONDS: i64 = 24 * 3_600;

/// The confirmation that a pending registration awaits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confirmation {
    /// Until when the registration holds a seat; `None` if it holds none.
    pub held_until: Option<Instant>,
    /// When the registration lapses.
    pub until: Instant,
}

impl Confirmation {
    /// The confirmation that a registration awaits from `now` on.
    pub fn begun(now: Instant, holds_a_seat: bool) -> Self {
        Self {
            held_until: holds_a_seat.then(|| now.plus_seconds(HOLD_SECONDS)),
            until: now.plus_seconds(CONFIRM_SECONDS),
        }
    }
}

names! {
    /// What a pending registration awaits.
    Awaits {
        /// The organizer's approval.
        Approval = "approval",
        /// The attendee's confirmation, from the mail.
        Confirmation = "confirmation",
    }
}

impl Registration {
    /// What it awaits; `None` unless it is pending.
    pub fn awaits(&self) -> Option<Awaits> {
        match (self.status, self.confirmation) {
            (Status::Pending, Some(_)) => Some(Awaits::Confirmation),
            (Status::Pending, None) => Some(Awaits::Approval),
            _ => None,
        }
    }

    /// Confirms the registration; `None` if it does not await that. It gets the seat that it holds, or one that is left, unless its
    /// event asks for approval. `counters` are the event's, without seats that are held for too long.
    pub fn confirmed(
        &self,
        event: &Event,
        counters: Counters,
        now: Instant,
    ) -> Result<Option<Self>, Refusal> {
        if self.status == Status::Cancelled {
            return Err(Refusal::RegistrationCancelled);
        }
        let Some(confirmation) = self.confirmation else {
            return Ok(None);
        };
        let holds_a_seat = confirmation.held_until.is_some();
        let status = if event.requires_approval {
            Status::Pending
        } else if holds_a_seat && counters.seated() + self.party.size <= event.max_capacity {
            // A capacity that was lowered may leave fewer seats than are held.
            Status::Confirmed
        } else {
            counters.place(event.max_capacity, self.party.size)
        };
        Ok(Some(Self {
            status,
            confirmation: None,
            updated_at: now,
            ..self.clone()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::tests::event_from,
        registration::tests::{NOW, registration},
    };

    fn unconfirmed(holds_a_seat: bool) -> Registration {
        Registration {
            confirmation: Some(Confirmation::begun(NOW, holds_a_seat)),
            ..registration(Status::Pending)
        }
    }

    fn event(max_capacity: i32) -> Event {
        Event {
            max_capacity,
            ..event_from(NOW)
        }
    }

    fn status(registration: &Registration, event: &Event, others: Counters) -> Status {
        let counters = others + registration.counted();
        let after = registration.confirmed(event, counters, NOW).unwrap();
        let after = after.unwrap();
        assert_eq!(after.confirmation, None);
        assert_eq!(after.confirmed(event, counters, NOW), Ok(None));
        after.status
    }

    #[test]
    fn who_confirms_in_time_gets_the_seat_that_was_held() {
        let others = Counters {
            confirmed: 1,
            waitlisted: 5,
            ..Counters::default()
        };
        assert_eq!(
            status(&unconfirmed(true), &event(2), others),
            Status::Confirmed
        );
        // Seats were taken away meanwhile.
        assert_eq!(
            status(&unconfirmed(true), &event(1), others),
            Status::Waitlisted
        );
    }

    #[test]
    fn who_confirms_late_gets_a_seat_that_is_left_after_all_others() {
        let others = Counters {
            confirmed: 1,
            ..Counters::default()
        };
        assert_eq!(
            status(&unconfirmed(false), &event(2), others),
            Status::Confirmed
        );
        assert_eq!(
            status(&unconfirmed(false), &event(1), others),
            Status::Waitlisted
        );
        let held = others + unconfirmed(true).counted();
        assert_eq!(
            status(&unconfirmed(false), &event(2), held),
            Status::Waitlisted
        );
        let waiting = Counters {
            waitlisted: 1,
            ..others
        };
        assert_eq!(
            status(&unconfirmed(false), &event(2), waiting),
            Status::Waitlisted
        );
    }

    #[test]
    fn approval_comes_after_confirmation() {
        let asking = Event {
            requires_approval: true,
            ..event(2)
        };
        let before = unconfirmed(true);
        assert_eq!(before.awaits(), Some(Awaits::Confirmation));
        let refused = before.approved(Counters::default(), 2, NOW);
        assert_eq!(refused, Err(Refusal::NotConfirmedByAttendee));
        let after = before.confirmed(&asking, before.counted(), NOW);
        let after = after.unwrap().unwrap();
        assert_eq!(after.awaits(), Some(Awaits::Approval));
        let approved = after.approved(after.counted(), 2, NOW).unwrap();
        assert_eq!(approved.unwrap().awaits(), None);
    }

    #[test]
    fn a_cancelled_registration_is_not_confirmed() {
        let cancelled = unconfirmed(true).cancelled(NOW).unwrap();
        assert_eq!(
            cancelled.counted(),
            registration(Status::Cancelled).counted()
        );
        let refused = cancelled.confirmed(&event(2), Counters::default(), NOW);
        assert_eq!(refused, Err(Refusal::RegistrationCancelled));
    }
}
