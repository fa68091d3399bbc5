//! What a person chooses about mails, by a private link.

use domain::{email, event::Event, fact::Fact, registration::Registration};

use crate::service::{Context, Error};

/// What a person chooses about mails. Their registrations stay as they are, and so does every mail about their own requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailChoice {
    /// No mails of the event's account to people whom its organizers added, until the person registers there themselves.
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
                    registration,
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
