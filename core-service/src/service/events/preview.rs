//! Who would be mailed by a change of an event, and what they would read. Nothing is changed.

use domain::{
    account::Account,
    date_time::EventTime,
    event::{CustomField, Event, EventPatch, WhenAndWhere},
    ids::EventId,
    registration::{ActiveStatus, Counters, Notification, Registrant, SampleOrganizer},
    violation::{Checked, FieldViolation},
};

use super::{
    quota,
    series::{Target, on_later_date},
};
use crate::service::{Error, Events, Principal, judgement::Judgement, registrations::promotable};

/// Registrations that are read at a time.
const PAGE: i64 = 500;

/// A change that is considered.
#[derive(Debug, Clone)]
pub enum PlannedChange {
    /// Publishing a draft.
    Publish,
    /// Cancelling.
    Cancel {
        /// The reason.
        reason: Option<String>,
    },
    /// Another time or place.
    Update(Box<EventPatch>),
    /// None: a reminder.
    Remind,
}

/// The mail that a change would send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedMail {
    /// How many would get it.
    pub recipients: i32,
    /// How many people whom an organizer added would not, since the account is not trusted.
    pub withheld: i32,
    /// Its subject and a person with a seat, to whom it is shown; `None` if nobody would get one.
    pub shown: Option<(Notification, Registrant)>,
    /// The time and place before.
    pub former: Option<WhenAndWhere>,
}

/// Whom an update would mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedUpdate {
    /// The title of the event, before it.
    pub title: String,
    /// How many would be mailed, about a new time or place and about a seat.
    pub recipients: i32,
    /// How many would get a reminder that was not planned before.
    pub newly_reminded: i32,
    /// How many answers are to questions that would be gone or of another type.
    pub earlier_answers: i32,
    /// The dates that would change: its own, and later ones.
    pub dates: Vec<EventTime>,
}

impl Events {
    /// Whom an update would mail. One that would be refused is refused here, too.
    pub async fn planned_update(
        &self,
        caller: &Principal,
        target: impl Into<Target>,
        Checked {
            message: patch,
            mistakes,
        }: Checked<EventPatch>,
    ) -> Result<PlannedUpdate, Error> {
        let store = self.commands.store();
        let mut dates = self.dates_of(caller, target.into()).await?.into_iter();
        let (before, counters) = dates.next().ok_or(Error::NO_EVENT)?;
        let account = store.find_account(caller.account).await?;
        let account = account.ok_or(Error::Unauthorized)?;
        let held = (&before, counters);
        let first = self.planned_change(&account, held, patch.clone(), mistakes);
        let (after, mut planned) = first.await?;
        for (other, counters) in dates {
            let held = (&other, counters);
            let patch = patch.for_date((&before, &after), &other);
            let more = async {
                self.planned_change(&account, held, patch?, Vec::new())
                    .await
            };
            let more = more.await.map_err(|error| on_later_date(error, &other));
            let (_, more) = more?;
            planned.dates.extend(more.dates);
            planned.recipients += more.recipients;
            planned.newly_reminded += more.newly_reminded;
            planned.earlier_answers += more.earlier_answers;
        }
        Ok(planned)
    }

