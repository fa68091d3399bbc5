//! Everything that is wrong with a request, so that one answer says it: mistakes in its fields, and what the account or the state of its
//! event refuses.

use domain::{
    registration::MUST_BE_NEW,
    violation::{FieldViolation, Violations},
};

use super::{Error, error::left_of_plan};

/// What was found wrong so far.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    mistakes: Violations,
    /// Each with how it stands beside others.
    refusals: Vec<(Error, FieldViolation)>,
}

impl Judgement {
    /// A judgement that begins with what validation found.
    pub(super) fn of(found: Vec<FieldViolation>) -> Self {
        Self {
            mistakes: found.into(),
            refusals: Vec::new(),
        }
    }

    /// The outcome of one rule: `None` if the rule refuses the request, which is noted.
    ///
    /// # Errors
    /// What says nothing of the request, and what hides everything else: that something does not exist, or a failure.
    pub(super) fn note<T>(
        &mut self,
        outcome: Result<T, impl Into<Error>>,
    ) -> Result<Option<T>, Error> {
        match outcome.map_err(Into::into) {
            Ok(value) => Ok(Some(value)),
            Err(Error::Invalid(mistakes)) => {
                self.mistakes.add_others(mistakes);
                Ok(None)
            }
            Err(refusal) => match violation(&refusal) {
                Some(violation) => {
                    self.refusals.push((refusal, violation));
                    Ok(None)
                }
                None => Err(refusal),
            },
        }
    }

    /// The same for a rule that only one field breaks.
    pub(super) fn note_of<T>(
        &mut self,
        field: &str,
        outcome: Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let known = self.refusals.len();
        let noted = self.note(outcome)?;
        for (_, violation) in self.refusals.iter_mut().skip(known) {
            field.clone_into(&mut violation.field);
        }
        Ok(noted)
    }

    /// The outcome of all rules. What is refused for one reason has that reason; with several, all of them are in one answer. Reasons of
    /// the plan alone remain ones of the plan.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn conclude<T>(self, value: Option<T>) -> Result<T, Error> {
        let Self {
            mut mistakes,
            refusals,
        } = self;
        let is_valid = mistakes.as_slice().is_empty();
        let (refusals, details): (Vec<_>, Vec<_>) = refusals.into_iter().unzip();
        let is_alone = refusals.len() == 1;
        let is_of_plan = refusals.iter().all(is_of_plan);
        match refusals.into_iter().next() {
            Some(only) if is_valid && is_alone => Err(only),
            Some(first) if is_valid && is_of_plan => Err(Error::PlanForbids {
                first: Box::new(first),
                details,
            }),
            _ => {
                mistakes.add_others(details);
                mistakes.unless_any(value).map_err(Error::Invalid)
            }
        }
    }
}

const fn is_of_plan(refusal: &Error) -> bool {
    matches!(refusal, Error::QuotaExceeded { .. } | Error::PlanRequired)
}

/// A refusal as a mistake beside others: the field that it is about, and what would be right. `None` if it cannot stand beside others.
fn violation(refusal: &Error) -> Option<FieldViolation> {
    let (field, message) = match refusal {
        Error::QuotaExceeded {
            plan,
            limit,
            left,
            needed,
        } => (
            "active_events",
            format!(
                "must be fewer than the {limit} that the {plan} plan allows{}: cancel one, wait for one to end, or change the plan",
                left_of_plan(*left, *needed)
            ),
        ),
        Error::PlanRequired => (
            "plan",
            "needs to be a paid one (Premium, Pro or Business)".to_owned(),
        ),
        Error::CapacityBelowConfirmed { confirmed } => (
            "max_capacity",
            format!("must be at least {confirmed}, the number of spots that are taken"),
        ),
        Error::AlreadyRegistered => ("email", MUST_BE_NEW.to_owned()),
        Error::EventCancelled => (
            "id",
            "must be of an event that is not cancelled, which is final".to_owned(),
        ),
        Error::EventEnded => ("id", "must be of an event that has not ended".to_owned()),
        Error::EventNotPublished => (
            "id",
            "must be of a published event: publish it first".to_owned(),
        ),
        Error::RegistrationNotOpen(_) | Error::RegistrationClosed(_) => (
            "slug",
            format!("must be of an event that takes registrations now: {refusal}"),
        ),
        Error::RegistrationCancelled => (
            "registration_id",
            "must be of a registration that is not cancelled, which is final".to_owned(),
        ),
        Error::NotAllowedNow(why) if *why == Error::CHANGED_SINCE => {
            ("version", format!("must be the present one: {why}"))
        }
        Error::NotAllowedNow(why) => ("id", format!("cannot be changed so now: {why}")),
        _ => return None,
    };
    Some(FieldViolation {
        field: field.to_owned(),
        message,
    })
}

#[cfg(test)]
mod tests {
    use domain::plan::Plan;

    use super::*;

    fn wrong(field: &str) -> FieldViolation {
        FieldViolation {
            field: field.to_owned(),
            message: "must be right".to_owned(),
        }
    }

    const FULL: Error = Error::QuotaExceeded {
        plan: Plan::Free,
        limit: 3,
        left: 0,
        needed: 1,
    };

    fn judged(found: &[&str], refusals: Vec<Error>) -> Error {
        let found = found.iter().map(|field| wrong(field)).collect();
        let mut judgement = Judgement::of(found);
        for refusal in refusals {
            assert_eq!(judgement.note(Err::<(), _>(refusal)).unwrap(), None);
        }
        judgement.conclude(Some(())).unwrap_err()
    }

    fn fields(error: &Error) -> Vec<&str> {
        let (Error::Invalid(all) | Error::PlanForbids { details: all, .. }) = error else {
            panic!("{error:?}");
        };
        all.iter().map(|one| &*one.field).collect()
    }

    #[test]
    fn a_reason_alone_is_that_reason_and_several_are_in_one_answer() {
        assert!(matches!(
            judged(&[], vec![FULL]),
            Error::QuotaExceeded { .. }
        ));
        assert_eq!(
            fields(&judged(&["title"], vec![FULL])),
            ["title", "active_events"]
        );
        let both = judged(&[], vec![FULL, Error::PlanRequired]);
        assert!(matches!(both, Error::PlanForbids { .. }));
        assert_eq!(fields(&both), ["active_events", "plan"]);
        let low = Error::CapacityBelowConfirmed { confirmed: 7 };
        let mixed = judged(&[], vec![Error::PlanRequired, low]);
        assert_eq!(fields(&mixed), ["plan", "max_capacity"]);
        assert!(Judgement::default().conclude(Some(())).is_ok());
    }

    #[test]
    fn of_a_field_its_first_mistake_is_said() {
        let invalid = Error::Invalid(vec![wrong("title"), wrong("timezone")]);
        assert_eq!(
            fields(&judged(&["title"], vec![invalid])),
            ["title", "timezone"]
        );
    }

    #[test]
    fn what_does_not_exist_hides_everything_else() {
        let mut judgement = Judgement::of(vec![wrong("title")]);
        let hidden = judgement.note(Err::<(), _>(Error::NO_EVENT));
        assert!(matches!(hidden, Err(Error::NotFound { .. })));
    }
}
