//! What a list of an account's events shows of each.

use crate::domain::{cursor::Place, ids::EventId, instant::Instant, schedule::EventTime};

/// An event in its owner's list. It is read without what lists do not show, such as descriptions and questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEvent {
    /// Its identifier.
    pub id: EventId,
    /// Its public identifier in paths.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// When it begins.
    pub start: EventTime,
    /// Seats.
    pub max_capacity: i32,
    /// Whether it is published.
    pub is_published: bool,
    /// Whether it is cancelled.
    pub is_cancelled: bool,
    /// The number of its registrations that are not cancelled.
    pub registrations: i32,
}

impl ListedEvent {
    /// Its place in lists, which are in the order of starts.
    pub const fn place(&self) -> Place {
        Place {
            key: self.start.at.micros(),
            id: self.id.uuid(),
        }
    }
}

/// How many changes of events and of their seats were committed, in all accounts, as of one moment. The numbers only grow, and a reader that
/// sees one sees all changes up to it, so the same events have the same version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventsVersion {
    /// Changes of events.
    pub edits: i64,
    /// Changes of how many people are registered.
    pub seats: i64,
}

/// As long as what was read of an account's events is what would be read now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    /// What it was read from.
    pub version: EventsVersion,
    /// When the first of them ends that are listed because they have not.
    pub until: Option<Instant>,
}

impl Holds {
    /// Whether it holds at a moment, when the events had that version.
    pub fn at(&self, now: Instant, version: EventsVersion) -> bool {
        self.version == version && self.until.is_none_or(|until| now < until)
    }
}
