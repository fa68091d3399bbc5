//! Registering: by the public, and by an organizer for a person.

use std::net::IpAddr;

use domain::{
    audit::Actor,
    email::Email,
    ids::{EventId, RegistrationId},
    private_link::LinkToken,
    registration::{Answer, Requester, Status},
    slug,
    violation::Violations,
};
use server::traces;

use crate::service::{
    Allowance, Error, Invocation, Registrations, events,
    registrations::batch::{Placed, Request},
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
        new: NewRegistration,
        client: Option<IpAddr>,
    ) -> Result<Option<Allowance>, Error> {
        let allowance = self.limiters.count_address(client)?;
        if !slug::is_possible(slug) {
            return Err(Error::NO_EVENT);
        }
        let (name, email, answers) = new.checked()?;
        self.limiters.count_event(slug)?;
        self.batchers
            .register(Request {
                slug: slug.to_owned(),
                requester: Requester::Public,
                actor: Actor::Attendee,
                name,
                email,
                answers,
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
        new: NewRegistration,
    ) -> Result<Added, Error> {
        let by = by.into();
        let (event, _) = events::find(self.commands.store(), by.caller, event).await?;
        let (name, email, answers) = new.checked()?;
        let token = LinkToken::generate(self.commands.entropy());
        let request = Request {
            slug: event.slug,
            requester: Requester::Owner(by.caller.account),
            actor: by.caller.into(),
            name,
            email,
            answers,
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

impl NewRegistration {
    fn checked(self) -> Result<(String, Email, Vec<Answer>), Error> {
        let mut violations = Violations::default();
        let email = violations.check("email", self.email.parse::<Email>());
        let values = self.answers.iter().flat_map(|answer| &answer.values);
        let characters: usize = values.map(|value| value.chars().count()).sum();
        if characters > MAX_ANSWER_CHARACTERS {
            let message =
                format!("must be at most {MAX_ANSWER_CHARACTERS} characters long in total");
            violations.add("answers", message);
        }
        let email = violations.unless_any(email).map_err(Error::Invalid)?;
        Ok((self.name, email, self.answers))
    }
}
