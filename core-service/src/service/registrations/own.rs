//! An attendee's own registration, by a private link.

use domain::{
    audit::Actor,
    email,
    event::{CustomField, Event},
    ids::RegistrationId,
    plan::Plans,
    private_link::LinkToken,
    registration::{
        Answer, CheckInCode, Confirmation, Details, Party, Registrant, Registration, Status,
    },
};

use server::telemetry::chain;
use storage::RefusalLink;

use crate::service::{
    Commands, Context, Error, Links,
    catalogue::{ShownBy, counters, organizer, saturated, seats_left},
    mail_permits::{LinkTarget, NewLink},
    registrations::{MailChoice, mail_choice, manage::Held, settle::settle},
    trust,
};

/// The content of an attendee's private page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct OwnRegistration {
    /// The registration.
    pub registration: Registration,
    /// The event, in any state.
    pub event: Event,
    /// How many seats are left.
    pub seats_left: i32,
    /// Who organizes the event.
    pub organizer: ShownBy,
    /// Whether the event is over.
    pub is_event_ended: bool,
    /// Whether they have a seat at an event that is over, and were checked in, or nobody was.
    pub was_there: bool,
    /// The confirmation that it awaits, while it can be given.
    pub confirmation: Option<Confirmation>,
    /// The position on the waitlist, from 1.
    pub waitlist_position: Option<i32>,
    /// Whether it can still be cancelled.
    pub is_cancellable: bool,
    /// The questions whose answers the attendee may change now.
    pub changeable: Vec<CustomField>,
    /// Whether the attendee may make their party smaller now.
    pub is_party_changeable: bool,
    /// Other details, of a repeated registration, that the attendee may take over.
    pub new_details: Option<Details>,
    /// Whether the event's organizers no longer mail the address about what they add it to.
    pub is_mail_refused: bool,
    /// Whether they get no messages of the event's organizers.
    pub are_messages_stopped: bool,
}

/// What a check-in code shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// The registration.
    pub registration: Registration,
    /// The event, in any state.
    pub event: Event,
    /// How many seats are left.
    pub seats_left: i32,
    /// Who organizes the event.
    pub organizer: ShownBy,
    /// Whether the event is over.
    pub is_event_ended: bool,
}

/// Use cases about an attendee's own registration.
#[derive(Debug, Clone)]
pub struct OwnRegistrations {
    pub(super) commands: Commands,
    links: Links,
    /// Whether every account is trusted.
    trusts_all: bool,
}

impl OwnRegistrations {
    /// Use cases whose private links are made by `links`.
    pub(in crate::service) const fn new(commands: Commands, links: Links, plans: &Plans) -> Self {
        Self {
            commands,
            links,
            trusts_all: plans.new_account_mails.is_none(),
        }
    }

    /// URLs in answers and mails.
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// The registration of a private link.
    pub async fn get(&self, token: &str) -> Result<OwnRegistration, Error> {
        let hash = LinkToken::parse(token)
            .ok_or(Error::NO_REGISTRATION)?
            .hash();
        let store = self.commands.store();
        let registration = store.find_registration_by_link(&hash).await?;
        let registration = registration.ok_or(Error::NO_REGISTRATION)?;
        let event = store.find_event(registration.event_id).await?;
        let event = event.ok_or(Error::NO_EVENT)?;
        self.shown(&hash, registration, event).await
    }

    /// The ticket with a check-in code.
    pub async fn ticket(&self, code: &str) -> Result<Ticket, Error> {
        let code = CheckInCode::parse(code).ok_or(Error::NO_TICKET)?;
        let store = self.commands.store();
        let registration = store.find_registration_by_code(&code).await?;
        let registration = registration.ok_or(Error::NO_TICKET)?;
        let event = store.find_event(registration.event_id).await?;
        let event = event.ok_or(Error::NO_TICKET)?;
        Ok(Ticket {
            seats_left: seats_left(store, &event).await?,
            organizer: organizer(store, &event).await?,
            is_event_ended: event.has_ended(self.commands.now()),
            registration,
            event,
        })
    }

