//! An event that is to be added.

use crate::domain::{account::Account, audit::AuditEntry, event::Event};

/// An event that is to be added, and what belongs to it.
#[derive(Debug, Clone, Copy)]
pub struct Addition<'a> {
    /// The event.
    pub event: &'a Event,
    /// Whether it is in the catalogue.
    pub live: bool,
    /// Its entry in the audit log.
    pub entry: Option<&'a AuditEntry>,
    /// What else to do without a transaction around it.
    pub alone: Option<Alone<'a>>,
}

/// What a transaction would do before it adds an event.
#[derive(Debug, Clone, Copy)]
pub struct Alone<'a> {
    /// The account as it was when it was read. Nothing is added if its plan or time zone has changed since, or if it was suspended or removed.
    pub account: &'a Account,
    /// What the event's slug is if its own is taken.
    pub other_slug: &'a str,
}
