//! Decisions on seats, on data that were read under the lock of an event's counters.

use super::{Answer, Confirmation, Counters, Party, Refusal, Status, check_answers};
use crate::{
    event::{Event, WindowState},
    ids::AccountId,
    instant::Instant,
    violation::FieldViolation,
};

/// The message for an address that is registered already, for the event's owner.
pub const MUST_BE_NEW: &str = "must be one that is not registered for the event already";

/// An event whose counters are locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// The event.
    pub event: Event,
    /// Its counters.
    pub counters: Counters,
    /// The next number in the order of registering.
    pub next_seq: i64,
}

/// Who asks for a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requester {
    /// The public, which must not learn whether an address is registered.
    Public,
    /// The event's owner, for a person; this includes approval.
    Owner(AccountId),
}

/// The outcome of a request for a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// The person is registered now.
    New {
        /// The status.
        status: Status,
        /// The confirmation that it awaits.
        confirmation: Option<Confirmation>,
        /// The number in the order of registering.
        seq: i64,
        /// The answers, in normal form.
        answers: Vec<Answer>,
    },
    /// The person was already registered, and nothing changes.
    Repeated {
        /// The answers, in normal form.
        answers: Vec<Answer>,
    },
}

impl Seats {
    /// Decides on a request for a seat and counts it. Except for the event's owner, refusals do not depend on whether the
    /// person is registered.
    pub fn admit(
        &mut self,
        requester: Requester,
        (party, answers): (&Party, Vec<Answer>),
        is_registered: bool,
        now: Instant,
    ) -> Result<Admission, Refusal> {
        self.event.check_open(requester, now)?;
        let is_known = is_registered && requester != Requester::Public;
        let mut mistakes = party.mistakes(&self.event);
        let answers = check_answers(&self.event.custom_fields, answers);
        let answers = answers.unwrap_or_else(|wrong| {
            mistakes.extend(wrong);
            Vec::new()
        });
        if !mistakes.is_empty() {
            mistakes.extend(is_known.then(|| FieldViolation {
                field: "email".to_owned(),
                message: MUST_BE_NEW.to_owned(),
            }));
            return Err(Refusal::Invalid(mistakes));
        }
        if is_registered {
            return match requester {
                Requester::Public => Ok(Admission::Repeated { answers }),
                Requester::Owner(_) => Err(Refusal::AlreadyRegistered),
            };
        }
        let (status, confirmation) = self.standing(requester, party.size, now);
        let seq = self.next_seq;
        self.next_seq += 1;
        self.counters = self.counters + Counters::of(status, confirmation, party.size);
        Ok(Admission::New {
            status,
            confirmation,
            seq,
            answers,
        })
    }

    /// Where a new registration stands. Before an approval there is no seat to hold.
    fn standing(
        &self,
        requester: Requester,
        size: i32,
        now: Instant,
    ) -> (Status, Option<Confirmation>) {
        let place = self.counters.place(self.event.max_capacity, size);
        let Event {
            confirm_by_email,
            requires_approval,
            ..
        } = self.event;
        match requester {
            Requester::Public if confirm_by_email => {
                let holds_a_seat = !requires_approval && place == Status::Confirmed;
                (
                    Status::Pending,
                    Some(Confirmation::begun(now, holds_a_seat)),
                )
            }
            Requester::Public if requires_approval => (Status::Pending, None),
            Requester::Public | Requester::Owner(_) => (place, None),
        }
    }
}

impl Event {
    /// Refuses new registrations by this requester.
    pub fn check_open(&self, requester: Requester, now: Instant) -> Result<(), Refusal> {
        match requester {
            // Only the owner may know that a draft exists.
            Requester::Public if !self.is_shown() => Err(Refusal::NoEvent),
            Requester::Owner(account) if account != self.account_id => Err(Refusal::NoEvent),
            // Adding people sends them mails about it.
            Requester::Owner(_) if self.is_withdrawn() => Err(Refusal::EventWithdrawn),
            _ => {
                self.check_running(now)?;
                if !self.is_published {
                    return Err(Refusal::EventNotPublished);
                }
                match requester {
                    Requester::Public => self.check_window(now),
                    Requester::Owner(_) => Ok(()),
                }
            }
        }
    }

    /// Refuses registrations by the public before and after their time, also for the waitlist.
    fn check_window(&self, now: Instant) -> Result<(), Refusal> {
        match self.window.state(now, self.schedule.start) {
            WindowState::Open => Ok(()),
            WindowState::Ahead(opens) => Err(Refusal::RegistrationNotOpen(opens)),
            WindowState::Closed(since) => Err(Refusal::RegistrationClosed(since)),
        }
    }

    /// Whether guests may change their own answers now.
    pub fn takes_new_answers(&self, now: Instant) -> bool {
        self.allows_answer_changes && !self.is_cancelled && now < self.schedule.start.at
    }

    /// Refuses changes of a guest's own answers where the event does not allow them, and once it has begun or is cancelled.
    pub fn check_takes_new_answers(&self, now: Instant) -> Result<(), Refusal> {
        self.check_running(now)?;
        if self.takes_new_answers(now) {
            Ok(())
        } else {
            Err(Refusal::AnswersFixed)
        }
    }