    /// Confirms the registration of a private link, if it awaits that.
    pub async fn confirm(&self, token: &str) -> Result<OwnRegistration, Error> {
        let decide = async |context: &mut Context, held: Held| held.confirm(context).await;
        self.change(token, decide).await
    }

    /// Cancels the registration of a private link; its seats go to the waitlist, in order.
    pub async fn cancel(&self, token: &str) -> Result<OwnRegistration, Error> {
        let decide = async |context: &mut Context, held: Held| held.cancel(context).await;
        self.change(token, decide).await
    }

    async fn change(
        &self,
        token: &str,
        decide: impl AsyncFnOnce(&mut Context, Held) -> Result<(Registration, Event), Error> + Clone,
    ) -> Result<OwnRegistration, Error> {
        let hash = LinkToken::parse(token)
            .ok_or(Error::NO_REGISTRATION)?
            .hash();
        let change = async |context: &mut Context| {
            let held = hold(context, &hash).await?;
            let before = held.registration.clone();
            let (after, event) = decide(context, held).await?;
            let is_own = after != before && !before.is_added;
            // An address that anyone typed proves nothing, and who cancels wants no more mail.
            if is_own && after.status != Status::Cancelled {
                let mailbox = email::mailbox_hash(&before.email);
                let refusal = (mailbox, Some(event.account_id));
                context.tx.delete_suppressions(&[refusal]).await?;
            }
            let is_proof =
                is_own && trust::note_proof(context, event.account_id, &before.email).await?;
            Ok((after, event, is_proof))
        };
        let (registration, event, is_proof) = self.commands.run(Actor::Attendee, change).await?;
        if is_proof && let Err(error) = trust::earn(&self.commands, event.account_id).await {
            // The attendee's change is done; the next one tries again.
            tracing::warn!(account_id = %event.account_id, error = %chain(&error), "an account could not be trusted");
        }
        self.shown(&hash, registration, event).await
    }

    /// Replaces the answers of a private link's registration, where the event allows that, and its people by fewer if a party is given.
    /// Both follow the same rules as when registering.
    pub async fn change_answers(
        &self,
        token: &str,
        answers: Vec<Answer>,
        party: Option<Party>,
    ) -> Result<OwnRegistration, Error> {
        let decide = async |context: &mut Context, held: Held| {
            held.change_answers(context, answers, party).await
        };
        self.change(token, decide).await
    }

    /// Takes over the details of a repeated registration that a private link offers.
    pub async fn take_over_details(&self, token: &str) -> Result<OwnRegistration, Error> {
        let hash = LinkToken::parse(token)
            .ok_or(Error::NO_REGISTRATION)?
            .hash();
        let decide = async |context: &mut Context, held: Held| {
            let details = context
                .tx
                .find_new_details_by_link(&hash, context.now)
                .await?;
            let details = details.ok_or(Error::NO_DETAILS)?;
            let details = details.current(&held.event.custom_fields);
            held.take_over(context, details).await
        };
        self.change(token, decide).await
    }

    /// Does what the person of a private link chooses about mails to their mailbox.
    pub async fn choose(&self, token: &str, choice: MailChoice) -> Result<OwnRegistration, Error> {
        let hash = LinkToken::parse(token)
            .ok_or(Error::NO_REGISTRATION)?
            .hash();
        let choose = async |context: &mut Context| mail_choice::apply(choice, context, &hash).await;
        let (registration, event) = self.commands.run(Actor::Attendee, choose).await?;
        self.shown(&hash, registration, event).await
    }

    /// A new private link to a registration, for a mail: its token, and what is to be stored. Links in earlier mails stay valid.
    /// `occasion` is that of the new details which the mail offers.
    pub(crate) fn new_link(
        &self,
        registration: RegistrationId,
        occasion: Option<i32>,
    ) -> (LinkToken, NewLink) {
        let token = LinkToken::generate(self.commands.entropy());
        let link = NewLink {
            hash: token.hash(),
            to: LinkTarget::Registration {
                registration,
                occasion,
            },
        };
        (token, link)
    }

