//! Beginning a message at its time: its mails are scheduled, it waits for another day, or it is stopped. What waits is a row in `jobs`: any
//! core does it, and a restart changes nothing.

use domain::{
    account::Account,
    audit::Actor,
    event::Event,
    fact::MessageChange,
    ids::MessageId,
    instant::Instant,
    job::ClaimedJob,
    message::{Message, MessageState, StopReason},
};

use super::{Messages, create::record, need::Need};
use crate::service::{Context, Error, catalogue::saturated, mail_quota};

/// What became of a message whose time had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begun {
    /// It is sent to so many people.
    Sent(i32),
    /// It waits for the mails of the next day.
    Delayed,
    /// It was stopped.
    Stopped(StopReason),
    /// The job was changed after it was claimed.
    Overtaken,
}

impl Messages {
    /// Begins the message of a job, and finishes the job; `None` if the message is gone. Who gets it is decided now.
    pub(crate) async fn start(&self, job: &ClaimedJob) -> Result<Option<Begun>, Error> {
        let (store, id) = (self.commands.store(), MessageId::new(job.key.subject_id));
        let Some(found) = store.get_message(id).await? else {
            return Ok(None);
        };
        let event = store.find_event(found.event_id).await?;
        let owner = event.ok_or(Error::NO_EVENT)?.account_id;
        let decide = async |context: &mut Context| {
            let account = context.tx.lock_account(owner).await?;
            let account = account.ok_or(Error::NO_EVENT)?;
            let counters = context.tx.lock_counters(found.event_id).await?;
            counters.ok_or(Error::NO_EVENT)?;
            context.renew_time();
            if context.tx.finish_jobs(&[job]).await? == 0 {
                return Ok(Begun::Overtaken);
            }
            context.note_write();
            let event = context.tx.find_event(found.event_id).await?;
            let event = event.ok_or(Error::NO_EVENT)?;
            let message = context.tx.get_message(id).await?;
            let message = message.filter(|one| one.state == MessageState::Scheduled);
            let Some(message) = message else {
                return Ok(Begun::Overtaken);
            };
            match self.obstacle(&account, &event, &message, context.now) {
                Some(reason) => stop(context, &account, message, reason).await,
                None => self.send(context, &account, message).await,
            }
        };
        self.commands.run(Actor::System, decide).await.map(Some)
    }

    fn obstacle(
        &self,
        account: &Account,
        event: &Event,
        message: &Message,
        now: Instant,
    ) -> Option<StopReason> {
        let is_late = message.is_late(event, now);
        let unavailable = self.unavailable(account, event);
        unavailable.or(is_late.then_some(StopReason::EventStarted))
    }

    async fn send(
        &self,
        context: &mut Context,
        account: &Account,
        message: Message,
    ) -> Result<Begun, Error> {
        let (now, today) = (context.now, mail_quota::today(context, account.id).await?);
        let to = (message.event_id, &message.audience);
        let need = Need::of(&context.tx, &self.plans, account, today, to).await?;
        let counted = match need.allowed(&self.plans, account, today, now) {
            Ok(counted) => counted,
            Err(Error::DailyMails { exceeded, .. }) => {
                let delayed = Message {
                    due_at: exceeded.resets_at,
                    is_delayed: true,
                    updated_at: now,
                    ..message
                };
                context.tx.update_message(&delayed).await?;
                record(context, account, &delayed, MessageChange::Delayed).await?;
                return Ok(Begun::Delayed);
            }
            Err(error) => return Err(error),
        };
        context.tx.set_mail_count(account.id, counted).await?;
        let max_added = need.max_added;
        let change = MessageChange::Begun { max_added };
        let begun = Message {
            state: MessageState::Begun,
            due_at: now,
            is_delayed: false,
            recipients: need.recipients,
            updated_at: now,
            ..message
        };
        let sent = record(context, account, &begun, change).await?;
        let recipients = saturated(i64::try_from(sent).unwrap_or(i64::MAX));
        let begun = Message {
            recipients,
            ..begun
        };
        context.tx.update_message(&begun).await?;
        Ok(Begun::Sent(recipients))
    }
}

async fn stop(
    context: &mut Context,
    account: &Account,
    message: Message,
    reason: StopReason,
) -> Result<Begun, Error> {
    let stopped = Message {
        state: MessageState::Stopped,
        stop_reason: Some(reason),
        updated_at: context.now,
        ..message
    };
    context.tx.update_message(&stopped).await?;
    record(context, account, &stopped, MessageChange::Stopped).await?;
    Ok(Begun::Stopped(reason))
}
