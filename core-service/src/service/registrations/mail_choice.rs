//! What a person chooses about mails, by a private link.

use domain::{
    audit::Actor, email, event::Event, fact::Fact, private_link::LinkToken,
    registration::Registration,
};
use storage::{Reads, RefusalLink};

use crate::service::{
    Context, Error, OwnRegistrations,
    catalogue::{ShownBy, organizer},
};

/// What a person chooses about mails. Their registrations stay as they are, and so does every mail about their own requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailChoice {
    /// No mails of the event's account to people whom its organizers added, until the person registers there themselves, and confirms or
    /// changes that.
    NoMailIfAdded,
    /// No reminders of the event.
    NoReminders,
    /// No messages of the event's account.
    NoMessages,
    /// Messages of the event's account again.
    MessagesAgain,
}

impl MailChoice {
    /// Stores the choice for the mailbox of the private link with `hash`. It changes no seats, so no event is locked.
    pub(super) async fn apply(
        self,
        context: &mut Context,
        hash: &[u8; 32],
    ) -> Result<(Registration, Event), Error> {
        let found = context.tx.find_registration_by_link(hash).await?;
        let mut own = found.ok_or(Error::NO_REGISTRATION)?;
        let event = context.tx.find_event(own.event_id).await?;
        let event = event.ok_or(Error::NO_EVENT)?;
        let (account, registration, now) = (event.account_id, own.id, context.now);
        let mailbox = email::mailbox_hash(&own.email);
        let is_new = match self {
            Self::NoMailIfAdded => {
                let suppression = (mailbox, Some(account));
                context.tx.put_suppression(suppression, now).await?
            }
            Self::NoReminders => {
                own.refuses_reminders = true;
                context.tx.refuse_reminders(registration).await?
            }
            Self::NoMessages => {
                let refusal = (mailbox, account);
                context.tx.put_message_refusal(refusal, now).await?
            }
            Self::MessagesAgain => {
                let refusal = (mailbox, account);
                context.tx.delete_message_refusal(refusal).await?
            }
        };
        if is_new {
            let event = event.id;
            let fact = match self {
                Self::NoMailIfAdded => Fact::MailRefused {
                    account,
                    event,
                    registration: Some(registration),
                },
                Self::NoReminders => Fact::RemindersRefused {
                    account,
                    event,
                    registration,
                },
                Self::NoMessages | Self::MessagesAgain => Fact::MessagesRefused {
                    account,
                    event,
                    registration,
                    again: self == Self::MessagesAgain,
                },
            };
            context.record(fact).await?;
        }
        Ok((own, event))
    }
}

/// What a link shows that leads to no registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRefusal {
    /// Whose mails it refuses.
    pub organizer: ShownBy,
    /// Whether they are refused.
    pub is_refused: bool,
}

impl OwnRegistrations {
    /// What a link refuses that leads to no registration, since its address was corrected.
    pub async fn refusal(&self, token: &str) -> Result<MailRefusal, Error> {
        let store = self.commands.store();
        let link = link(store, &hash(token)?).await?;
        let event = store.find_event(link.event).await?;
        let event = event.ok_or(Error::NO_REGISTRATION)?;
        let suppression = (link.mailbox, Some(link.account));
        let refused = store.find_suppressions(&[suppression]).await?;
        Ok(MailRefusal {
            organizer: organizer(store, &event).await?,
            is_refused: !refused.is_empty(),
        })
    }

    /// Refuses the mails of an organizer to the mailbox of such a link.
    pub async fn refuse(&self, token: &str) -> Result<MailRefusal, Error> {
        let hash = hash(token)?;
        let refuse = async |context: &mut Context| {
            let link = link(&context.tx, &hash).await?;
            let suppression = (link.mailbox, Some(link.account));
            if context.tx.put_suppression(suppression, context.now).await? {
                // The registration is someone else's, whom this is not about.
                let fact = Fact::MailRefused {
                    account: link.account,
                    event: link.event,
                    registration: None,
                };
                context.record(fact).await?;
            }
            Ok(())
        };
        self.commands.run(Actor::Attendee, refuse).await?;
        self.refusal(token).await
    }
}

fn hash(token: &str) -> Result<[u8; 32], Error> {
    let token = LinkToken::parse(token).ok_or(Error::NO_REGISTRATION)?;
    Ok(token.hash())
}

async fn link(reads: &Reads, hash: &[u8; 32]) -> Result<RefusalLink, Error> {
    let found = reads.find_refusal_link(hash).await?;
    found.ok_or(Error::NO_REGISTRATION)
}
