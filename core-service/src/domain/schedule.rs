//! When an event takes place: instant, wall time and zone.

use super::instant::Instant;

/// A date-time of an event, stored three ways so that none has to be derived from rules that may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTime {
    /// The instant.
    pub at: Instant,
    /// What a clock on the wall of the event's zone shows.
    pub local: jiff::civil::DateTime,
}

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

impl Schedule {
    /// The end, or the start when there is none (design.md 3.2).
    pub fn effective_end(&self) -> Instant {
        self.end.unwrap_or(self.start).at
    }
}
