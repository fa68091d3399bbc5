//! Changes of a registration's status (rule 11 of docs/rules.md). The result is `None` if nothing changes.

use super::{Awaits, Counters, Refusal, Registration, Status};
use crate::{audit::Actor, instant::Instant, violation::FieldViolation};

impl Registration {
    /// Approves the registration. `counters` and `max_capacity` are its event's.
    pub fn approved(
        &self,
        counters: Counters,
        max_capacity: i32,
        now: Instant,
    ) -> Result<Option<Self>, Refusal> {
        match self.status {
            Status::Cancelled => Err(Refusal::RegistrationCancelled),
            Status::Confirmed | Status::Waitlisted => Ok(None),
            Status::Pending if self.awaits() == Some(Awaits::Confirmation) => {
                Err(Refusal::NotConfirmedByAttendee)
            }
            Status::Pending => Ok(Some(Self {
                status: counters.place(max_capacity, self.party.size),
                updated_at: now,
                ..self.clone()
            })),
        }
    }

    /// Cancels the registration and undoes a check-in.
    pub fn cancelled(&self, now: Instant) -> Option<Self> {
        (self.status != Status::Cancelled).then(|| Self {
            status: Status::Cancelled,
            confirmation: None,
            arrived: 0,
            checked_in_at: None,
            checked_in_by: None,
            checked_in_by_name: None,
            updated_at: now,
            ..self.clone()
        })
    }

    /// Declines the registration: it is cancelled, and no seat becomes free.
    pub fn declined(&self, now: Instant) -> Result<Option<Self>, Refusal> {
        match self.status {
            Status::Confirmed => Err(Refusal::HoldsSeat),
            Status::Pending | Status::Waitlisted | Status::Cancelled => Ok(self.cancelled(now)),
        }
    }

    /// Gives the registration a seat before others on the waitlist.
    pub fn promoted(&self, now: Instant) -> Result<Option<Self>, Refusal> {
        match self.status {
            Status::Cancelled => Err(Refusal::RegistrationCancelled),
            Status::Pending => Err(Refusal::NotWaitlisted(self.status)),
            Status::Confirmed => Ok(None),
            Status::Waitlisted => Ok(Some(Self {
                status: Status::Confirmed,
                updated_at: now,
                ..self.clone()
            })),
        }
    }

    /// Checks in `people` of the party, all if that is not said; the first time counts.
    pub fn checked_in(
        &self,
        people: Option<i32>,
        by: Actor,
        now: Instant,
    ) -> Result<Option<Self>, Refusal> {
        if self.status != Status::Confirmed {
            return Err(Refusal::NotConfirmed(self.status));
        }
        let size = self.party.size;
        let arrived = people.unwrap_or(size);
        if arrived > size {
            return Err(Refusal::Invalid(vec![FieldViolation {
                field: "people".to_owned(),
                message: format!("must be at most {size}, the people of the registration"),
            }]));
        }
        if arrived == self.arrived {
            return Ok(None);
        }
        let is_first = self.checked_in_at.is_none();
        Ok(Some(Self {
            arrived,
            checked_in_at: self.checked_in_at.or(Some(now)),
            checked_in_by: if is_first {
                by.id()
            } else {
                self.checked_in_by
            },
            updated_at: now,
            ..self.clone()
        }))
    }

