//! When an event takes place: start, end and zone (rules 1 to 3 of docs/rules.md).

pub use super::date_time::EventTime;
use std::cmp::Ordering;

use super::{
    change::Change,
    date_time::{WrittenTime, ZonelessTime},
    instant::Instant,
    violation::Violations,
    zone::Zone,
};

/// The message for an end before the start.
const REVERSED: &str = "must not be before start_date";

/// How long an event with an open end lasts at least.
const OPEN_END_SECONDS: i64 = 3 * 3_600;

/// How long its entry in calendars is.
const CALENDAR_SECONDS: i64 = 3_600;

/// Start, optional end and zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// When it starts.
    pub start: EventTime,
    /// When it ends; absent means that it follows the start.
    pub end: Option<EventTime>,
    /// IANA name of the event's zone.
    pub timezone: String,
}

/// The change of a schedule in a partial update, as the client wrote it.
#[derive(Debug, Clone, Default)]
pub struct ScheduleChange {
    /// ISO 8601.
    pub start_date: Change<String>,
    /// ISO 8601; cleared, the end follows the start.
    pub end_date: Change<String>,
    /// IANA name.
    pub timezone: Change<String>,
}

impl ScheduleChange {
    /// Whether all fields are absent.
    pub const fn is_keep(&self) -> bool {
        self.start_date.is_keep() && self.end_date.is_keep() && self.timezone.is_keep()
    }

    /// The field that a violation of the whole schedule names: one that is present.
    pub const fn blamed_field(&self) -> &'static str {
        if !self.end_date.is_keep() {
            "end_date"
        } else if !self.start_date.is_keep() {
            "start_date"
        } else {
            "timezone"
        }
    }

    /// Whether a schedule would be over by it, as far as that is known in any zone.
    pub(crate) fn is_over(&self, before: &Schedule, now: Instant) -> bool {
        let (start, end) = (self.start(before), self.end(before));
        let times = [start, end.unwrap_or(start)];
        let has_passed = |time: &Option<ZonelessTime>| time.is_some_and(|one| one.has_passed(now));
        times.iter().all(has_passed)
    }

    /// The start after it; `None` if it cannot be read.
    fn start(&self, before: &Schedule) -> Option<ZonelessTime> {
        match &self.start_date {
            Change::Set(text) => without_zone(text),
            Change::Keep => Some(self.unchanged(before.start)),
            Change::Clear => None,
        }
    }

    /// The end after it, if there is one; `None` in place of one that cannot be read.
    #[expect(
        clippy::option_option,
        reason = "there is none, or one that cannot be read, or one"
    )]
    fn end(&self, before: &Schedule) -> Option<Option<ZonelessTime>> {
        match &self.end_date {
            Change::Set(text) => Some(without_zone(text)),
            Change::Keep => before.end.map(|end| Some(self.unchanged(end))),
            Change::Clear => None,
        }
    }

    /// A time that stays: in a new zone its wall time does.
    fn unchanged(&self, time: EventTime) -> ZonelessTime {
        if self.timezone.is_keep() {
            time.into()
        } else {
            ZonelessTime::of_wall_time(time.local)
        }
    }
}

fn without_zone(text: &str) -> Option<ZonelessTime> {
    let written = text.parse::<WrittenTime>().ok()?;
    Some(written.without_zone())
}

/// What another release of the time zone database makes of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClockChange {
    /// Nothing, or nobody knows, since the zone was removed.
    None,
    /// The same wall times are other moments.
    Moved(Schedule),
    /// A wall time is skipped, or the end comes before the start.
    Skipped,
}

