//! What a list of an account's events shows of each.

use crate::{cursor::Place, ids::EventId, schedule::Schedule};

/// An event in its owner's list. It is read without what lists do not show, such as descriptions and questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEvent {
    /// Its identifier.
    pub id: EventId,
    /// Its public identifier in paths.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// When it takes place.
    pub schedule: Schedule,
    /// Seats.
    pub max_capacity: i32,
    /// Whether it is published.
    pub is_published: bool,
    /// Whether it is cancelled.
    pub is_cancelled: bool,
    /// The number of its registrations that are not cancelled.
    pub registrations: i32,
    /// The number of those that hold seats.
    pub confirmed: i32,
    /// The people of these.
    pub seats_taken: i32,
    /// The number of those on the waitlist.
    pub waitlisted: i32,
}

impl ListedEvent {
    /// Its place in lists, which are in the order of starts.
    pub const fn place(&self) -> Place {
        Place {
            key: self.schedule.start.at.micros(),
            id: self.id.uuid(),
        }
    }
}