    /// Refuses changes of seats once the event is cancelled or has ended.
    pub fn check_running(&self, now: Instant) -> Result<(), Refusal> {
        if self.is_cancelled {
            Err(Refusal::EventCancelled)
        } else if self.has_ended(now) {
            Err(Refusal::EventEnded)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::tests::event_from;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    fn seats(max_capacity: i32) -> Seats {
        let event = event_from(NOW).published(NOW).unwrap();
        Seats {
            event: Event {
                max_capacity,
                ..event
            },
            counters: Counters::default(),
            next_seq: 1,
        }
    }

    fn status(seats: &mut Seats, requester: Requester) -> Status {
        match seats
            .admit(requester, (&Party::default(), Vec::new()), false, NOW)
            .unwrap()
        {
            Admission::New { status, .. } => status,
            Admission::Repeated { .. } => panic!("nobody was registered before"),
        }
    }

    #[test]
    fn who_comes_after_the_last_seat_waits() {
        let mut seats = seats(2);
        let found = [(); 4].map(|()| status(&mut seats, Requester::Public));
        let expected = [
            Status::Confirmed,
            Status::Confirmed,
            Status::Waitlisted,
            Status::Waitlisted,
        ];
        assert_eq!(found, expected);
        assert_eq!(seats.next_seq, 5);
        assert_eq!(
            (seats.counters.confirmed, seats.counters.waitlisted),
            (2, 2)
        );
    }

    #[test]
    fn nobody_passes_those_who_wait() {
        let mut seats = seats(2);
        seats.counters.waitlisted = 1;
        assert_eq!(status(&mut seats, Requester::Public), Status::Waitlisted);
    }

    #[test]
    fn approval_is_asked_of_strangers_only() {
        let mut seats = seats(1);
        seats.event.requires_approval = true;
        let owner = Requester::Owner(seats.event.account_id);
        assert_eq!(status(&mut seats, Requester::Public), Status::Pending);
        assert_eq!(status(&mut seats, owner), Status::Confirmed);
        assert_eq!(status(&mut seats, owner), Status::Waitlisted);
    }

    #[test]
    fn who_has_yet_to_confirm_holds_a_seat_that_nobody_else_gets() {
        let mut seats = seats(1);
        seats.event.confirm_by_email = true;
        let owner = Requester::Owner(seats.event.account_id);
        let mut held = || match seats.admit(
            Requester::Public,
            (&Party::default(), Vec::new()),
            false,
            NOW,
        ) {
            Ok(Admission::New {
                status: Status::Pending,
                confirmation: Some(confirmation),
                ..
            }) => confirmation.held_until.is_some(),
            other => panic!("{other:?}"),
        };
        assert_eq!([held(), held()], [true, false]);
        let Counters {
            pending,
            unconfirmed,
            held,
            ..
        } = seats.counters;
        assert_eq!((pending, unconfirmed, held), (2, 2, 1));
        assert_eq!(status(&mut seats, owner), Status::Waitlisted);
    }

    #[test]
    fn no_seat_is_held_for_who_needs_approval_afterwards() {
        let mut seats = seats(1);
        seats.event.confirm_by_email = true;
        seats.event.requires_approval = true;
        assert_eq!(status(&mut seats, Requester::Public), Status::Pending);
        assert_eq!((seats.counters.pending, seats.counters.held), (1, 0));
        let owner = Requester::Owner(seats.event.account_id);
        assert_eq!(status(&mut seats, owner), Status::Confirmed);
    }

    #[test]
    fn only_the_owner_is_told_of_a_repetition() {
        let mut seats = seats(1);
        let owner = Requester::Owner(seats.event.account_id);
        let before = seats.clone();
        let public = seats.admit(
            Requester::Public,
            (&Party::default(), Vec::new()),
            true,
            NOW,
        );
        let answers = Vec::new();
        assert_eq!(public, Ok(Admission::Repeated { answers }));
        let owner = seats.admit(owner, (&Party::default(), Vec::new()), true, NOW);
        assert_eq!(owner, Err(Refusal::AlreadyRegistered));
        assert_eq!(seats, before);
    }

    #[test]
    fn a_closed_event_says_why_and_a_draft_to_its_owner_only() {
        let open = seats(1);
        let owner = Requester::Owner(open.event.account_id);
        let stranger = Requester::Owner(AccountId::new(uuid::Uuid::from_u128(9)));
        let of = |event: Event, requester| {
            let mut seats = Seats {
                event,
                ..open.clone()
            };
            seats.admit(requester, (&Party::default(), Vec::new()), false, NOW)
        };
        let draft = open.event.unpublished(NOW).unwrap();
        let cancelled = open.event.cancelled(None, NOW).unwrap();
        let mut over = open.event.clone();
        over.schedule.start.at = NOW.plus_seconds(-24 * 3_600);
        over.schedule.start.local = "2027-01-14T09:00".parse().unwrap();
        over.schedule.end = None;
        assert_eq!(of(draft.clone(), Requester::Public), Err(Refusal::NoEvent));
        assert_eq!(of(draft, owner), Err(Refusal::EventNotPublished));
        assert_eq!(
            of(cancelled, Requester::Public),
            Err(Refusal::EventCancelled)
        );
        assert_eq!(of(over, owner), Err(Refusal::EventEnded));
        assert_eq!(of(open.event.clone(), stranger), Err(Refusal::NoEvent));
    }
}
