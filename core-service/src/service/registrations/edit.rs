//! Corrections by the organizer: name and answers.

use domain::{
    change::Change,
    fact::Fact,
    ids::{EventId, RegistrationId},
    registration::{Answer, Details, Refusal, Registration, check_answers},
    violation::Violations,
};

use crate::service::{Context, Error, Invocation, Registrations, registrations::manage::Held};

/// A partial change of a registration.
#[derive(Debug, Clone, Default)]
pub struct RegistrationPatch {
    /// The attendee's name; never null.
    pub name: Change<String>,
    /// All answers; null for none.
    pub answers: Change<Vec<Answer>>,
}

impl Registrations {
    /// Changes the name or the answers. Nobody is mailed. Also allowed after the event.
    pub async fn edit(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
        patch: RegistrationPatch,
    ) -> Result<Registration, Error> {
        let by = by.into();
        let caller = by.caller;
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let held = Held::read(context, caller, event, id).await?;
            if held.event.is_cancelled {
                return Err(Error::EventCancelled);
            }
            let before = &held.registration;
            let details = held.details(patch)?;
            let Some(after) = before.with_details(details, context.now)? else {
                return Ok(held.registration);
            };
            context.tx.update_details(&after).await?;
            let fact = Fact::RegistrationEdited {
                account: held.event.account_id,
                before,
                after: &after,
            };
            context.record(fact).await?;
            Ok(after)
        };
        self.commands.run_for(by, decide).await
    }
}

impl Held {
    /// The registration's details with a patch applied. Answers that the patch does not change stay, also to questions that the
    /// event no longer asks.
    fn details(&self, patch: RegistrationPatch) -> Result<Details, Refusal> {
        let Registration { name, answers, .. } = &self.registration;
        let mut details = Details {
            name: name.clone(),
            answers: answers.clone(),
        };
        let mut violations = Violations::default();
        patch.name.write(&mut details.name, "name", &mut violations);
        let given = match patch.answers {
            Change::Keep => None,
            Change::Clear => Some(Vec::new()),
            Change::Set(answers) => Some(answers),
        };
        let details = violations
            .unless_any(Some(details))
            .map_err(Refusal::Invalid)?;
        let Some(given) = given else {
            return Ok(details);
        };
        let answers = check_answers(&self.event.custom_fields, given).map_err(Refusal::Invalid)?;
        Ok(Details { answers, ..details })
    }
}
