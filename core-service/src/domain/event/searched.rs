//! What an owner's search looks at, for a core that keeps it, and how it changes.

use super::EventId;
use crate::domain::{cursor::Place, instant::Instant};

/// Changes that are read at once. After more, everything is read anew.
pub const MOST_CHANGES: usize = 5_000;

/// Numbers of changes of a shard, which begin at this times the shard (migration 0044 has the number, too).
pub const NUMBERS_OF_A_SHARD: i64 = 1 << 48;

/// What lists of an account's events and searches among them compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedEvent {
    /// The event, in the order of starts.
    pub place: Place,
    /// When it starts, in wall time.
    pub start_local: Instant,
    /// Its end, or its start if it has none.
    pub effective_end: Instant,
    /// Whether it is cancelled.
    pub is_cancelled: bool,
    /// Its folded text; `None` until core has folded it.
    pub text: Option<Box<str>>,
}

/// The last change of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventChange {
    /// The shard's number for it.
    pub number: i64,
    /// Which event.
    pub event: EventId,
    /// What it is now; `None` if it was deleted.
    pub now: Option<SearchedEvent>,
}

impl EventChange {
    /// The shard whose number it has.
    pub fn shard(&self) -> usize {
        usize::try_from(self.number / NUMBERS_OF_A_SHARD).unwrap_or(usize::MAX)
    }
}
