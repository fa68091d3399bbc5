//! Between which moments something happened.

use super::{catalogue::Starts, instant::Instant, violation::Violations};

/// A period of time. Dates count in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first moment.
    pub from: Instant,
    /// The moment after the last.
    pub before: Instant,
}

impl Default for Period {
    /// All time.
    fn default() -> Self {
        Self {
            from: Instant::from_micros(i64::MIN),
            before: Instant::from_micros(i64::MAX),
        }
    }
}

impl Period {
    /// Reads the bounds of a list; an empty text is none. A date as `to` includes its day.
    pub fn read(from: Option<&str>, to: Option<&str>, violations: &mut Violations) -> Self {
        let given = |text: &&str| !text.is_empty();
        let starts = Starts::read(from.filter(given), to.filter(given), violations);
        // Of something in UTC, the wall time is the moment.
        Self {
            from: starts.from_at.max(starts.from_local),
            before: starts.before_at.min(starts.before_local),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(from: &str, to: &str) -> (String, String) {
        let mut violations = Violations::default();
        let period = Period::read(Some(from), Some(to), &mut violations);
        let period = violations.unless_any(Some(period)).unwrap();
        (period.from.to_string(), period.before.to_string())
    }

    #[test]
    fn a_date_is_a_day_in_utc() {
        let expected = (
            "2027-05-01T00:00:00Z".to_owned(),
            "2027-05-03T00:00:00Z".to_owned(),
        );
        assert_eq!(read("2027-05-01", "2027-05-02"), expected);
        assert_eq!(
            read("2027-05-01T02:00:00+02:00", "2027-05-03T00:00:00Z"),
            expected
        );
        let mut violations = Violations::default();
        assert_eq!(
            Period::read(Some(""), None, &mut violations),
            Period::default()
        );
    }
}
