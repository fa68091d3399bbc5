//! Changing and cancelling a message.

use domain::{
    change::Change,
    event::Event,
    fact::MessageChange,
    ids::{EventId, MessageId},
    instant::Instant,
    mail::quota::{MailCount, needed_for_change},
    message::{
        Audience, GRACE_SECONDS, Message, MessageState, Timing, WrittenAudience, WrittenTiming,
    },
    violation::{FieldViolation, Violations},
};

use super::{MessageView, Messages, NO_MESSAGE, create::record, view, view_of};
use crate::service::{
    Context, Error, Invocation, catalogue::saturated, events, judgement::Judgement, mail_quota,
};

/// A change to a message.
#[derive(Debug, Clone, Default)]
pub struct MessagePatch {
    /// The subject.
    pub subject: Change<String>,
    /// The text.
    pub text: Change<String>,
    /// Who gets it.
    pub audience: Change<WrittenAudience>,
    /// When it begins.
    pub send_at: Change<String>,
    /// The same, by the event's start.
    pub hours_before_start: Change<i32>,
    /// The same, by the event's end.
    pub hours_after_end: Change<i32>,
    /// The version that was read.
    pub version: Option<i32>,
    /// What is wrong with the request.
    pub mistakes: Vec<FieldViolation>,
}

impl Messages {
    /// Changes a message that is scheduled.
    pub async fn update(
        &self,
        by: impl Into<Invocation<'_, MessageView>>,
        id: EventId,
        message: MessageId,
        patch: MessagePatch,
    ) -> Result<MessageView, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let account = events::lock_account(context, caller).await?;
            let (event, _) = events::hold(context, caller, id).await?;
            let before = context.tx.find_message(id, message).await?;
            let before = before.ok_or(NO_MESSAGE)?;
            let mut judgement = Judgement::of(patch.mistakes.clone());
            judgement.note(self.check_allowed(&account, &event))?;
            judgement.note_of("message_id", check_scheduled(&before))?;
            judgement.note_of("version", patch.check_version(&before))?;
            let after = judgement.note(patch.applied(&before, &event, context.now))?;
            let after = judgement.conclude(after)?;
            if after == before {
                return Ok(view(before, &event));
            }
            let after = Message {
                updated_at: context.now,
                version: before.version + 1,
                ..after
            };
            // One that waits for the mails of the next day is counted when that has come.
            if !after.is_delayed {
                self.check_time(context, &account, &after).await?;
            }
            context.tx.update_message(&after).await?;
            record(context, &account, &after, MessageChange::Edited).await?;
            Ok(view(after, &event))
        };
        self.commands.run_for(by, decide).await
    }

    /// Cancels a message: one that is scheduled never begins, and of one that is sent the mails that wait are withdrawn. Whatever else
    /// became of it stays.
    pub async fn cancel(
        &self,
        by: impl Into<Invocation<'_, MessageView>>,
        id: EventId,
        message: MessageId,
    ) -> Result<MessageView, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let account = events::lock_account(context, caller).await?;
            let (event, _) = events::hold(context, caller, id).await?;
            let before = context.tx.find_message(id, message).await?;
            let before = before.ok_or(NO_MESSAGE)?;
            let waits = match before.state {
                MessageState::Scheduled => true,
                MessageState::Begun => is_waiting(context, &before).await?,
                MessageState::Cancelled | MessageState::Stopped => false,
            };
            if !waits {
                return view_of(&context.tx, before, &event).await;
            }
            let withdrawn = record(context, &account, &before, MessageChange::Cancelled).await?;
            let withdrawn = saturated(i64::try_from(withdrawn).unwrap_or(i64::MAX));
            // No more was counted than the mails of a day.
            let limit = self.plans.daily_mails.of(account.plan);
            let counted = needed_for_change(before.recipients, limit);
            let unneeded = MailCount {
                mails: (counted - (before.recipients - withdrawn)).max(0),
                ..MailCount::of_day(before.due_at)
            };
            mail_quota::give_back(context, account.id, unneeded).await?;
            let after = Message {
                state: MessageState::Cancelled,
                updated_at: context.now,
                ..before
            };
            context.tx.update_message(&after).await?;
            view_of(&context.tx, after, &event).await
        };
        self.commands.run_for(by, decide).await
    }
}

fn check_scheduled(message: &Message) -> Result<(), Error> {
    if message.state == MessageState::Scheduled {
        return Ok(());
    }
    let late = "the message is not scheduled any more, so it cannot be changed";
    Err(Error::NotAllowedNow(late))
}

async fn is_waiting(context: &mut Context, message: &Message) -> Result<bool, storage::Error> {
    let event = message.event_id;
    let waiting = context.tx.count_waiting_message_mails(event).await?;
    Ok(waiting.iter().any(|(number, _)| *number == message.number))
}

impl MessagePatch {
    fn check_version(&self, message: &Message) -> Result<(), Error> {
        if self.version.is_none_or(|read| read == message.version) {
            return Ok(());
        }
        let edited = "the message has been changed since: read it again, and repeat your change with its version";
        Err(Error::NotAllowedNow(edited))
    }

    /// The message after the change.
    fn applied(self, before: &Message, event: &Event, now: Instant) -> Result<Message, Error> {
        let mut violations = Violations::default();
        let mut after = before.clone();
        self.subject
            .write(&mut after.subject, "subject", &mut violations);
        self.text.write(&mut after.text, "text", &mut violations);
        match self.audience {
            Change::Keep => {}
            Change::Clear => after.audience = Audience::default(),
            Change::Set(written) => {
                let read = written.read(&event.custom_fields, &mut violations);
                after.audience = read.unwrap_or(after.audience);
            }
        }
        // Without hours, it is sent now, and so it is without a time, which each message shows.
        let is_cleared = match before.timing {
            Timing::Now => false,
            Timing::At => self.send_at == Change::Clear,
            Timing::BeforeStart(_) => {
                self.hours_before_start == Change::Clear || self.send_at == Change::Clear
            }
            Timing::AfterEnd(_) => {
                self.hours_after_end == Change::Clear || self.send_at == Change::Clear
            }
        };
        let written = WrittenTiming {
            send_at: given(self.send_at),
            hours_before_start: given(self.hours_before_start),
            hours_after_end: given(self.hours_after_end),
        };
        let time = if written != WrittenTiming::default() {
            written.read(&event.schedule, now, &mut violations)
        } else if is_cleared {
            Some((Timing::Now, now.plus_seconds(GRACE_SECONDS)))
        } else {
            None
        };
        if let Some((timing, due_at)) = time {
            (after.timing, after.due_at) = (timing, due_at);
            after.is_delayed = false;
        }
        violations.unless_any(Some(after)).map_err(Error::Invalid)
    }
}

fn given<T>(change: Change<T>) -> Option<T> {
    match change {
        Change::Set(value) => Some(value),
        Change::Keep | Change::Clear => None,
    }
}
