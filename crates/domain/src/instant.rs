//! A moment in time, to the microsecond, as it is stored.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::Offset};

/// The moment that instants count from, as a UTC clock shows it.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// The seconds of a day.
pub const DAY_SECONDS: i64 = 86_400;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// Microseconds since 1970-01-01T00:00:00Z. Both engines store this number, so that they sort and compare alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

impl Instant {
    /// The moment that many microseconds after the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The moment `seconds` later.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(
            self.0
                .saturating_add(seconds.saturating_mul(MICROS_PER_SECOND)),
        )
    }

    /// The same without its fraction of a second, for what is only "about when".
    #[must_use]
    pub const fn to_the_second(self) -> Self {
        Self(self.0.div_euclid(MICROS_PER_SECOND) * MICROS_PER_SECOND)
    }

    /// The moment at which a UTC clock shows `civil`; truncated to microseconds.
    pub fn from_utc(civil: DateTime) -> Self {
        let since = civil.duration_since(EPOCH);
        // Civil time ends with the year 9999, far inside i64 microseconds.
        Self(since.as_secs() * MICROS_PER_SECOND + i64::from(since.subsec_micros()))
    }

    /// What a UTC clock shows, at most the years -9999 to 9999.
    pub fn to_utc(self) -> DateTime {
        match Timestamp::from_microsecond(self.0) {
            // By far faster than adding to a date.
            Ok(timestamp) => Offset::UTC.to_datetime(timestamp),
            // The days at both ends that a timestamp cannot have.
            Err(_) => EPOCH.saturating_add(SignedDuration::from_micros(self.0)),
        }
    }
}

impl From<Timestamp> for Instant {
    /// Truncates to microseconds.
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp.as_microsecond())
    }
}

impl From<Instant> for SystemTime {
    /// A moment before 1970 becomes its first.
    fn from(instant: Instant) -> Self {
        let micros = u64::try_from(instant.0).unwrap_or(0);
        Self::UNIX_EPOCH + Duration::from_micros(micros)
    }
}

impl fmt::Display for Instant {
    /// RFC 3339 in UTC, with a fraction only when there is one: `2027-05-01T18:00:00Z`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}Z", self.to_utc())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_prints_as_rfc_3339_in_utc() {
        for (micros, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (1_500_000, "1970-01-01T00:00:01.5Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00Z"),
        ] {
            let instant = Instant::from_micros(micros);
            assert_eq!(instant.to_string(), text);
            assert_eq!(Instant::from_utc(instant.to_utc()), instant);
        }
    }
}