    /// Undoes a check-in.
    pub fn check_in_undone(&self, now: Instant) -> Option<Self> {
        self.checked_in_at.is_some().then(|| Self {
            arrived: 0,
            checked_in_at: None,
            checked_in_by: None,
            checked_in_by_name: None,
            updated_at: now,
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::PersonId,
        registration::Party,
        registration::tests::{NOW, registration},
    };
    use uuid::Uuid;

    const KIM: Actor = Actor::Person(PersonId::new(Uuid::from_u128(7)));

    #[test]
    fn approval_gives_a_seat_while_there_is_one() {
        let approve = |status, max_capacity| {
            let counters = registration(Status::Confirmed).counted();
            let outcome = registration(status).approved(counters, max_capacity, NOW);
            outcome.map(|after| after.map(|after| after.status))
        };
        assert_eq!(approve(Status::Pending, 2), Ok(Some(Status::Confirmed)));
        assert_eq!(approve(Status::Pending, 1), Ok(Some(Status::Waitlisted)));
        assert_eq!(approve(Status::Confirmed, 1), Ok(None));
        assert_eq!(approve(Status::Waitlisted, 2), Ok(None));
        let refused = Err(Refusal::RegistrationCancelled);
        assert_eq!(approve(Status::Cancelled, 2), refused);
    }

    #[test]
    fn who_holds_a_seat_is_not_declined() {
        let decline = |status| {
            let outcome = registration(status).declined(NOW);
            outcome.map(|after| after.map(|after| after.status))
        };
        for status in [Status::Pending, Status::Waitlisted] {
            assert_eq!(decline(status), Ok(Some(Status::Cancelled)));
        }
        assert_eq!(decline(Status::Confirmed), Err(Refusal::HoldsSeat));
        assert_eq!(decline(Status::Cancelled), Ok(None));
    }

    #[test]
    fn only_who_waits_is_promoted() {
        let promote = |status| {
            let outcome = registration(status).promoted(NOW);
            outcome.map(|after| after.map(|after| after.status))
        };
        assert_eq!(promote(Status::Waitlisted), Ok(Some(Status::Confirmed)));
        assert_eq!(promote(Status::Confirmed), Ok(None));
        let pending = Err(Refusal::NotWaitlisted(Status::Pending));
        assert_eq!(promote(Status::Pending), pending);
        let cancelled = Err(Refusal::RegistrationCancelled);
        assert_eq!(promote(Status::Cancelled), cancelled);
    }

    #[test]
    fn only_who_holds_a_seat_is_checked_in_and_cancelling_takes_it_back() {
        for status in [Status::Pending, Status::Waitlisted, Status::Cancelled] {
            let refused = Err(Refusal::NotConfirmed(status));
            assert_eq!(registration(status).checked_in(None, KIM, NOW), refused);
        }
        let come = registration(Status::Confirmed).checked_in(None, KIM, NOW);
        let come = come.unwrap().unwrap();
        assert_eq!(come.checked_in_at, Some(NOW));
        assert_eq!(come.checked_in_by, Some(Uuid::from_u128(7)));
        assert_eq!(
            come.checked_in(None, Actor::System, NOW.plus_seconds(9)),
            Ok(None)
        );
        let undone = come.check_in_undone(NOW).unwrap();
        assert_eq!(
            (undone.check_in_undone(NOW), undone.checked_in_by),
            (None, None)
        );
        let cancelled = come.cancelled(NOW).unwrap();
        assert_eq!(cancelled.checked_in_at, None);
        assert_eq!(cancelled.cancelled(NOW), None);
    }

    #[test]
    fn a_party_comes_one_after_another_and_at_most_as_a_whole() {
        let party = Registration {
            party: Party::of(3),
            ..registration(Status::Confirmed)
        };
        let two = party.checked_in(Some(2), KIM, NOW).unwrap().unwrap();
        assert_eq!((two.arrived, two.checked_in_at), (2, Some(NOW)));
        assert_eq!(two.checked_in(Some(2), KIM, NOW), Ok(None));
        let later = NOW.plus_seconds(60);
        let all = two.checked_in(None, KIM, later).unwrap().unwrap();
        assert_eq!((all.arrived, all.checked_in_at), (3, Some(NOW)));
        let refused = party.checked_in(Some(4), KIM, NOW);
        assert!(matches!(refused, Err(Refusal::Invalid(_))), "{refused:?}");
        let undone = all.check_in_undone(later).unwrap();
        assert_eq!((undone.arrived, undone.checked_in_at), (0, None));
    }
}
