//! Corrections by the organizer: name, address and answers.

use domain::{
    change::Change,
    email::Email,
    entropy::Entropy,
    fact::{DetailsChange, Fact},
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{Answer, Details, Refusal, Registration, Requester, check_answers},
    violation::{Checked, Violations},
};

use crate::service::{
    Context, Error, Invocation, Registrations, events,
    judgement::Judgement,
    mail_quota,
    registrations::{
        mail_again::{CORRECTION, correct_address},
        manage::Held,
    },
};

/// A partial change of a registration.
#[derive(Debug, Clone, Default)]
pub struct RegistrationPatch {
    /// The attendee's name; never null.
    pub name: Change<String>,
    /// The attendee's email address; never null.
    pub email: Change<String>,
    /// All answers to what the event asks now; null for none.
    pub answers: Change<Vec<Answer>>,
}

impl Registrations {
    /// Changes the name, the address or the answers. Only with another address is anyone mailed: both addresses. Everything else is also
    /// allowed after the event.
    pub async fn edit(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
        patch: impl Into<Checked<RegistrationPatch>>,
    ) -> Result<Registration, Error> {
        let by = by.into();
        let caller = by.caller;
        let Checked {
            message: patch,
            mistakes,
        } = patch.into();
        let is_paid = match self.require_paid(caller, event).await {
            Ok(_) => true,
            Err(Error::PlanRequired) => false,
            Err(other) => return Err(other),
        };
        let decide = async |context: &mut Context| {
            let account = if patch.email.is_keep() {
                None
            } else {
                Some(events::lock_account(context, caller).await?)
            };
            let held = Held::read(context, caller, event, id).await?;
            let mut judgement = Judgement::of(mistakes);
            if !is_paid {
                judgement.note(Err::<(), _>(Error::PlanRequired))?;
            }
            if held.event.is_cancelled {
                judgement.note(Err::<(), _>(Error::EventCancelled))?;
            }
            let before = &held.registration;
            let edited = judgement.note(held.edited(patch, context.entropy(), context.now))?;
            let after = judgement.conclude(edited)?;
            if after == *before {
                return Ok(held.registration);
            }
            context.tx.update_details(&after).await?;
            if let Some(account) = account.filter(|_| after.is_moved_from(before)) {
                mail_quota::count(context, &self.plans, &account, CORRECTION).await?;
                correct_address(context, account.id, before, &after).await?;
            } else if after.email != before.email {
                context.tx.update_address(&after).await?;
            }
            let fact = Fact::DetailsChanged {
                change: DetailsChange::Edited,
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
    /// The registration with a patch applied.
    pub(super) fn edited(
        &self,
        patch: RegistrationPatch,
        entropy: &Entropy,
        now: Instant,
    ) -> Result<Registration, Error> {
        let before = &self.registration;
        let email = match &patch.email {
            Change::Keep => None,
            Change::Clear => Some(String::new()),
            Change::Set(email) => Some(email.clone()),
        };
        let mut violations = Violations::default();
        let email = email.map(|email| violations.check("email", email.parse::<Email>()));
        let details = match self.details(patch) {
            Ok(details) => Some((details, email)),
            Err(Refusal::Invalid(mistakes)) => {
                violations.extend(mistakes);
                None
            }
            Err(refusal) => return Err(refusal.into()),
        };
        let (details, email) = violations.unless_any(details).map_err(Error::Invalid)?;
        let after = before.with_details(details, now)?;
        let after = after.unwrap_or_else(|| before.clone());
        let Some(corrected) = (match email.flatten() {
            None => None,
            Some(email) => after.with_address(&email, entropy, now)?,
        }) else {
            return Ok(after);
        };
        // The caller refuses a cancelled event for every correction.
        if corrected.is_moved_from(before) && !self.event.is_cancelled {
            // It sends mails, as adding someone does.
            let requester = Requester::Owner(self.event.account_id);
            self.event.check_open(requester, now)?;
        }
        Ok(corrected)
    }

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
        let fields = &self.event.custom_fields;
        let is_asked = |answer: &Answer| fields.iter().any(|field| answer.is_to(field));
        let earlier = answers.iter().filter(|answer| !is_asked(answer));
        let given = match patch.answers {
            Change::Keep => None,
            Change::Clear => Some(Vec::new()),
            Change::Set(given) => Some(given),
        };
        if let Some(given) = given {
            match check_answers(fields, given) {
                Ok(given) => details.answers = given.into_iter().chain(earlier.cloned()).collect(),
                Err(mistakes) => violations.extend(mistakes),
            }
        }
        let details = violations.unless_any(Some(details));
        details.map_err(Refusal::Invalid)
    }
}