    /// A new link for a mail that only refuses such mails, for someone who was added: its token, and what is to be stored.
    pub(crate) fn new_refusal(&self, registrant: &Registrant) -> Option<(LinkToken, NewLink)> {
        let event = &registrant.event;
        let to = RefusalLink {
            mailbox: email::mailbox_hash(&registrant.email),
            account: event.account_id,
            event: event.id,
        };
        let token = LinkToken::generate(self.commands.entropy());
        let link = NewLink {
            hash: token.hash(),
            to: LinkTarget::Refusal(to),
        };
        registrant.is_added.then_some((token, link))
    }

    /// A registration with the data for its mails.
    pub(crate) async fn registrant(
        &self,
        registration: RegistrationId,
    ) -> Result<Option<Registrant>, storage::Error> {
        let found = self.commands.store().find_registrant(registration).await?;
        Ok(found.map(|registrant| Registrant {
            is_organizer_trusted: registrant.is_organizer_trusted || self.trusts_all,
            ..registrant
        }))
    }

    async fn shown(
        &self,
        hash: &[u8; 32],
        registration: Registration,
        event: Event,
    ) -> Result<OwnRegistration, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let registration = registration.current(&event.custom_fields);
        let mut waitlist_position = None;
        if registration.status == Status::Waitlisted {
            let position = store.waitlist_position(event.id, registration.seq).await?;
            waitlist_position = Some(saturated(position));
        }
        let is_cancellable = registration.status != Status::Cancelled && event.is_ahead(now);
        let is_changeable = is_cancellable && event.takes_new_answers(now);
        let mut new_details = None;
        if is_cancellable {
            let offered = store.find_new_details_by_link(hash, now).await?;
            let offered = offered.map(|details| details.current(&event.custom_fields));
            new_details = offered.filter(|details| !registration.has(details));
        }
        let mailbox = email::mailbox_hash(&registration.email);
        let suppression = (mailbox, Some(event.account_id));
        let refused = store.find_suppressions(&[suppression]).await?;
        let refusal = (mailbox, event.account_id);
        let stopped = store.find_message_refusals(&[refusal]).await?;
        let is_open = |confirmation: &Confirmation| confirmation.until > now && is_cancellable;
        let current = |confirmation: Confirmation| Confirmation {
            held_until: confirmation.held_until.filter(|until| *until > now),
            ..confirmation
        };
        let counters = counters(store, &event).await?;
        let is_event_ended = event.has_ended(now);
        let has_seat = registration.status == Status::Confirmed;
        let came = registration.checked_in_at.is_some() || counters.checked_in == 0;
        Ok(OwnRegistration {
            was_there: is_event_ended && has_seat && came,
            seats_left: counters.seats_left(event.max_capacity),
            organizer: organizer(store, &event).await?,
            is_event_ended,
            confirmation: registration.confirmation.filter(is_open).map(current),
            is_party_changeable: is_changeable && registration.party.size > 1,
            changeable: if is_changeable {
                event.custom_fields.clone()
            } else {
                Vec::new()
            },
            registration,
            event,
            waitlist_position,
            is_cancellable,
            new_details,
            is_mail_refused: !refused.is_empty(),
            are_messages_stopped: !stopped.is_empty(),
        })
    }
}

/// The registration of a private link with its event, as they are at this time, locked until the transaction ends.
async fn hold(context: &mut Context, hash: &[u8; 32]) -> Result<Held, Error> {
    let found = context.tx.find_registration_by_link(hash).await?;
    let found = found.ok_or(Error::NO_REGISTRATION)?;
    // The registration is read under the lock of the counters, so that it cannot change.
    let counters = context.tx.lock_counters(found.event_id).await?;
    let counters = counters.ok_or(Error::NO_EVENT)?;
    context.renew_time();
    let event = context.tx.find_event(found.event_id).await?;
    let event = event.ok_or(Error::NO_EVENT)?;
    let counters = settle(context, &event, counters).await?;
    let registration = context.tx.find_registration(event.id, found.id).await?;
    let registration = registration.ok_or(Error::NO_REGISTRATION)?;
    Ok(Held {
        registration: registration.current(&event.custom_fields),
        counters,
        event,
    })
}
