//! Reminding those who hold a seat, when the time has come (rule 46 of docs/rules.md). What waits is a row in `jobs`, which the facts about
//! the event keep right.

use domain::{
    audit::Actor,
    event::{Event, Reminder},
    fact::Fact,
    ids::EventId,
    job::{ClaimedJob, Task},
};

use super::{EventJobError, Events};
use crate::service::{Context, Error};

impl Events {
    /// Schedules the mails of a reminder, or records that it is too late for it. Does nothing if the event has changed so that it is not due
    /// now, or if nobody would get it.
    pub(crate) async fn remind(&self, job: &ClaimedJob) -> Result<(), EventJobError> {
        let Task::EventReminder { due_at } = job.task()? else {
            return Ok(());
        };
        let id = EventId::new(job.key.subject_id);
        let decide = async |context: &mut Context| {
            context.tx.lock_counters(id).await?.ok_or(Error::NO_EVENT)?;
            context.renew_time();
            let event = context.tx.find_event(id).await?.ok_or(Error::NO_EVENT)?;
            if context.tx.finish_jobs(&[job]).await? == 0 {
                return Ok(None);
            }
            context.note_write();
            let planned = event.planned_reminders();
            let is_this =
                |one: &&Reminder| one.hours == job.key.occasion && one.due_at.micros() == due_at;
            let Some(reminder) = planned.iter().find(is_this).copied() else {
                return Ok(None);
            };
            let count = context.tx.count_reminded(id, reminder).await?;
            if count == 0 {
                return Ok(None);
            }
            if reminder.latest() < context.now {
                miss(context, &event, reminder).await?;
                return Ok(None);
            }
            let fact = Fact::ReminderDue {
                event: &event,
                reminder,
                count,
            };
            Ok(Some(context.record(fact).await?))
        };
        let sent = self.commands.run(Actor::System, decide).await?;
        if let Some(mails) = sent {
            tracing::info!(event_id = %id, hours = job.key.occasion, mails, "a reminder is sent");
        }
        Ok(())
    }
}

/// Records that it is too late for a reminder.
async fn miss(context: &mut Context, event: &Event, reminder: Reminder) -> Result<(), Error> {
    tracing::warn!(event_id = %event.id, hours = reminder.hours, "a reminder was not sent in time");
    let missed = event.reminders_missed.with(reminder.hours);
    context.tx.set_reminders_missed(event.id, &missed).await?;
    context
        .record(Fact::ReminderMissed { event, reminder })
        .await?;
    Ok(())
}
