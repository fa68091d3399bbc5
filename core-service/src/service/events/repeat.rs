//! Repeating an event on other dates (rule 55 of docs/rules.md).

use domain::{
    account::Account,
    event::{Dates, Event, EventIdentity, LeftOut, NewRepetition, Repetition},
    fact::{EventChange, Fact},
    ids::{EventId, SeriesId},
    instant::{DAY_SECONDS, Instant},
    schedule::Schedule,
    slug,
    violation::{Checked, FieldViolation},
};
use storage::Reads;

use super::{find, hold, lock_account, quota};
use crate::service::{Context, Error, Events, Invocation, Principal, judgement::Judgement};

/// So many later dates of a series are compared with those of a repetition.
const MAX_STARTS: i64 = 1_000;

/// How an event is to be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// When.
    pub when: NewRepetition,
    /// Whether the events are published at once.
    pub is_public: bool,
}

/// The events of a repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    /// Their series, which the first event is part of.
    pub series: SeriesId,
    /// The new events, in the order of their dates.
    pub events: Vec<Event>,
    /// The dates that were left out.
    pub left_out: Vec<LeftOut>,
}

impl Events {
    /// Creates an event on each date of a repetition, all or none. Those and the event itself are one series.
    pub async fn repeat(
        &self,
        by: impl Into<Invocation<'_, Repeated>>,
        id: EventId,
        repeat: impl Into<Checked<Repeat>>,
    ) -> Result<Repeated, Error> {
        let by = by.into();
        let caller = by.caller;
        let repeat = repeat.into();
        let decide = async |context: &mut Context| {
            let account = lock_account(context, caller).await?;
            let (original, _) = hold(context, caller, id).await?;
            let now = context.now;
            let is_public = repeat.message.is_public;
            let dates = self.judged(&context.tx, (&account, &original), repeat, now);
            let dates = dates.await?;
            self.add_dates(context, &original, dates, is_public).await
        };
        self.commands.run_for(by, decide).await
    }

    /// When an event would be repeated. Nothing is changed, and what would be refused is refused here, too.
    pub async fn planned_repeat(
        &self,
        caller: &Principal,
        id: EventId,
        repeat: Checked<Repeat>,
    ) -> Result<Dates, Error> {
        let store = self.commands.store();
        let account = store.find_account(caller.account).await?;
        let account = account.ok_or(Error::Unauthorized)?;
        let (original, _) = find(store, caller, id).await?;
        let now = self.commands.now();
        self.judged(store, (&account, &original), repeat, now).await
    }

    /// The dates of a repetition, unless it is refused.
    async fn judged(
        &self,
        reads: &Reads,
        (account, original): (&Account, &Event),
        Checked {
            message: repeat,
            mistakes,
        }: Checked<Repeat>,
        now: Instant,
    ) -> Result<Dates, Error> {
        let is_valid = mistakes.is_empty();
        let mut judgement = Judgement::of(mistakes);
        judgement.note(check_publication(original, repeat.is_public))?;
        let first = original.schedule.start.local.date();
        let repetition = judgement.note(Repetition::read(&repeat.when, first))?;
        // Beyond the proto's limits nothing is counted out.
        let dates = match repetition.filter(|_| is_valid) {
            Some(repetition) => {
                let dates = dates(reads, original, &repetition, now).await;
                judgement.note(dates)?
            }
            None => None,
        };
        let approval = quota::check_approval(account, original.requires_approval);
        judgement.note(approval)?;
        if let Some(dates) = &dates {
            let more = dates.schedules.len();
            let check = quota::check_all(reads, (&self.plans, account), more, now);
            judgement.note(check.await)?;
        }
        judgement.conclude(dates)
    }

    async fn add_dates(
        &self,
        context: &mut Context,
        original: &Event,
        dates: Dates,
        is_public: bool,
    ) -> Result<Repeated, Error> {
        let series = series_of(context, original).await?;
        let cover = if original.has_own_cover {
            context.tx.find_own_cover(original.id).await?
        } else {
            None
        };
        let now = context.now;
        let mut events = Vec::with_capacity(dates.schedules.len());
        for schedule in dates.schedules {
            let identity = EventIdentity {
                id: EventId::new(context.new_id()),
                account_id: original.account_id,
                slug: slug::from_title_with_suffix(&original.title, self.commands.entropy()),
            };
            let event = Event {
                has_own_cover: cover.is_some(),
                ..original.repeated(identity, series, schedule, is_public, now)
            };
            let event = self.add_with_free_slug(context, event, true).await?;
            if let Some(cover) = &cover {
                context.tx.put_own_cover(event.id, cover, now).await?;
            }
            events.push(event);
        }
        Ok(Repeated {
            series,
            events,
            left_out: dates.left_out,
        })
    }
}

/// Refuses to publish again what the operator has taken down.
fn check_publication(original: &Event, is_public: bool) -> Result<(), Error> {
    if !is_public || !original.is_hidden {
        return Ok(());
    }
    Err(Error::from(vec![FieldViolation {
        field: "is_public".to_owned(),
        message: "must be false: the operator of this site has taken the event down".to_owned(),
    }]))
}

/// The dates of a repetition on which the event's series has none yet.
async fn dates(
    reads: &Reads,
    original: &Event,
    repetition: &Repetition,
    now: Instant,
) -> Result<Dates, Error> {
    let schedule = &original.schedule;
    let taken = match original.series {
        Some(series) => {
            let after = first_day_that_matters(schedule, now);
            let starts = reads.list_series_starts(series, after, MAX_STARTS);
            starts.await?
        }
        None => Vec::new(),
    };
    let day = |at: Instant| schedule.time_of(at).local.date();
    let taken = taken.into_iter().map(day).collect();
    Ok(repetition.dates(schedule, &taken, now)?)
}

/// Before all days on which the event may be repeated: those after its own that are not over yet.
fn first_day_that_matters(schedule: &Schedule, now: Instant) -> Instant {
    let start = schedule.start.at;
    let length = schedule.effective_end().micros() - start.micros();
    let earliest = now.plus_seconds(-2 * DAY_SECONDS).micros();
    start.max(Instant::from_micros(earliest.saturating_sub(length)))
}

/// The event's series, which it begins if it has none.
async fn series_of(context: &mut Context, event: &Event) -> Result<SeriesId, Error> {
    if let Some(series) = event.series {
        return Ok(series);
    }
    let series = SeriesId::new(context.new_id());
    let first = Event {
        series: Some(series),
        updated_at: context.now,
        ..event.clone()
    };
    let is_live = first.is_live(context.now);
    context.tx.set_series(&first, is_live).await?;
    let joined = Fact::EventChanged {
        change: EventChange::Updated,
        before: event,
        after: &first,
    };
    context.record(joined).await?;
    Ok(series)
}
