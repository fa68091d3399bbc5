//! Name and answers that a repeated registration gave. Anyone can register any address, so the attendee decides whether they
//! replace those of the first one (rule 28 of docs/rules.md).

use super::{Answer, Confirmation, Refusal, Registration, Status};
use crate::{
    email::{self, Email},
    entropy::Entropy,
    event::CustomField,
    ids::RegistrationId,
    instant::Instant,
    registration::CheckInCode,
};

/// How long they can be taken over.
const OFFERED_SECONDS: i64 = 24 * 3_600;

/// Name and answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The attendee's name.
    pub name: String,
    /// Answers to the event's custom fields.
    pub answers: Vec<Answer>,
}

/// The details of a repeated registration, as they are stored until they are taken over or expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDetails {
    /// The first registration.
    pub registration: RegistrationId,
    /// Distinguishes repetitions, as that of the mail about them does.
    pub occasion: i32,
    /// The details.
    pub details: Details,
    /// When they expire.
    pub expires_at: Instant,
}

impl NewDetails {
    /// Details that are offered from `now` on.
    pub fn offered(
        registration: RegistrationId,
        occasion: i32,
        details: Details,
        now: Instant,
    ) -> Self {
        Self {
            registration,
            occasion,
            details,
            expires_at: now.plus_seconds(OFFERED_SECONDS),
        }
    }
}

impl Details {
    /// The details with answers to what the event asks now.
    #[must_use]
    pub fn current(self, fields: &[CustomField]) -> Self {
        Self {
            answers: Answer::current(self.answers, fields),
            ..self
        }
    }
}

impl Registration {
    /// The registration with answers to what the event asks now, as everyone sees them.
    #[must_use]
    pub fn current(self, fields: &[CustomField]) -> Self {
        Self {
            answers: Answer::current(self.answers, fields),
            ..self
        }
    }

    /// Whether it has these details.
    pub fn has(&self, details: &Details) -> bool {
        self.name == details.name && self.answers == details.answers
    }

    /// The registration with the right address; `None` if it has it already. With that of someone else it is as if the organizer had
    /// added them: it has another code, which the earlier address does not know, and awaits a confirmation for as long as a new one.
    pub fn with_address(
        &self,
        email: &Email,
        entropy: &Entropy,
        now: Instant,
    ) -> Result<Option<Self>, Refusal> {
        if self.status == Status::Cancelled {
            return Err(Refusal::RegistrationCancelled);
        }
        let email = email.to_string();
        if email == self.email {
            return Ok(None);
        }
        let after = Self {
            email,
            updated_at: now,
            ..self.clone()
        };
        if !after.is_moved_from(self) {
            return Ok(Some(after));
        }
        let begun = |before: Confirmation| Confirmation::begun(now, before.held_until.is_some());
        Ok(Some(Self {
            confirmation: self.confirmation.map(begun),
            check_in_code: CheckInCode::generate(entropy),
            is_added: true,
            refuses_reminders: false,
            ..after
        }))
    }

    /// Whether its address is another one than before, not the same in another case.
    pub fn is_moved_from(&self, before: &Self) -> bool {
        email::normalised(&self.email) != email::normalised(&before.email)
    }

    /// The registration with other details; `None` if it has them already.
    pub fn with_details(&self, details: Details, now: Instant) -> Result<Option<Self>, Refusal> {
        if self.status == Status::Cancelled {
            return Err(Refusal::RegistrationCancelled);
        }
        if self.has(&details) {
            return Ok(None);
        }
        Ok(Some(Self {
            name: details.name,
            answers: details.answers,
            updated_at: now,
            ..self.clone()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::tests::{NOW, registration};

    #[test]
    fn details_are_taken_over_once_and_only_into_what_is_not_cancelled() {
        let details = Details {
            name: "Grace Hopper".to_owned(),
            answers: vec![Answer {
                field_id: None,
                label: "Diet".to_owned(),
                values: vec!["vegan".to_owned()],
            }],
        };
        let before = registration(Status::Waitlisted);
        let after = before.with_details(details.clone(), NOW.plus_seconds(5));
        let after = after.unwrap().unwrap();
        assert!(after.has(&details) && !before.has(&details));
        assert_eq!(
            (after.status, after.email.as_str()),
            (before.status, "grace@example.org")
        );
        assert_eq!(after.with_details(details.clone(), NOW), Ok(None));
        let refused = registration(Status::Cancelled).with_details(details, NOW);
        assert_eq!(refused, Err(Refusal::RegistrationCancelled));
    }
}
