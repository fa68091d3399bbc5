//! Events: what they hold and which states they may take.

use super::{
    ids::{AccountId, EventId},
    instant::Instant,
    schedule::Schedule,
};

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its identifier.
    pub id: EventId,
    /// Its owner.
    pub account_id: AccountId,
    /// Its public identifier in paths; never changes.
    pub slug: String,
    /// Title, 3 to 200 characters.
    pub title: String,
    /// Description, 1 to 20,000 characters.
    pub description: String,
    /// Where it takes place, 1 to 500 characters.
    pub location: String,
    /// City, at most 120 characters.
    pub city: Option<String>,
    /// When it takes place.
    pub schedule: Schedule,
    /// Seats, 1 to 10,000.
    pub max_capacity: i32,
    /// Whether it is published.
    pub is_published: bool,
    /// Whether a published event appears in the catalogue.
    pub is_listed: bool,
    /// Whether it is cancelled, which is final.
    pub is_cancelled: bool,
    /// Why it was cancelled.
    pub cancel_reason: Option<String>,
    /// When it was cancelled.
    pub cancelled_at: Option<Instant>,
    /// The words that its cover is made from; no cover when absent.
    pub image_query: Option<String>,
    /// What registrants are asked.
    pub custom_fields: Vec<CustomField>,
    /// Rises with each change of time or place; calendar entries carry it.
    pub sequence: i32,
    /// When it was created.
    pub created_at: Instant,
    /// When it was last changed.
    pub updated_at: Instant,
}

impl Event {
    /// Whether it is over: its effective end is not in the future.
    pub fn has_ended(&self, now: Instant) -> bool {
        self.schedule.effective_end() <= now
    }

    /// Whether it counts against its owner's quota; drafts do (design.md 3.13).
    pub fn is_active(&self, now: Instant) -> bool {
        !self.is_cancelled && !self.has_ended(now)
    }

    /// Whether the catalogue shows it: published, listed, not cancelled and not ended.
    pub fn is_live(&self, now: Instant) -> bool {
        self.is_published && self.is_listed && self.is_active(now)
    }
}

/// A question to registrants (design.md 3.18).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CustomField {
    /// The question, unique within its event.
    pub label: String,
    /// `text`, `integer`, `select`, `multi_select` or `checkbox`.
    pub field_type: String,
    /// Whether it must be answered.
    pub required: bool,
    /// The choices of `select` and `multi_select`.
    pub options: Vec<String>,
}
