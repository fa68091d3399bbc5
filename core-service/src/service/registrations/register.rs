//! Registering: by the public, and by an organizer for a person.

use std::net::IpAddr;

use domain::{
    audit::Actor,
    budget::Asker,
    email::{self, Email},
    event::Event,
    ids::{EventId, RegistrationId},
    private_link::LinkToken,
    registration::{Answer, Party, Requester, Status, check_answers},
    slug,
    violation::{Checked, FieldViolation, Violations},
};
use server::traces;

use crate::service::{
    Allowance, Error, Invocation, Registrations, events,
    judgement::Judgement,
    registrations::batch::{FirstMail, Placed, Request},
};

/// Maximum length of all answers in characters, as the proto says: more than any form needs. Waiting requests are held in memory.
const MAX_ANSWER_CHARACTERS: usize = 10_000;

/// A request to register a person. The proto's limits are already applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRegistration {
    /// The attendee's name.
    pub name: String,
    /// The attendee's email address.
    pub email: String,
    /// The people for whom it is.
    pub party: Party,
    /// Answers to the event's custom fields.
    pub answers: Vec<Answer>,
}

/// A registration that an organizer made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Its identifier.
    pub id: RegistrationId,
    /// Its status.
    pub status: Status,
    /// The position on the waitlist, from 1.
    pub waitlist_position: Option<i32>,
    /// The attendee's private page.
    pub cancel_url: String,
}

impl Registrations {
    /// Registers a person, for the public. The answer and the work are the same whether or not the address is already
    /// registered; a mail gives the details. `client` is the client's address, if it is known; the answer contains its
    /// remaining allowance.
    pub async fn register(
        &self,
        slug: &str,
        new: impl Into<Checked<NewRegistration>>,
        client: Option<IpAddr>,
    ) -> Result<Option<Allowance>, Error> {
        let allowance = self.limiters.count_address(client)?;
        if !slug::is_possible(slug) {
            return Err(Error::NO_EVENT);
        }
        let (new, email) = match valid(new.into()) {
            Ok(valid) => valid,
            Err(invalid) => {
                let event = self.commands.store().find_event_by_slug(slug).await?;
                let event = event.ok_or(Error::NO_EVENT)?;
                let judged = self.judge(&event, Requester::Public, *invalid).await?;
                return judged.conclude(None);
            }
        };
        self.limiters.count_event(slug)?;
        self.batchers
            .register(Request {
                slug: slug.to_owned(),
                requester: Requester::Public,
                actor: Actor::Attendee,
                name: new.name,
                email,
                party: new.party,
                answers: new.answers,
                mail: FirstMail::Sent,
                asker: Some(Asker::at(client)),
                link: None,
                span: traces::current(),
            })
            .await?;
        Ok(allowance)
    }

    /// Registers a person for one of the caller's events.
    pub async fn add(
        &self,
        by: impl Into<Invocation<'_, Added>>,
        event: EventId,
        new: impl Into<Checked<NewRegistration>>,
    ) -> Result<Added, Error> {
        let by = by.into();
        let requester = Requester::Owner(by.caller.account);
        let (event, _) = events::find(self.commands.store(), by.caller, event).await?;
        let (new, email) = match valid(new.into()) {
            Ok(valid) => valid,
            Err(invalid) => {
                return self
                    .judge(&event, requester, *invalid)
                    .await?
                    .conclude(None);
            }
        };
        let token = LinkToken::generate(self.commands.entropy());
        let request = Request {
            slug: event.slug,
            requester,
            actor: by.caller.into(),
            name: new.name,
            email,
            party: new.party,
            answers: new.answers,
            mail: FirstMail::Sent,
            asker: None,
            link: Some(token.hash()),
            span: traces::current(),
        };
        let added = |placed| match placed {
            Placed::Before => Err(Error::AlreadyRegistered),
            Placed::Now {
                id,
                status,
                waitlist_position,
            } => Ok(Added {
                id,
                status,
                waitlist_position,
                cancel_url: self.links.private_registration(&token),
            }),
        };
        if by.has_key() {
            self.batchers.register_one(by, &request, added).await
        } else {
            added(self.batchers.register(request).await?)
        }
    }
}

impl Registrations {
    /// What is wrong with a request to register. Seats and limits are not asked.
    pub(super) async fn judge(
        &self,
        event: &Event,
        requester: Requester,
        Checked {
            message: new,
            mistakes,
        }: Checked<NewRegistration>,
    ) -> Result<Judgement, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let mut judgement = Judgement::of(mistakes);
        judgement.note(event.check_open(requester, now))?;
        let answers = check_answers(&event.custom_fields, new.answers);
        judgement.note(answers)?;
        let mistakes = new.party.mistakes(event);
        if !mistakes.is_empty() {
            judgement.note(Err::<(), _>(Error::Invalid(mistakes)))?;
        }
        // Only the owner may learn who is registered.
        if let (true, Ok(email)) = (requester != Requester::Public, new.email.parse::<Email>()) {
            let address = email::normalised(email.as_str());
            let person = [(event.id, &*address)];
            if !store.find_active_registrations(&person).await?.is_empty() {
                judgement.note(Err::<(), _>(Error::AlreadyRegistered))?;
            }
        }
        Ok(judgement)
    }
}

/// What is wrong with answers that are too long together.
pub(super) fn too_long(answers: &[Answer]) -> Option<FieldViolation> {
    let values = answers.iter().flat_map(|answer| &answer.values);
    let characters: usize = values.map(|value| value.chars().count()).sum();
    (characters > MAX_ANSWER_CHARACTERS).then(|| FieldViolation {
        field: "answers".to_owned(),
        message: format!("must be at most {MAX_ANSWER_CHARACTERS} characters long in total"),
    })
}

/// A request with its address, or with everything that is wrong with it by itself.
pub(super) fn valid(
    Checked { message, mistakes }: Checked<NewRegistration>,
) -> Result<(NewRegistration, Email), Box<Checked<NewRegistration>>> {
    let mut violations = Violations::from(mistakes);
    violations.add_others(too_long(&message.answers));
    let email = message.email.parse::<Email>();
    if let Err(wrong) = &email {
        violations.add_others([FieldViolation {
            field: "email".to_owned(),
            message: wrong.to_string(),
        }]);
    }
    match violations.unless_any(email.ok()) {
        Ok(email) => Ok((message, email)),
        Err(mistakes) => Err(Box::new(Checked { message, mistakes })),
    }
}
