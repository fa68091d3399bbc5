//! Telling registrants of an event's new time or place, a while after the last change (rule 9 of docs/rules.md). What waits is a
//! row in `jobs`: any core does it, and a restart changes nothing.

use domain::{
    account::Account,
    announcement::Announcement,
    audit::Actor,
    event::Event,
    fact::Fact,
    ids::EventId,
    job::{ClaimedJob, Task},
    mail::quota::{MailCount, needed_for_change},
    plan::Plans,
    registration::Counters,
};

use super::{EventJobError, Events};
use crate::service::{
    Context, Error,
    mail_quota::{self, Needed},
};

/// Notes what registrants know, and schedules that they are told, if the time or the place has changed. Answers how many do not know
/// the new one, who are told unless it changes again before; and the mails that this needs, which the caller counts. The account and the
/// event must be locked.
pub(super) async fn plan(
    context: &mut Context,
    plans: &Plans,
    account: &Account,
    (before, after): (&Event, &Event),
    counters: Counters,
) -> Result<(i32, Needed), Error> {
    let (known, next) = (before.audiences(), after.audiences());
    if known.guests == next.guests {
        // Who may see the place is nothing to announce.
        if known.others != next.others {
            let shown = (known.others, next.others);
            context.tx.note_shown(after.id, shown).await?;
        }
        return Ok((0, Needed::default()));
    }
    let people = if known.others == next.others {
        counters.confirmed
    } else {
        counters.active()
    };
    if people == 0 {
        return Ok((0, Needed::default()));
    }
    let (mut announcement, mut uninformed, mut more) = (None, 0, Needed::default());
    if after.is_ahead(context.now) {
        let added;
        (uninformed, added) = context
            .tx
            .count_who_know_another(after.id, known, next)
            .await?;
        let waiting = context.tx.find_announcement(after.id).await?;
        let waiting = waiting.unwrap_or_else(|| Announcement::beginning(context.now));
        let needed = needed_for_change(people, plans.daily_mails.of(account.plan));
        let strangers = account.stranger_mails(plans).map_or(0, |_| added);
        more = Needed {
            mails: (needed - waiting.counted.mails).max(0),
            strangers: (strangers - waiting.counted.strangers).max(0),
        };
        // What an earlier day counted is not given back to this one.
        let before = waiting.counted.today(context.now);
        announcement = Some(Announcement {
            counted: MailCount {
                mails: before.mails + more.mails,
                strangers: before.strangers + more.strangers,
                ..before
            },
            ..waiting
        });
    }
    context
        .record(Fact::EventMoved {
            before,
            after,
            announcement,
        })
        .await?;
    Ok((uninformed, more))
}

impl Events {
    /// Schedules the mails to registrants who know another time or place of an event; nobody is told of an event that is
    /// cancelled or has ended. Does nothing if the job was changed after it was claimed.
    pub(crate) async fn announce(&self, job: &ClaimedJob) -> Result<(), EventJobError> {
        let Task::EventAnnouncement {
            mails,
            day,
            strangers,
        } = job.task()?
        else {
            return Ok(());
        };
        let id = EventId::new(job.key.subject_id);
        let event = self.commands.store().find_event(id).await?;
        let owner = event.ok_or(Error::NO_EVENT)?.account_id;
        let decide = async |context: &mut Context| {
            context.tx.lock_account(owner).await?;
            context.tx.lock_counters(id).await?.ok_or(Error::NO_EVENT)?;
            context.renew_time();
            let event = context.tx.find_event(id).await?.ok_or(Error::NO_EVENT)?;
            if context.tx.finish_jobs(&[job]).await? == 0 {
                return Ok(None);
            }
            let current = event.audiences();
            // Those who are told of it; what nobody noted is the current one.
            let (_, added) = context
                .tx
                .count_who_know_another(id, current, current)
                .await?;
            let sent = context
                .record(Fact::EventAnnounced { event: &event })
                .await?;
            let sent = i32::try_from(sent).unwrap_or(i32::MAX);
            let unneeded = MailCount {
                day,
                mails: (mails - sent).max(0),
                strangers: (strangers - added).max(0),
            };
            mail_quota::give_back(context, owner, unneeded).await?;
            Ok(Some(sent))
        };
        let sent = self.commands.run(Actor::System, decide).await?;
        if let Some(mails) = sent {
            tracing::info!(event_id = %id, mails, "a changed event is announced");
        }
        Ok(())
    }
}