impl Schedule {
    /// What the database of now makes of the schedule.
    pub fn clock_change(&self) -> ClockChange {
        let Ok(zone) = Zone::find(&self.timezone) else {
            return ClockChange::None;
        };
        let start = self.start.by_clocks_of(&zone);
        let end = self.end.map(|end| end.by_clocks_of(&zone)).transpose();
        let (Ok(start), Ok(end)) = (start, end) else {
            return ClockChange::Skipped;
        };
        if (start, end) == (self.start, self.end) {
            return ClockChange::None;
        }
        if end.is_some_and(|end| end.at < start.at) {
            return ClockChange::Skipped;
        }
        ClockChange::Moved(Self {
            start,
            end,
            timezone: self.timezone.clone(),
        })
    }

    /// The end, or the start when there is none (rule 2 of docs/rules.md).
    pub fn effective_end(&self) -> Instant {
        self.end().at
    }

    /// The end, if it is after the start. A program that sends back the end that it was answered means none, too.
    fn own_end(&self) -> Option<EventTime> {
        self.end.filter(|end| end.at > self.start.at)
    }

    /// When it is over for the people there. An open end lasts until the local day ends, at least three hours (rule 2 of docs/rules.md).
    pub fn over_at(&self) -> Instant {
        if let Some(end) = self.own_end() {
            return end.at;
        }
        let midnight = Zone::find(&self.timezone)
            .ok()
            .and_then(|zone| EventTime::midnight_after(self.start.local, &zone));
        let at_least = self.start.at.plus_seconds(OPEN_END_SECONDS);
        midnight.map_or(at_least, |midnight| midnight.max(at_least))
    }

    /// Whether it is over for the people there.
    pub fn is_over(&self, now: Instant) -> bool {
        // Most events are not over by either, which needs no time zone.
        self.effective_end() <= now && self.over_at() <= now
    }

    /// The end in calendars, where an entry without length is easily missed: an hour after the start if it is open.
    pub fn calendar_end(&self) -> EventTime {
        self.own_end()
            .unwrap_or_else(|| self.time_of(self.start.at.plus_seconds(CALENDAR_SECONDS)))
    }

    /// The end in answers: the start if there is none.
    pub fn end(&self) -> EventTime {
        self.end.unwrap_or(self.start)
    }

    /// A moment as a clock in the event's zone shows it. In UTC, if the zone was removed from the database since.
    pub fn time_of(&self, at: Instant) -> EventTime {
        let zone = Zone::find(&self.timezone).unwrap_or_else(|_| Zone::utc());
        EventTime::of_instant(at, &zone)
    }

    /// Parses a schedule. `default_zone` replaces an absent `timezone`.
    pub fn read(
        start_date: &str,
        end_date: Option<&str>,
        timezone: Option<&str>,
        default_zone: &Zone,
        violations: &mut Violations,
    ) -> Option<Self> {
        let zone = match timezone {
            Some(name) => violations.check("timezone", Zone::find(name)),
            None => Some(default_zone.clone()),
        };
        let start = read_time("start_date", start_date, zone.as_ref(), violations);
        let end = match end_date {
            Some(text) => read_time("end_date", text, zone.as_ref(), violations).map(Some),
            None => Some(None),
        };
        let Some(zone) = zone else {
            let end = end_date.and_then(without_zone);
            judge_order(without_zone(start_date), end, "end_date", violations);
            return None;
        };
        Self::in_order(start?, end?, &zone, "end_date", violations)
    }

    /// Whether these times of a request would be over, as far as that is known in any zone.
    pub(crate) fn is_over_everywhere(
        start_date: &str,
        end_date: Option<&str>,
        now: Instant,
    ) -> bool {
        let has_passed = |text| without_zone(text).is_some_and(|time| time.has_passed(now));
        has_passed(start_date) && end_date.is_none_or(has_passed)
    }