    /// One event after a change, and whom that would mail.
    async fn planned_change(
        &self,
        account: &Account,
        (before, counters): (&Event, Counters),
        patch: EventPatch,
        mistakes: Vec<FieldViolation>,
    ) -> Result<(Event, PlannedUpdate), Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let mut judgement = Judgement::of(mistakes);
        let begins_to_ask = quota::begins_to_ask(before, &patch);
        let after = judgement.note(before.patched(patch, counters.seated(), now))?;
        let approval = quota::check_approval(account, begins_to_ask);
        judgement.note_of("requires_approval", approval)?;
        let after = judgement.conclude(after)?;
        let notified = self.notified_of_time_and_place(before, &after).await?;
        let promoted = if after.is_ahead(now) {
            let promoted = promotable(store, &after, counters).await?;
            i32::try_from(promoted.len()).unwrap_or(i32::MAX)
        } else {
            0
        };
        let planned = PlannedUpdate {
            earlier_answers: self.count_set_aside(before, &after).await?,
            title: before.title.clone(),
            recipients: notified + promoted,
            newly_reminded: if after.has_new_reminders(before, now) {
                counters.confirmed
            } else {
                0
            },
            dates: vec![before.schedule.start],
        };
        Ok((after, planned))
    }

    /// How many answers are to questions of an event that it does not have after a change.
    async fn count_set_aside(&self, before: &Event, after: &Event) -> Result<i32, Error> {
        let has = |field: &&CustomField| after.custom_fields.iter().any(|one| one.id == field.id);
        let fields = before.custom_fields.iter();
        let gone: Vec<&CustomField> = fields.filter(|field| !has(field)).collect();
        let (mut count, mut after_seq) = (0, 0);
        while !gone.is_empty() {
            let store = self.commands.store();
            let page = store.list_registrations(before.id, after_seq, PAGE).await?;
            let answers = page.iter().flat_map(|one| &one.answers);
            count += answers
                .filter(|answer| gone.iter().any(|field| answer.is_to(field)))
                .count();
            match page.last() {
                Some(last) if i64::try_from(page.len()).unwrap_or(PAGE) == PAGE => {
                    after_seq = last.seq;
                }
                _ => break,
            }
        }
        Ok(i32::try_from(count).unwrap_or(i32::MAX))
    }

    /// The title of a draft that can be deleted.
    pub async fn planned_deletion(&self, caller: &Principal, id: EventId) -> Result<String, Error> {
        let (event, counters) = self.get(caller, id).await?;
        event.check_deletable(counters.total())?;
        Ok(event.title)
    }

    /// The title of an event that can become a draft again, and how many of its messages that would stop for good.
    pub async fn planned_unpublishing(
        &self,
        caller: &Principal,
        id: EventId,
    ) -> Result<(String, i32), Error> {
        let (event, _) = self.get(caller, id).await?;
        event.unpublished(self.commands.now())?;
        let store = self.commands.store();
        let (_, scheduled, _) = store.count_messages(id).await?;
        let waiting = store.count_waiting_message_mails(id).await?.len();
        let stopped = usize::try_from(scheduled).unwrap_or_default() + waiting;
        Ok((event.title, i32::try_from(stopped).unwrap_or(i32::MAX)))
    }

    /// How many do not know the time and place after a change.
    async fn notified_of_time_and_place(
        &self,
        before: &Event,
        after: &Event,
    ) -> Result<i32, Error> {
        let (known, next) = (before.audiences(), after.audiences());
        if known.guests == next.guests || !after.is_ahead(self.commands.now()) {
            return Ok(0);
        }
        let store = self.commands.store();
        let (notified, _) = store.count_who_know_another(before.id, known, next).await?;
        Ok(notified)
    }

    /// The mail that a change would send. A change that would be refused is refused here, too.
    pub async fn planned_mail(
        &self,
        caller: &Principal,
        target: impl Into<Target>,
        change: PlannedChange,
    ) -> Result<PlannedMail, Error> {
        let now = self.commands.now();
        let dates = self.dates_of(caller, target.into()).await?;
        let (before, counters) = dates.first().cloned().ok_or(Error::NO_EVENT)?;
        let (mut withheld, mut former) = (0, None);
        let (after, notification, recipients) = match change {
            // Registrants know the event by now, and nobody else does.
            PlannedChange::Publish => {
                before.published(now)?;
                return Ok(PlannedMail::nobody());
            }
            PlannedChange::Remind => {
                let recipients = counters.confirmed;
                return self
                    .sample(caller, before, Notification::Reminder, recipients)
                    .await;
            }
            PlannedChange::Cancel { reason } => {
                let mails = self.cancellation_mails(caller, &dates).await?;
                withheld = mails.withheld;
                // The first one of which someone is notified.
                let shown = dates
                    .iter()
                    .find(|(event, counters)| event.is_ahead(now) && counters.active() > 0);
                let Some((shown, _)) = shown else {
                    return Ok(PlannedMail::nobody());
                };
                let after = shown
                    .cancelled(reason, now)
                    .unwrap_or_else(|| shown.clone());
                let held_a_seat = true;
                (
                    after,
                    Notification::EventCancelled { held_a_seat },
                    mails.mails,
                )
            }
            PlannedChange::Update(patch) => {
                let after = before.patched(patch.as_ref().clone(), counters.seated(), now)?;
                let mut recipients = self.notified_of_time_and_place(&before, &after).await?;
                let mut shown = (before.when_and_where(), after.clone());
                for (other, counters) in dates.iter().skip(1) {
                    let patch = patch.for_date((&before, &after), other)?;
                    let moved = other.patched(patch, counters.seated(), now);
                    let moved = moved.map_err(|error| on_later_date(error.into(), other))?;
                    let more = self.notified_of_time_and_place(other, &moved).await?;
                    if recipients == 0 && more > 0 {
                        shown = (other.when_and_where(), moved);
                    }
                    recipients += more;
                }
                let (known, after) = shown;
                let notification = Notification::EventChanged(ActiveStatus::Confirmed);
                former = Some(known);
                (after, notification, recipients)
            }
        };
        let planned = self
            .planned(caller, after, notification, recipients)
            .await?;
        Ok(PlannedMail {
            withheld,
            former,
            ..planned
        })
    }

    async fn planned(
        &self,
        caller: &Principal,
        event: Event,
        notification: Notification,
        recipients: i32,
    ) -> Result<PlannedMail, Error> {
        if recipients == 0 {
            return Ok(PlannedMail::nobody());
        }
        self.sample(caller, event, notification, recipients).await
    }

    /// A mail to nobody in particular.
    async fn sample(
        &self,
        caller: &Principal,
        event: Event,
        notification: Notification,
        recipients: i32,
    ) -> Result<PlannedMail, Error> {
        let store = self.commands.store();
        let account = store.find_account(caller.account).await?;
        let organizer = SampleOrganizer {
            is_trusted: account
                .as_ref()
                .is_none_or(|account| account.stranger_mails(&self.plans).is_none()),
            is_contact_proven: match &event.contact_email {
                Some(address) => store.is_contact_proven(caller.account, address).await?,
                None => false,
            },
            name: account.map(|account| account.name),
        };
        let sample = Registrant::sample(event, organizer, self.commands.entropy());
        Ok(PlannedMail {
            recipients,
            withheld: 0,
            shown: Some((notification, sample)),
            former: None,
        })
    }
}

impl PlannedMail {
    const fn nobody() -> Self {
        Self {
            recipients: 0,
            withheld: 0,
            shown: None,
            former: None,
        }
    }
}
