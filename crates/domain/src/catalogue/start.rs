//! Between which starts events are looked for.

use std::str::FromStr;

use jiff::{
    civil::{Date, Time},
    fmt::temporal::Pieces,
};

use crate::{
    date_time::{InvalidTime, WrittenTime},
    instant::{DAY_SECONDS, Instant},
    violation::Violations,
};

/// The bounds of an event's start. Dates count in the event's own zone, so they bound its wall time; that they bound its moment as
/// well, to a day, is for indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Starts {
    /// The earliest moment.
    pub from_at: Instant,
    /// The moment before which it lies.
    pub before_at: Instant,
    /// The earliest wall time, as if a UTC clock showed it.
    pub from_local: Instant,
    /// The wall time before which it lies.
    pub before_local: Instant,
}

impl Default for Starts {
    /// Any start.
    fn default() -> Self {
        Self {
            from_at: Instant::from_micros(i64::MIN),
            before_at: Instant::from_micros(i64::MAX),
            from_local: Instant::from_micros(i64::MIN),
            before_local: Instant::from_micros(i64::MAX),
        }
    }
}

impl Starts {
    /// Whether some wall times are left out.
    pub fn bounds_wall_time(&self) -> bool {
        let any = Self::default();
        (self.from_local, self.before_local) != (any.from_local, any.before_local)
    }

    /// Reads the bounds of a search.
    pub fn read(from: Option<&str>, to: Option<&str>, violations: &mut Violations) -> Self {
        let mut starts = Self::default();
        let from = from.and_then(|text| violations.check("from", text.parse()));
        match from {
            Some(Bound::Date(date)) => {
                starts.from_local = midnight(date);
                starts.from_at = starts.from_local.plus_seconds(-DAY_SECONDS);
            }
            Some(Bound::Moment(at)) => starts.from_at = at,
            None => {}
        }
        let to = to.and_then(|text| violations.check("to", text.parse()));
        match to {
            Some(Bound::Date(date)) => {
                starts.before_local = midnight(date).plus_seconds(DAY_SECONDS);
                starts.before_at = starts.before_local.plus_seconds(DAY_SECONDS);
            }
            Some(Bound::Moment(at)) => starts.before_at = at,
            None => {}
        }
        if starts.from_at > starts.before_at || starts.from_local >= starts.before_local {
            violations.add("to", "must not be before from");
        }
        starts
    }
}

fn midnight(date: Date) -> Instant {
    Instant::from_utc(date.to_datetime(Time::midnight()))
}

/// A date or a moment in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Date(Date),
    Moment(Instant),
}

/// Why a text is neither a date nor a date-time with an offset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBound {
    /// Not ISO 8601, or a date that the calendar does not have.
    #[error(
        "must be a date or a date-time with an offset, for example 2027-05-01 or 2027-05-01T18:00:00+02:00; in a URL, write + as %2B"
    )]
    Form,
    /// A date-time without an offset.
    #[error(
        "must have an offset after the time, for example Z or +02:00, or be a date alone; in a URL, write + as %2B"
    )]
    NoOffset,
    /// A zone in brackets after the date-time.
    #[error("must not name a zone in brackets, since its offset says all")]
    Bracketed,
    /// Something else, which date-times of events must not be either.
    #[error("{0}")]
    Time(InvalidTime),
}

impl From<InvalidTime> for InvalidBound {
    fn from(invalid: InvalidTime) -> Self {
        match invalid {
            InvalidTime::Form => Self::Form,
            InvalidTime::Bracketed => Self::Bracketed,
            other => Self::Time(other),
        }
    }
}

impl FromStr for Bound {
    type Err = InvalidBound;

    fn from_str(text: &str) -> Result<Self, InvalidBound> {
        match text.parse::<WrittenTime>() {
            Ok(written) => {
                let moment = written.instant().ok_or(InvalidBound::NoOffset)?;
                Ok(Self::Moment(moment?))
            }
            Err(InvalidTime::DateOnly) => {
                let pieces = Pieces::parse(text).map_err(|_| InvalidBound::Form)?;
                let date = pieces.date();
                if date.year() < 1 {
                    return Err(InvalidTime::Year.into());
                }
                Ok(Self::Date(date))
            }
            Err(invalid) => Err(invalid.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(from: &str, to: &str) -> Result<Starts, Vec<(String, String)>> {
        let mut violations = Violations::default();
        let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
        let starts = Starts::read(given(from), given(to), &mut violations);
        violations.unless_any(Some(starts)).map_err(|violations| {
            let one = violations.into_iter();
            one.map(|one| (one.field, one.message)).collect()
        })
    }

    fn at(text: &str) -> Instant {
        match text.parse().unwrap() {
            Bound::Moment(at) => at,
            Bound::Date(date) => midnight(date),
        }
    }

    #[test]
    fn a_date_bounds_the_wall_time_and_includes_its_day() {
        for date in ["2027-05-01", "20270501"] {
            let day = read(date, date).unwrap();
            assert_eq!(day.from_local, at("2027-05-01T00:00Z"));
            assert_eq!(day.before_local, at("2027-05-02T00:00Z"));
            assert_eq!(day.from_at, at("2027-04-30T00:00Z"));
            assert_eq!(day.before_at, at("2027-05-03T00:00Z"));
        }
    }

    #[test]
    fn a_date_time_bounds_the_moment() {
        let starts = read("2027-05-01T18:00:00+02:00", "2027-05-01 19:00Z").unwrap();
        let expected = Starts {
            from_at: at("2027-05-01T16:00Z"),
            before_at: at("2027-05-01T19:00Z"),
            ..Starts::default()
        };
        assert_eq!(starts, expected);
        assert_eq!(read("", "").unwrap(), Starts::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        for (text, hint) in [
            ("tomorrow", "for example 2027-05-01"),
            ("2027-02-29", "for example 2027-05-01"),
            ("2027-05", "for example 2027-05-01"),
            ("01.05.2027", "for example 2027-05-01"),
            ("2027-05-01T18:00", "must have an offset"),
            ("2027-05-01T18:00:00 02:00", "write + as %2B"),
            ("2027-05-01T18:00:00+25:00", "with an offset"),
            ("2027-05-01T18:00+02:00[Europe/Berlin]", "in brackets"),
            ("-000001-01-01", "the years 1 to 9999"),
            ("0001-01-01T00:00+02:00", "the years 1 to 9999"),
        ] {
            for (from, to, field) in [(text, "", "from"), ("", text, "to")] {
                let said = read(from, to).unwrap_err();
                assert_eq!(said.len(), 1);
                assert_eq!(said[0].0, field, "{text}");
                assert!(said[0].1.contains(hint), "{text}: {}", said[0].1);
            }
        }
    }

    #[test]
    fn an_end_before_the_beginning_is_refused() {
        for (from, to) in [
            ("2027-05-02", "2027-05-01"),
            ("2027-05-01T10:00Z", "2027-05-01T09:59:59Z"),
            ("2027-05-03", "2027-05-01T00:00Z"),
            ("2027-05-03T00:00:01Z", "2027-05-01"),
        ] {
            let said = read(from, to).unwrap_err();
            assert_eq!(
                said,
                [("to".to_owned(), "must not be before from".to_owned())]
            );
        }
        for (from, to) in [
            ("2027-05-01", "2027-05-01"),
            ("2027-05-01T10:00Z", "2027-05-01T10:00Z"),
            // It is that date somewhere.
            ("2027-05-02", "2027-05-01T12:00Z"),
            ("0001-01-01", "9999-12-31"),
        ] {
            read(from, to).unwrap();
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = text.parse::<Bound>();
        }
    }
}
