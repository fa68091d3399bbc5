//! A moment in time, to the microsecond, as it is stored.

use jiff::Timestamp;

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
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }
}

impl From<Timestamp> for Instant {
    /// Cuts what is finer than a microsecond.
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp.as_microsecond())
    }
}
