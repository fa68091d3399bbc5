//! What a person chooses about mails, by a private link.

pub use domain::fact::MailChoice;
use domain::{
    audit::Actor, email, event::Event, fact::Fact, private_link::LinkToken,
    registration::Registration,
};
use storage::{Reads, RefusalLink};

use crate::service::{
    Context, Error, OwnRegistration, OwnRegistrations, PublicEvent,
    catalogue::{organizer, seats_left},
};

/// Stores a choice for the mailbox of the private link with `hash`. It changes no seats, so no event is locked.
pub(super) async fn apply(
    choice: MailChoice,
    context: &mut Context,
    hash: &[u8; 32],
) -> Result<(Registration, Event), Error> {
    let found = context.tx.find_registration_by_link(hash).await?;
    let mut own = found.ok_or(Error::NO_REGISTRATION)?;
    let event = context.tx.find_event(own.event_id).await?;
    let event = event.ok_or(Error::NO_EVENT)?;
    let (account, registration, now) = (event.account_id, own.id, context.now);
    let mailbox = email::mailbox_hash(&own.email);
    let is_new = match choice {
        MailChoice::NoMailIfAdded => {
            let suppression = (mailbox, Some(account));
            context.tx.put_suppression(suppression, now).await?
        }
        MailChoice::NoReminders => {
            own.refuses_reminders = true;
            context.tx.refuse_reminders(registration).await?
        }
        MailChoice::NoMessages => {
            let refusal = (mailbox, account);
            context.tx.put_message_refusal(refusal, now).await?
        }
        MailChoice::MessagesAgain => {
            let refusal = (mailbox, account);
            context.tx.delete_message_refusal(refusal).await?
        }
    };
    if is_new {
        let fact = Fact::MailChosen {
            choice,
            account,
            event: event.id,
            registration: Some(registration),
        };
        context.record(fact).await?;
    }
    Ok((own, event))
}

/// What a link shows that leads to no registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRefusal {
    /// The name of the organizer whose mails it refuses, if the event names one.
    pub organizer: Option<String>,
    /// Whether they are refused.
    pub is_refused: bool,
}

/// Where messages were stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessagesStopped {
    /// By the link of this registration.
    Own(Box<OwnRegistration>),
    /// By a link that leads to no registration any more. Its mail was about this event.
    Former(Box<PublicEvent>),
}

impl OwnRegistrations {
    /// What a link refuses that leads to no registration, since its address was corrected.
    pub async fn refusal(&self, token: &str) -> Result<MailRefusal, Error> {
        let store = self.commands.store();
        let link = link(store, &hash(token)?).await?;
        let suppression = (link.mailbox, Some(link.account));
        let refused = store.find_suppressions(&[suppression]).await?;
        mail_refusal(store, &link, !refused.is_empty()).await
    }

    /// Refuses the mails of an organizer to the mailbox of such a link.
    pub async fn refuse(&self, token: &str) -> Result<MailRefusal, Error> {
        let hash = hash(token)?;
        let refuse = async |context: &mut Context| {
            let link = link(&context.tx, &hash).await?;
            let suppression = (link.mailbox, Some(link.account));
            if context.tx.put_suppression(suppression, context.now).await? {
                // The registration is someone else's, whom this is not about.
                let fact = Fact::MailChosen {
                    choice: MailChoice::NoMailIfAdded,
                    account: link.account,
                    event: link.event,
                    registration: None,
                };
                context.record(fact).await?;
            }
            mail_refusal(&context.tx, &link, true).await
        };
        self.commands.run(Actor::Attendee, refuse).await
    }

    /// Stops the messages of an organizer to the mailbox of a link, whether it still leads to a registration or not: it is in mails that
    /// programs unsubscribe from.
    pub async fn stop_messages(&self, token: &str) -> Result<MessagesStopped, Error> {
        match self.choose(token, MailChoice::NoMessages).await {
            Err(Error::NotFound { .. }) => {}
            own => return own.map(Box::new).map(MessagesStopped::Own),
        }
        let hash = hash(token)?;
        let stop = async |context: &mut Context| {
            let link = link(&context.tx, &hash).await?;
            let event = context.tx.find_event(link.event).await?;
            let event = event.ok_or(Error::NO_EVENT)?;
            let refusal = (link.mailbox, link.account);
            if context.tx.put_message_refusal(refusal, context.now).await? {
                let fact = Fact::MailChosen {
                    choice: MailChoice::NoMessages,
                    account: link.account,
                    event: link.event,
                    registration: None,
                };
                context.record(fact).await?;
            }
            Ok(event)
        };
        let event = self.commands.run(Actor::Attendee, stop).await?;
        let store = self.commands.store();
        Ok(MessagesStopped::Former(Box::new(PublicEvent {
            seats_left: seats_left(store, &event).await?,
            organizer: organizer(store, &event).await?,
            event,
        })))
    }
}

async fn mail_refusal(
    reads: &Reads,
    link: &RefusalLink,
    is_refused: bool,
) -> Result<MailRefusal, Error> {
    let organizer = match reads.find_event(link.event).await? {
        Some(event) => organizer(reads, &event).await?.name,
        // Its account is being deleted.
        None => None,
    };
    Ok(MailRefusal {
        organizer,
        is_refused,
    })
}

fn hash(token: &str) -> Result<[u8; 32], Error> {
    let token = LinkToken::parse(token).ok_or(Error::NO_REGISTRATION)?;
    Ok(token.hash())
}

async fn link(reads: &Reads, hash: &[u8; 32]) -> Result<RefusalLink, Error> {
    let found = reads.find_refusal_link(hash).await?;
    found.ok_or(Error::NO_REGISTRATION)
}
