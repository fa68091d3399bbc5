//! Messages of organizers to the people who registered for an event (rule 47 of docs/rules.md).

mod begin;
mod change;
mod create;
mod need;
mod preview;

use std::collections::HashMap;

use domain::{
    account::Account,
    event::Event,
    ids::{EventId, MessageId},
    message::{self, Closed, Message, Offer, StopReason, WrittenAudience, WrittenTiming},
    plan::Plans,
    schedule::Schedule,
    scope::Scope,
};

use super::{Commands, Error, Principal, catalogue::saturated, events};

pub(crate) use begin::Begun;
pub use change::MessagePatch;
pub use preview::{LeftOut, PlannedMessage};

const NO_MESSAGE: Error = Error::NotFound { what: "message" };

/// Use cases about messages.
#[derive(Debug, Clone)]
pub struct Messages {
    commands: Commands,
    plans: Plans,
    offer: Offer,
}

/// A message to write.
#[derive(Debug, Clone, Default)]
pub struct NewMessage {
    /// Its subject.
    pub subject: String,
    /// Its text, as Markdown.
    pub text: String,
    /// Who gets it.
    pub audience: WrittenAudience,
    /// When it begins.
    pub timing: WrittenTiming,
    /// Whether only the caller gets it, at once.
    pub is_test: bool,
}

/// A message, as organizers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageView {
    /// The message.
    pub message: Message,
    /// How many of its mails wait.
    pub waiting: i32,
    /// How many were not sent, since their people get no messages.
    pub withheld: i32,
    /// When the event takes place.
    pub schedule: Schedule,
    /// For a test, the address that gets it: it is not stored.
    pub test_sent_to: Option<String>,
}

/// A page of an event's messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePage {
    /// The messages, the latest first.
    pub messages: Vec<MessageView>,
    /// How many the event has.
    pub count: i32,
    /// The number before which the next page begins.
    pub next: Option<i32>,
    /// Why none can be written now.
    pub unavailable: Option<StopReason>,
}

impl Messages {
    /// Messages, which these accounts may write.
    pub const fn new(commands: Commands, plans: Plans, offer: Offer) -> Self {
        Self {
            commands,
            plans,
            offer,
        }
    }

    /// The messages of one of the caller's events before a number, the latest first.
    pub async fn list(
        &self,
        caller: &Principal,
        id: EventId,
        before: Option<i32>,
        limit: i32,
    ) -> Result<MessagePage, Error> {
        let store = self.commands.store();
        let (event, _) = events::find(store, caller, id).await?;
        let before = before.unwrap_or(i32::MAX);
        let found = store.list_messages(id, before, i64::from(limit) + 1);
        let mut found = found.await?;
        let has_more = found.len() > usize::try_from(limit).unwrap_or(usize::MAX);
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let next = found.last().map(|last| last.number).filter(|_| has_more);
        let (count, ..) = store.count_messages(id).await?;
        let account = store.find_account(caller.account).await?;
        let account = account.ok_or(Error::Unauthorized)?;
        Ok(MessagePage {
            unavailable: self.unavailable(&account, &event),
            messages: self.views(&event, found).await?,
            count: saturated(count),
            next,
        })
    }

    /// One message of one of the caller's events.
    pub async fn get(
        &self,
        caller: &Principal,
        id: EventId,
        message: MessageId,
    ) -> Result<MessageView, Error> {
        let store = self.commands.store();
        let (event, _) = events::find(store, caller, id).await?;
        let message = store.find_message(id, message).await?;
        let found = vec![message.ok_or(NO_MESSAGE)?];
        let view = self.views(&event, found).await?.pop();
        view.ok_or(NO_MESSAGE)
    }

    /// Messages of an event with what became of their mails.
    async fn views(&self, event: &Event, found: Vec<Message>) -> Result<Vec<MessageView>, Error> {
        let (mut waiting, mut withheld) = (HashMap::new(), HashMap::new());
        if found.iter().any(|message| message.recipients > 0) {
            let store = self.commands.store();
            waiting.extend(store.count_waiting_message_mails(event.id).await?);
            withheld.extend(store.count_withheld_message_mails(event.id).await?);
        }
        let of = |counts: &HashMap<i32, i64>, message: &Message| {
            saturated(counts.get(&message.number).copied().unwrap_or(0))
        };
        let view = |message: Message| MessageView {
            waiting: of(&waiting, &message),
            withheld: of(&withheld, &message),
            ..view(message, event)
        };
        Ok(found.into_iter().map(view).collect())
    }

    /// Why an account may write no messages about an event now.
    fn unavailable(&self, account: &Account, event: &Event) -> Option<StopReason> {
        if account.is_suspended {
            return Some(StopReason::AccountSuspended);
        }
        let closed = message::check_open(event).err();
        let closed = closed.map(Closed::stop_reason);
        closed.or_else(|| self.offer.refuses(account.plan))
    }

    /// Refuses an account that may write no messages, and an event that may not write now.
    fn check_allowed(&self, account: &Account, event: &Event) -> Result<(), Error> {
        match self.offer.refuses(account.plan) {
            None => {}
            Some(StopReason::NotOffered) => return Err(Error::MessagesOff),
            Some(_) => return Err(Error::PlanRequired),
        }
        message::check_open(event).map_err(|closed| match closed {
            Closed::Cancelled => Error::EventCancelled,
            Closed::Draft => Error::EventNotPublished,
            Closed::Hidden => Error::NotAllowedNow("the operator has hidden the event"),
        })
    }
}

/// A message of which no mail waits.
fn view(message: Message, event: &Event) -> MessageView {
    MessageView {
        message,
        waiting: 0,
        withheld: 0,
        schedule: event.schedule.clone(),
        test_sent_to: None,
    }
}

/// Whether the caller may read the names of guests.
fn sees_names(caller: &Principal, account: &Account) -> bool {
    account.plan.is_paid()
        && caller.sees_addresses
        && caller.scopes.contain(Scope::RegistrationsRead)
}