    /// Applies a change. In a new zone, times that are not changed keep their wall time.
    pub fn changed(&self, change: ScheduleChange, violations: &mut Violations) -> Option<Self> {
        if change.is_keep() {
            return Some(self.clone());
        }
        let blamed = change.blamed_field();
        let (rough_start, rough_end) = (change.start(self), change.end(self).flatten());
        let mut name = self.timezone.clone();
        change.timezone.write(&mut name, "timezone", violations);
        let zone = violations.check("timezone", Zone::find(&name));
        let start = match change.start_date {
            Change::Set(text) => read_time("start_date", &text, zone.as_ref(), violations),
            Change::Keep => self.unchanged_time(self.start, zone.as_ref(), violations),
            Change::Clear => {
                violations.add("start_date", "must not be null");
                None
            }
        };
        let end = match (change.end_date, self.end) {
            (Change::Set(text), _) => {
                read_time("end_date", &text, zone.as_ref(), violations).map(Some)
            }
            (Change::Keep, Some(end)) => self
                .unchanged_time(end, zone.as_ref(), violations)
                .map(Some),
            (Change::Keep, None) | (Change::Clear, _) => Some(None),
        };
        let Some(zone) = zone else {
            judge_order(rough_start, rough_end, blamed, violations);
            return None;
        };
        Self::in_order(start?, end?, &zone, blamed, violations)
    }

    /// A time of this schedule in a zone that may be another.
    fn unchanged_time(
        &self,
        time: EventTime,
        zone: Option<&Zone>,
        violations: &mut Violations,
    ) -> Option<EventTime> {
        let zone = zone?;
        if zone.name() == self.timezone {
            return Some(time);
        }
        violations.check("timezone", EventTime::of_wall_time(time.local, zone))
    }

    fn in_order(
        start: EventTime,
        end: Option<EventTime>,
        zone: &Zone,
        blamed: &str,
        violations: &mut Violations,
    ) -> Option<Self> {
        if end.is_some_and(|end| end.at < start.at) {
            violations.add(blamed, REVERSED);
            return None;
        }
        Some(Self {
            start,
            end,
            timezone: zone.name().to_owned(),
        })
    }
}

/// Refuses an end before the start where no zone is known.
fn judge_order(
    start: Option<ZonelessTime>,
    end: Option<ZonelessTime>,
    blamed: &str,
    violations: &mut Violations,
) {
    let order = start.zip(end).and_then(|(start, end)| end.compared(start));
    if order == Some(Ordering::Less) {
        violations.add(blamed, REVERSED);
    }
}

/// Parses a date-time as far as that is possible without a zone.
pub(crate) fn read_roughly(
    field: &str,
    text: &str,
    zone: Option<&Zone>,
    violations: &mut Violations,
) -> Option<ZonelessTime> {
    let written = violations.check(field, text.parse::<WrittenTime>())?;
    let Some(zone) = zone else {
        return Some(written.without_zone());
    };
    let time = violations.check(field, written.in_zone(zone))?;
    Some(time.into())
}

