//! What an event can be found by.

use std::collections::BTreeSet;

use super::search_words;
use crate::{
    event::Event,
    ids::{AccountId, EventId, SeriesId},
    instant::Instant,
};

/// An event of the catalogue as its search sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// The event.
    pub event: EventId,
    /// When it starts.
    pub start_at: Instant,
    /// The wall time of its start in its own zone, as if a UTC clock showed it.
    pub start_local: Instant,
    /// When it is over.
    pub effective_end: Instant,
    /// The folded words of its title, description, location and city.
    pub words: BTreeSet<String>,
    /// Its folded city.
    pub city: Option<String>,
    /// The account that organizes it.
    pub organizer: AccountId,
    /// The series that it is one date of.
    pub series: Option<SeriesId>,
}

impl CatalogueEntry {
    /// The entry of an event.
    pub fn of(event: &Event) -> Self {
        // A private location must not be found either.
        let event = &event.for_public();
        let city = event.city.as_deref();
        let texts = [&*event.title, &*event.description, &*event.location];
        Self {
            event: event.id,
            start_at: event.schedule.start.at,
            start_local: Instant::from_utc(event.schedule.start.local),
            effective_end: event.schedule.effective_end(),
            words: search_words::indexed(texts.into_iter().chain(city)),
            city: city.and_then(search_words::name),
            organizer: event.account_id,
            series: event.series,
        }
    }
}
