//! Writing a message, and showing it to its author.

use domain::{
    account::Account,
    audit::Actor,
    budget::Cause,
    event::Event,
    fact::{Fact, MessageChange},
    ids::{EventId, MessageId},
    instant::Instant,
    message::{MAX_PER_EVENT, MAX_SCHEDULED, Message, MessageState, Timing},
    person::Person,
    violation::{Checked, Violations},
};
use storage::Reads;
use uuid::Uuid;

use super::{MessageMails, MessageView, Messages, NO_MESSAGE, NewMessage, need::Need, view};
use crate::service::{
    Context, Error, Invocation, Principal, events, judgement::Judgement, mail_quota, mailboxes,
};

impl Messages {
    /// Writes a message, or shows it to the caller alone.
    pub async fn create(
        &self,
        by: impl Into<Invocation<'_, MessageView>>,
        id: EventId,
        new: impl Into<Checked<NewMessage>>,
    ) -> Result<MessageView, Error> {
        let by = by.into();
        let caller = by.caller;
        let Checked {
            message: new,
            mistakes,
        } = new.into();
        let decide = async |context: &mut Context| {
            let account = events::lock_account(context, caller).await?;
            let (event, _) = events::hold(context, caller, id).await?;
            let mut judgement = Judgement::of(mistakes);
            judgement.note(self.check_allowed(&account, &event))?;
            let message = draft(MessageId::new(context.new_id()), &event, new, context.now);
            let message = judgement.note(message)?;
            match judgement.conclude(message)? {
                Draft::Message(message) => {
                    self.add(context, caller, (&account, &event), message).await
                }
                Draft::Test(message) => test(context, caller, &event, message).await,
            }
        };
        self.commands.run_for(by, decide).await
    }

    async fn add(
        &self,
        context: &mut Context,
        caller: &Principal,
        (account, event): (&Account, &Event),
        message: Message,
    ) -> Result<MessageView, Error> {
        let (all, scheduled, last) = context.tx.count_messages(event.id).await?;
        if all >= i64::from(MAX_PER_EVENT) {
            return Err(Error::Conflict(format!(
                "an event has at most {MAX_PER_EVENT} messages"
            )));
        }
        if scheduled >= MAX_SCHEDULED {
            return Err(Error::Conflict(format!(
                "an event has at most {MAX_SCHEDULED} scheduled messages: cancel one, or wait until one is sent"
            )));
        }
        let message = Message {
            number: last + 1,
            author_id: caller.actor.id(),
            ..message
        };
        self.check_time(context, account, &message).await?;
        context.tx.insert_message(&message).await?;
        record(context, account, &message, MessageChange::Written).await?;
        // With the name of its author.
        let stored = context.tx.find_message(event.id, message.id).await?;
        Ok(view(stored.ok_or(NO_MESSAGE)?, event))
    }

    /// Refuses a message that is to be sent now and cannot. Its mails are counted when it begins.
    pub(super) async fn check_time(
        &self,
        context: &mut Context,
        account: &Account,
        message: &Message,
    ) -> Result<(), Error> {
        if message.timing != Timing::Now {
            return Ok(());
        }
        let today = mail_quota::today(context, account.id).await?;
        let to = (message.event_id, &message.audience);
        let need = Need::of(&context.tx, &self.plans, account, today, to).await?;
        need.check_now(&self.plans, account, today, context.now)
    }
}

/// What a request asks for.
pub(super) enum Draft {
    Message(Message),
    Test(Message),
}

/// The message of a request, without number and author.
pub(super) fn draft(
    id: MessageId,
    event: &Event,
    new: NewMessage,
    now: Instant,
) -> Result<Draft, Error> {
    let mut violations = Violations::default();
    let audience = new.audience.read(&event.custom_fields, &mut violations);
    let timing = new.timing.read(&event.schedule, now, &mut violations);
    let (audience, (timing, due_at)) = violations
        .unless_any(audience.zip(timing))
        .map_err(Error::Invalid)?;
    let message = Message {
        id,
        event_id: event.id,
        number: 0,
        subject: new.subject,
        text: new.text,
        audience,
        timing,
        due_at,
        is_delayed: false,
        state: MessageState::Scheduled,
        stop_reason: None,
        recipients: 0,
        left_before: 0,
        author_id: None,
        author_name: None,
        author_person: None,
        created_at: now,
        updated_at: now,
        version: 1,
    };
    Ok(if new.is_test {
        Draft::Test(message)
    } else {
        Draft::Message(message)
    })
}

/// Mails a message to the caller alone.
async fn test(
    context: &mut Context,
    caller: &Principal,
    event: &Event,
    message: Message,
) -> Result<MessageView, Error> {
    let person = person_of(&context.tx, caller.actor).await?;
    let person = person.ok_or(Error::NotAllowedNow(
        "the key is nobody's, so there is no address to send a test to: make a key of your own in the dashboard",
    ))?;
    mailboxes::spend(context, Cause::Organizer, &person.email).await?;
    let fact = Fact::MessageTested {
        id: message.id.uuid(),
        account: event.account_id,
        person: person.id,
        message: &message,
    };
    context.record(fact).await?;
    Ok(MessageView {
        mails: MessageMails {
            left: 1,
            ..MessageMails::default()
        },
        test_sent_to: Some(person.email),
        ..view(
            Message {
                id: MessageId::new(Uuid::nil()),
                due_at: context.now,
                author_name: Some(person.name),
                recipients: 1,
                ..message
            },
            event,
        )
    })
}

/// The person who acts, or whose key does.
pub(super) async fn person_of(reads: &Reads, actor: Actor) -> Result<Option<Person>, Error> {
    let mut id = actor.person_id();
    if let Some(key) = actor.key_id() {
        let found = reads.find_key(key).await?;
        id = found.and_then(|(key, _)| key.person_id);
    }
    Ok(match id {
        Some(id) => reads.find_person(id).await?,
        None => None,
    })
}

pub(super) async fn record(
    context: &mut Context,
    account: &Account,
    message: &Message,
    change: MessageChange,
) -> Result<u64, storage::Error> {
    let fact = Fact::MessageChanged {
        account: account.id,
        message,
        change,
    };
    context.record(fact).await
}