/// Parses a date-time. Its form is checked even if the zone is unknown, so that all violations are reported at once.
pub(crate) fn read_time(
    field: &str,
    text: &str,
    zone: Option<&Zone>,
    violations: &mut Violations,
) -> Option<EventTime> {
    let written = violations.check(field, text.parse::<WrittenTime>())?;
    violations.check(field, written.in_zone(zone?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::FieldViolation;

    type Outcome = Result<Schedule, Vec<FieldViolation>>;

    fn read(start: &str, end: Option<&str>, zone: &str) -> Outcome {
        let mut violations = Violations::default();
        let schedule = Schedule::read(start, end, Some(zone), &Zone::utc(), &mut violations);
        violations.unless_any(schedule)
    }

    fn change(schedule: &Schedule, change: ScheduleChange) -> Outcome {
        let mut violations = Violations::default();
        let changed = schedule.changed(change, &mut violations);
        violations.unless_any(changed)
    }

    fn set(text: &str) -> Change<String> {
        Change::Set(text.to_owned())
    }

    fn blamed(outcome: Outcome) -> Vec<String> {
        let violations = outcome.unwrap_err();
        violations.into_iter().map(|one| one.field).collect()
    }

    #[test]
    fn an_omitted_end_follows_the_start() {
        let open = read("2027-05-01T18:00", None, "UTC").unwrap();
        assert_eq!(open.end(), open.start);
        let later = change(
            &open,
            ScheduleChange {
                start_date: set("2027-06-01T18:00"),
                ..ScheduleChange::default()
            },
        )
        .unwrap();
        assert_eq!(later.effective_end(), later.start.at);
    }

    #[test]
    fn an_end_before_the_start_is_blamed_on_what_was_given() {
        let reversed = read(
            "2027-05-01T18:00",
            Some("2027-05-01T17:59:59.999999"),
            "UTC",
        );
        assert_eq!(blamed(reversed), ["end_date"]);
        let point = read("2027-05-01T18:00", Some("2027-05-01T18:00"), "UTC").unwrap();
        let later_start = ScheduleChange {
            start_date: set("2027-05-01T18:01"),
            ..ScheduleChange::default()
        };
        assert_eq!(blamed(change(&point, later_start)), ["start_date"]);
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let wrong = read("soon", Some("2027-02-30T10:00"), "Mars/Base");
        assert_eq!(blamed(wrong), ["timezone", "start_date", "end_date"]);
    }

    #[test]
    fn another_zone_alone_keeps_the_wall_time() {
        let berlin = read(
            "2027-05-01T18:00",
            Some("2027-05-01T20:00"),
            "Europe/Berlin",
        )
        .unwrap();
        let to_new_york = ScheduleChange {
            timezone: set("america/new_york"),
            ..ScheduleChange::default()
        };
        let moved = change(&berlin, to_new_york).unwrap();
        assert_eq!(moved.timezone, "America/New_York");
        assert_eq!(moved.start.rfc3339(), "2027-05-01T18:00:00-04:00");
        assert_eq!(moved.end().rfc3339(), "2027-05-01T20:00:00-04:00");
    }

    #[test]
    fn another_zone_with_an_offset_keeps_the_moment_that_was_written() {
        let berlin = read(
            "2027-05-01T18:00",
            Some("2027-05-01T20:00"),
            "Europe/Berlin",
        )
        .unwrap();
        let both = ScheduleChange {
            start_date: set("2027-05-01T18:00+02:00"),
            timezone: set("America/New_York"),
            ..ScheduleChange::default()
        };
        let moved = change(&berlin, both).unwrap();
        assert_eq!(moved.start.rfc3339(), "2027-05-01T12:00:00-04:00");
        assert_eq!(moved.end().rfc3339(), "2027-05-01T20:00:00-04:00");
    }

    #[test]
    fn a_wall_time_that_the_other_zone_skips_is_blamed_on_the_zone() {
        let utc = read("2027-03-28T02:30", None, "UTC").unwrap();
        let to_berlin = ScheduleChange {
            timezone: set("Europe/Berlin"),
            ..ScheduleChange::default()
        };
        assert_eq!(blamed(change(&utc, to_berlin)), ["timezone"]);
    }

    #[test]
    fn naming_the_same_zone_again_changes_nothing() {
        // The second 02:30 of that night: the wall time alone is ambiguous.
        let berlin = read("2027-10-31T02:30+01:00", None, "Europe/Berlin").unwrap();
        let same = ScheduleChange {
            timezone: set("europe/berlin"),
            ..ScheduleChange::default()
        };
        assert_eq!(change(&berlin, same).unwrap(), berlin);
    }

    #[test]
    fn only_the_end_may_be_cleared() {
        let berlin = read(
            "2027-05-01T18:00",
            Some("2027-05-01T20:00"),
            "Europe/Berlin",
        )
        .unwrap();
        let clear_all = ScheduleChange {
            start_date: Change::Clear,
            end_date: Change::Clear,
            timezone: Change::Clear,
        };
        assert_eq!(
            blamed(change(&berlin, clear_all)),
            ["timezone", "start_date"]
        );
        let clear_end = ScheduleChange {
            end_date: Change::Clear,
            ..ScheduleChange::default()
        };
        assert_eq!(change(&berlin, clear_end).unwrap().end, None);
    }
}
