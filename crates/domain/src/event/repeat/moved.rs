//! What an event is on another day.

use jiff::civil::Date;

use crate::{
    change::Change,
    date_time::EventTime,
    event::{Event, EventIdentity, EventPatch, Window, WindowChange},
    ids::SeriesId,
    instant::Instant,
    schedule::{Schedule, ScheduleChange, read_time},
    violation::{FieldViolation, Violations},
    zone::Zone,
};

/// The schedule with its start on another day, at the same times of day; `None` if clocks skip one of them.
pub(super) fn on_date(schedule: &Schedule, date: Date, zone: &Zone) -> Option<Schedule> {
    let days = date.since(schedule.start.local.date()).ok()?;
    let moved = |time: EventTime| {
        let local = time.local.checked_add(days).ok()?;
        EventTime::of_wall_time(local, zone).ok()
    };
    let start = moved(schedule.start)?;
    let end = match schedule.end {
        Some(end) => Some(moved(end).filter(|end| end.at >= start.at)?),
        None => None,
    };
    Some(Schedule {
        start,
        end,
        timezone: schedule.timezone.clone(),
    })
}

impl Window {
    /// The window of the same event on another day: its times are as many days away. Where clocks skip one, it is as far from the start
    /// as it was.
    fn on_date_of(self, before: &Schedule, after: &Schedule) -> Self {
        let moved = |time: EventTime| {
            let days = after.start.local.date().since(before.start.local.date());
            let local = days.and_then(|days| time.local.checked_add(days)).ok();
            let zone = Zone::find(&after.timezone).ok();
            let by_wall = local
                .zip(zone)
                .and_then(|(local, zone)| EventTime::of_wall_time(local, &zone).ok());
            let micros = time.at.micros() - before.start.at.micros() + after.start.at.micros();
            by_wall.unwrap_or_else(|| after.time_of(Instant::from_micros(micros)))
        };
        Self {
            opens: self.opens.map(moved),
            closes: self.closes.map(moved),
            is_open: true,
        }
    }
}

impl EventPatch {
    /// The same change for another date of the series, of a change that made `after` of `before`: what it sets to a time is as many days
    /// away, at the same time of day. The version is that of the first event alone.
    #[must_use]
    pub fn for_date(&self, (before, after): (&Event, &Event), other: &Event) -> Self {
        let first = before.schedule.start.local.date();
        let days = other.schedule.start.local.date().since(first).ok();
        let moved = |change: &Change<String>, time: Option<EventTime>| match (change, time, days) {
            (Change::Set(_), Some(time), Some(days)) => {
                let local = time.local.checked_add(days).unwrap_or(time.local);
                Change::Set(local.to_string())
            }
            _ => change.clone(),
        };
        let (schedule, window) = (&after.schedule, after.window);
        Self {
            version: None,
            schedule: ScheduleChange {
                start_date: moved(&self.schedule.start_date, Some(schedule.start)),
                end_date: moved(&self.schedule.end_date, schedule.end),
                timezone: self.schedule.timezone.clone(),
            },
            window: WindowChange {
                opens: moved(&self.window.opens, window.opens),
                closes: moved(&self.window.closes, window.closes),
                is_open: self.window.is_open.clone(),
            },
            ..self.clone()
        }
    }
}

impl Event {
    /// The same event, of any state, with another start, ISO 8601: it takes as long, and its times of registration are as many days away.
    pub fn moved_to(&self, start: &str) -> Result<Self, Vec<FieldViolation>> {
        let mut violations = Violations::default();
        let zone = violations.check("timezone", Zone::find(&self.schedule.timezone));
        let start = read_time("start_date", start, zone.as_ref(), &mut violations);
        let moved = start.map(|start| {
            let micros = start.at.micros() - self.schedule.start.at.micros();
            let end = self.schedule.end.map(|end| {
                let at = Instant::from_micros(end.at.micros().saturating_add(micros));
                self.schedule.time_of(at)
            });
            let schedule = Schedule {
                start,
                end,
                timezone: self.schedule.timezone.clone(),
            };
            Self {
                window: self.window.on_date_of(&self.schedule, &schedule),
                schedule,
                ..self.clone()
            }
        });
        violations.unless_any(moved)
    }

    /// The same event at another time of its series, a draft or published. It has its own seats, waitlist and link.
    #[must_use]
    pub fn repeated(
        &self,
        identity: EventIdentity,
        series: SeriesId,
        schedule: Schedule,
        is_published: bool,
        now: Instant,
    ) -> Self {
        Self {
            series: Some(series),
            window: self.window.on_date_of(&self.schedule, &schedule),
            is_published,
            published_start: is_published.then_some(schedule.start.at),
            zone_release: Zone::release().to_owned(),
            schedule,
            ..self.copied(identity, now)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::event::{NewRepetition, Repetition, tests::event_from};

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000); // 2027-01-15T08:00:00Z

    #[test]
    fn a_window_moves_with_its_event() {
        let mut event = event_from(NOW);
        let days_before = |days: i64| {
            let at = event.schedule.start.at.plus_seconds(-days * 86_400);
            event.schedule.time_of(at)
        };
        event.window.opens = Some(days_before(14));
        event.window.closes = Some(days_before(1));
        let weekly = NewRepetition {
            every: "week".to_owned(),
            interval: 1,
            count: Some(1),
            ..NewRepetition::default()
        };
        let repetition = Repetition::read(&weekly, event.schedule.start.local.date()).unwrap();
        let found = repetition
            .dates(&event.schedule, &BTreeSet::new(), NOW)
            .unwrap();
        let identity = EventIdentity {
            id: crate::ids::EventId::new(uuid::Uuid::from_u128(7)),
            account_id: event.account_id,
            slug: "again".to_owned(),
        };
        let series = SeriesId::new(uuid::Uuid::from_u128(9));
        let again = event.repeated(identity, series, found.schedules[0].clone(), true, NOW);
        let texts = [again.window.opens, again.window.closes].map(|time| time.unwrap().rfc3339());
        assert_eq!(
            texts,
            ["2027-04-24T18:00:00+02:00", "2027-05-07T18:00:00+02:00"]
        );
        assert_eq!(again.series, Some(series));
        assert!(again.is_published && again.published_start == Some(again.schedule.start.at));
    }
}
