//! What follows from a fact for mails: those that are scheduled, moved or withdrawn.

use domain::{
    event::ReminderPlan,
    fact::{Mailing, MessageEffect},
    job::{Job, Task},
    message::GRACE_SECONDS,
};
use server::traces;

use super::Context;

impl Context {
    /// At once and not before the commit: the current rows determine the recipients.
    pub(super) async fn schedule(&mut self, mailing: Mailing) -> Result<u64, storage::Error> {
        let (tx, now) = (&mut self.tx, self.now);
        let trace_parent = traces::named(&traces::current());
        let trace_parent = trace_parent.as_deref();
        match mailing {
            Mailing::Cancellation { event, max_added } => {
                tx.schedule_cancellation_mails(event, max_added, now, trace_parent)
                    .await
            }
            Mailing::Change {
                event,
                known,
                former,
                announcement,
            } => {
                tx.note_known(event, known).await?;
                // First those of guests: where both know the same, it is the same.
                tx.put_former(event, known.guests, &former.guests, now)
                    .await?;
                if known.others != known.guests {
                    tx.put_former(event, known.others, &former.others, now)
                        .await?;
                }
                if let Some(announcement) = announcement {
                    let due_at = announcement.due_at(now);
                    tx.put_announcement(event, &announcement, due_at, trace_parent)
                        .await?;
                }
                Ok(0)
            }
            Mailing::Announcement {
                event,
                current,
                sequence,
            } => {
                tx.schedule_event_changed_mails(event, current, sequence, now, trace_parent)
                    .await
            }
            Mailing::Promotion { registrations } => {
                let job = |registration| Job {
                    trace_parent: trace_parent.map(str::to_owned),
                    ..Job::mail(Task::PromotedMail, registration)
                };
                let jobs: Vec<Job> = registrations.into_iter().map(job).collect();
                tx.insert_jobs(&jobs, now).await
            }
            Mailing::Reminder {
                event,
                reminder,
                sequence,
            } => {
                tx.schedule_reminder_mails(event, reminder, sequence, now, trace_parent)
                    .await
            }
            Mailing::Message { message, due_at } => {
                tx.put_message_job(message, due_at, now, trace_parent)
                    .await?;
                Ok(0)
            }
            Mailing::MessageMails {
                event,
                number,
                audience,
                max_added,
            } => {
                let message = (number, &audience);
                tx.schedule_message_mails(event, message, max_added, now, trace_parent)
                    .await
            }
            Mailing::MessageEnd {
                message,
                event,
                number,
            } => {
                tx.delete_message_job(message).await?;
                tx.withdraw_message_mails(event, number).await
            }
        }
    }

    /// The messages of an event that are scheduled follow it.
    pub(super) async fn change_messages(
        &mut self,
        effect: MessageEffect,
    ) -> Result<(), storage::Error> {
        let (tx, now) = (&mut self.tx, self.now);
        match effect {
            MessageEffect::Move {
                event,
                start,
                over_at,
            } => {
                let soonest = now.plus_seconds(GRACE_SECONDS);
                tx.move_messages(event, start, over_at, soonest).await
            }
            MessageEffect::Stop {
                event,
                reason,
                begun,
            } => tx.stop_messages(event, reason, begun, now).await,
        }
    }

    /// At once, so that of several facts about an event in one command the last one counts.
    pub(super) async fn plan_reminders(
        &mut self,
        plan: &ReminderPlan,
    ) -> Result<(), storage::Error> {
        let (tx, event) = (&mut self.tx, plan.event);
        let waiting = tx.list_reminders(event).await?;
        for reminder in plan.obsolete(&waiting) {
            tx.delete_reminder(event, reminder).await?;
        }
        let trace_parent = traces::named(&traces::current());
        for reminder in plan.missing(&waiting, self.now) {
            tx.insert_reminder(event, reminder, self.now, trace_parent.as_deref())
                .await?;
        }
        Ok(())
    }
}
