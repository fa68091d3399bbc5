//! When a message begins.

use crate::{
    date_time::WrittenTime, instant::Instant, schedule::Schedule, violation::Violations, zone::Zone,
};

/// How long a message that is sent now can be cancelled before it begins.
pub const GRACE_SECONDS: i64 = 120;

const SECONDS_PER_HOUR: i64 = 3_600;

/// What decides when a message begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// It began two minutes after it was written.
    Now,
    /// A time.
    At,
    /// So many hours before the event's start.
    BeforeStart(i32),
    /// So many hours after the event is over.
    AfterEnd(i32),
}

/// When a message is to begin, as a client wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenTiming {
    /// ISO 8601.
    pub send_at: Option<String>,
    /// Hours before the event's start.
    pub hours_before_start: Option<i32>,
    /// Hours after the event is over.
    pub hours_after_end: Option<i32>,
}

impl Timing {
    /// Its parts, as they are stored.
    pub const fn parts(self) -> (&'static str, Option<i32>) {
        match self {
            Self::Now => ("now", None),
            Self::At => ("at", None),
            Self::BeforeStart(hours) => ("before_start", Some(hours)),
            Self::AfterEnd(hours) => ("after_end", Some(hours)),
        }
    }

    /// Reads what [`Timing::parts`] returns.
    pub fn of_parts(name: &str, hours: Option<i32>) -> Option<Self> {
        match (name, hours) {
            ("now", None) => Some(Self::Now),
            ("at", None) => Some(Self::At),
            ("before_start", Some(hours)) => Some(Self::BeforeStart(hours)),
            ("after_end", Some(hours)) => Some(Self::AfterEnd(hours)),
            _ => None,
        }
    }

    /// When a message begins that follows an event of this schedule; `None` if it follows none.
    pub fn due_at(self, schedule: &Schedule) -> Option<Instant> {
        match self {
            Self::Now | Self::At => None,
            Self::BeforeStart(hours) => {
                let seconds = i64::from(hours) * SECONDS_PER_HOUR;
                Some(schedule.start.at.plus_seconds(-seconds))
            }
            Self::AfterEnd(hours) => {
                let seconds = i64::from(hours) * SECONDS_PER_HOUR;
                Some(schedule.over_at().plus_seconds(seconds))
            }
        }
    }
}

impl WrittenTiming {
    /// What it says of an event with this schedule.
    pub fn read(
        &self,
        schedule: &Schedule,
        now: Instant,
        violations: &mut Violations,
    ) -> Option<(Timing, Instant)> {
        let Self {
            send_at,
            hours_before_start,
            hours_after_end,
        } = self;
        let (field, timing, due_at) = match (send_at, hours_before_start, hours_after_end) {
            (None, None, None) => return Some((Timing::Now, now.plus_seconds(GRACE_SECONDS))),
            (Some(text), None, None) => {
                let zone = Zone::find(&schedule.timezone).unwrap_or_else(|_| Zone::utc());
                let written = violations.check("send_at", text.parse::<WrittenTime>())?;
                let time = violations.check("send_at", written.in_zone(&zone))?;
                ("send_at", Timing::At, Some(time.at))
            }
            (None, Some(hours), None) => {
                let timing = Timing::BeforeStart(*hours);
                ("hours_before_start", timing, timing.due_at(schedule))
            }
            (None, None, Some(hours)) => {
                let timing = Timing::AfterEnd(*hours);
                ("hours_after_end", timing, timing.due_at(schedule))
            }
            _ => {
                let field = if send_at.is_some() {
                    "send_at"
                } else {
                    "hours_before_start"
                };
                let message = "must come alone: choose one of send_at, hours_before_start and hours_after_end";
                violations.add(field, message);
                return None;
            }
        };
        let due_at = due_at?;
        if due_at <= now {
            let message = format!("must lead to a time in the future, is {due_at}");
            violations.add(field, message);
            return None;
        }
        Some((timing, due_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::FieldViolation;

    /// 2027-01-15T08:00:00Z.
    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    fn read(timing: &WrittenTiming) -> Result<(Timing, String), Vec<FieldViolation>> {
        let mut violations = Violations::default();
        let schedule = Schedule::read(
            "2027-03-28T12:00",
            Some("2027-03-28T14:00"),
            Some("Europe/Berlin"),
            &Zone::utc(),
            &mut violations,
        )
        .unwrap();
        let read = timing.read(&schedule, NOW, &mut violations);
        violations
            .unless_any(read)
            .map(|(timing, due_at)| (timing, due_at.to_string()))
    }

    #[test]
    fn hours_count_in_time_and_not_by_clocks() {
        // In the night before, clocks skip an hour.
        let before = WrittenTiming {
            hours_before_start: Some(24),
            ..WrittenTiming::default()
        };
        let expected = (Timing::BeforeStart(24), "2027-03-27T10:00:00Z".to_owned());
        assert_eq!(read(&before).unwrap(), expected);
        let after = WrittenTiming {
            hours_after_end: Some(2),
            ..WrittenTiming::default()
        };
        let expected = (Timing::AfterEnd(2), "2027-03-28T14:00:00Z".to_owned());
        assert_eq!(read(&after).unwrap(), expected);
        let at = WrittenTiming {
            send_at: Some("2027-03-27T09:00".to_owned()),
            ..WrittenTiming::default()
        };
        let expected = (Timing::At, "2027-03-27T08:00:00Z".to_owned());
        assert_eq!(read(&at).unwrap(), expected);
        let expected = (Timing::Now, "2027-01-15T08:02:00Z".to_owned());
        assert_eq!(read(&WrittenTiming::default()).unwrap(), expected);
    }

    #[test]
    fn one_time_is_given_and_it_is_ahead() {
        let both = WrittenTiming {
            hours_before_start: Some(24),
            hours_after_end: Some(24),
            ..WrittenTiming::default()
        };
        assert_eq!(read(&both).unwrap_err()[0].field, "hours_before_start");
        let past = WrittenTiming {
            send_at: Some("2027-01-15T08:00:00Z".to_owned()),
            ..WrittenTiming::default()
        };
        assert_eq!(read(&past).unwrap_err()[0].field, "send_at");
    }

    #[test]
    fn what_is_stored_is_read_as_it_was() {
        for timing in [
            Timing::Now,
            Timing::At,
            Timing::BeforeStart(3),
            Timing::AfterEnd(0),
        ] {
            let (name, hours) = timing.parts();
            assert_eq!(Timing::of_parts(name, hours), Some(timing));
        }
        assert_eq!(Timing::of_parts("now", Some(1)), None);
    }
}
