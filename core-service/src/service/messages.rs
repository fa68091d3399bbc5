//! Messages of organizers to the people who registered for an event (rule 47 of docs/rules.md).

mod begin;
mod change;
mod create;
mod need;
mod preview;

use std::collections::{HashMap, HashSet};

use domain::{
    account::Account,
    event::Event,
    ids::{EventId, MessageId},
    message::{self, Closed, Message, Offer, StopReason, WrittenAudience, WrittenTiming},
    plan::Plans,
    schedule::Schedule,
    scope::Scope,
};
use storage::Reads;

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

/// How many mails of a message are how far. What left is counted, whatever became of the people since; the rest follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessageMails {
    /// They wait.
    pub waiting: i32,
    /// They have left: the mail server took or refused them.
    pub left: i32,
    /// They are not sent.
    pub withheld: i32,
}

/// A message, as organizers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageView {
    /// The message.
    pub message: Message,
    /// What became of its mails.
    pub mails: MessageMails,
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
            messages: views(store, &event, found).await?,
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
        view_of(store, message.ok_or(NO_MESSAGE)?, &event).await
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

/// Messages, each with what became of its mails.
pub(super) async fn counted(
    reads: &Reads,
    found: Vec<Message>,
) -> Result<Vec<(Message, MessageMails)>, storage::Error> {
    let sent = found.iter().filter(|message| message.recipients > 0);
    let sent: Vec<_> = sent
        .map(|message| (message.event_id, message.number))
        .collect();
    let left = reads.count_left_message_mails(&sent).await?;
    let left = left.into_iter();
    let left = left.map(|(event, number, count)| ((event, number), saturated(count)));
    let left: HashMap<_, _> = left.collect();
    let events: HashSet<EventId> = sent.iter().map(|(event, _)| *event).collect();
    let mut waiting = HashMap::new();
    for event in events {
        let counts = reads.count_waiting_message_mails(event).await?.into_iter();
        waiting.extend(counts.map(|(number, count)| ((event, number), saturated(count))));
    }
    let counted = |message: Message| {
        let key = (message.event_id, message.number);
        let of = |counts: &HashMap<_, i32>| counts.get(&key).copied().unwrap_or(0);
        let (waiting, left) = (of(&waiting), message.left_before.saturating_add(of(&left)));
        let mails = MessageMails {
            waiting,
            left,
            withheld: (message.recipients - waiting - left).max(0),
        };
        (message, mails)
    };
    Ok(found.into_iter().map(counted).collect())
}

/// Messages of an event with what became of their mails.
async fn views(
    reads: &Reads,
    event: &Event,
    found: Vec<Message>,
) -> Result<Vec<MessageView>, storage::Error> {
    let view = |(message, mails)| MessageView {
        mails,
        ..view(message, event)
    };
    Ok(counted(reads, found).await?.into_iter().map(view).collect())
}

/// A message of an event with what became of its mails.
async fn view_of(reads: &Reads, message: Message, event: &Event) -> Result<MessageView, Error> {
    let view = views(reads, event, vec![message]).await?.pop();
    view.ok_or(NO_MESSAGE)
}

/// A message without mails.
fn view(message: Message, event: &Event) -> MessageView {
    MessageView {
        message,
        mails: MessageMails::default(),
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
