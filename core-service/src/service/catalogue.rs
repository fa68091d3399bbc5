//! The public catalogue.

mod organizers;
mod sitemaps;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::{
    account::OrganizerName,
    catalogue::{CatalogueFilter, MAX_MATCHES},
    clock::Clock,
    event::{Event, WindowState},
    ids::AccountId,
    registration::Counters,
    slug,
};
use storage::{Reads, Store, StoredCover};

use super::{Commands, Error};

pub use organizers::{OrganizerPage, ShownBy};
pub use sitemaps::SitemapPage;

/// An event as the public sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicEvent {
    /// The event.
    pub event: Event,
    /// How many seats the next people who register can get.
    pub seats_left: i32,
    /// Who organizes it.
    pub organizer: ShownBy,
}

/// Cities that a form can suggest.
const MAX_CITIES: i64 = 300;

/// A page of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueView {
    /// The events, earliest start first.
    pub events: Vec<PublicEvent>,
    /// The number of all public events that match.
    pub count: i32,
    /// Whether `count` is exact. If not, more match.
    pub count_is_exact: bool,
    /// Where the next page begins; `None` on the last page.
    pub next_offset: Option<i32>,
}

impl CatalogueView {
    /// A list of nothing.
    const fn empty() -> Self {
        Self {
            events: Vec::new(),
            count: 0,
            count_is_exact: true,
            next_offset: None,
        }
    }
}

/// An event with what its page shows, in any state but a draft's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageView {
    /// The event.
    pub event: Event,
    /// Who organizes it.
    pub organizer: ShownBy,
    /// Its registrations by status.
    pub counters: Counters,
    /// Whether it is over.
    pub is_ended: bool,
    /// Whether it takes place now.
    pub is_running: bool,
    /// Whether people can register.
    pub window: WindowState,
}

/// An event's cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoverView {
    /// A photograph, or a picture that the organizer sent.
    Photo(StoredCover),
    /// Drawn, with this content.
    Drawn(CoverWords),
}

/// The content of a drawn cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverWords {
    /// The event's title.
    pub title: String,
    /// The owner's words for a picture; empty if there are none.
    pub image_query: String,
    /// Which of the pictures that the words have, from 1.
    pub image_variant: i32,
    /// The wall time of its start.
    pub starts: Option<jiff::civil::DateTime>,
    /// The city, if it has one.
    pub city: Option<String>,
}

/// Use cases about the public catalogue.
#[derive(Debug, Clone)]
pub struct Catalogue {
    store: Store,
    clock: Clock,
    /// Whether the search index was complete once. After that, only events that an older core changes wait for it, and only until
    /// the next maintenance.
    is_indexed: Arc<AtomicBool>,
}

impl Catalogue {
    /// The catalogue on the same database as `commands`.
    pub fn new(commands: &Commands) -> Self {
        let (store, clock) = (commands.store().clone(), commands.clock().clone());
        Self {
            is_indexed: Arc::default(),
            store,
            clock,
        }
    }

    /// A page of the public events.
    pub async fn list(&self, limit: i32, offset: i32) -> Result<CatalogueView, Error> {
        let (store, now) = (&self.store, self.clock.now());
        let count = saturated(store.count_live_events(now).await?);
        let found = store.list_live_events(now, limit.into(), offset.into());
        let found = found.await?;
        Ok(CatalogueView {
            next_offset: next_offset(offset, found.len(), count),
            events: self.shown(found).await?,
            count,
            count_is_exact: true,
        })
    }

    /// A page of the public events that match a filter.
    pub async fn search(
        &self,
        filter: &CatalogueFilter,
        limit: i32,
        offset: i32,
    ) -> Result<CatalogueView, Error> {
        self.require_index().await?;
        let (now, limit) = (self.clock.now(), limit.into());
        let found = self
            .store
            .search_catalogue(filter, now, limit, offset.into());
        let found = found.await?;
        let matches = saturated(found.matches);
        let count = matches.min(MAX_MATCHES);
        Ok(CatalogueView {
            next_offset: next_offset(offset, found.events.len(), count),
            events: self.shown(found.events).await?,
            count,
            count_is_exact: matches <= MAX_MATCHES,
        })
    }

    /// The cities of the public events, in alphabetical order; the first ones if there are very many.
    pub async fn cities(&self) -> Result<Vec<String>, Error> {
        Ok(self.store.list_cities(MAX_CITIES).await?)
    }

    /// Refuses searches until the events of before an upgrade are in the index: an incomplete answer would be a wrong one.
    async fn require_index(&self) -> Result<(), Error> {
        if self.is_indexed.load(Ordering::Relaxed) {
            return Ok(());
        }
        if self.store.has_events_to_index().await? {
            return Err(Error::IndexIncomplete);
        }
        self.is_indexed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// One public event; found only if the catalogue has it.
    pub async fn get(&self, slug: &str) -> Result<PublicEvent, Error> {
        let (event, counters) = self.find_live(slug).await?.ok_or(Error::NO_EVENT)?;
        Ok(PublicEvent {
            seats_left: counters.seats_left(event.max_capacity),
            organizer: organizer(&self.store, &event).await?,
            event,
        })
    }

    /// An event's page, also of unlisted, cancelled and ended events, but not of drafts.
    pub async fn page(&self, slug: &str) -> Result<PageView, Error> {
        let (event, counters) = self.find_shown(slug).await?;
        let now = self.clock.now();
        Ok(PageView {
            organizer: organizer(&self.store, &event).await?,
            is_ended: event.has_ended(now),
            is_running: event.is_running(now),
            window: event.window.state(now, event.schedule.start),
            event,
            counters,
        })
    }

    /// An event's cover, also for unlisted, cancelled and ended events, whose pages are still reachable, but not for drafts.
    pub async fn cover(&self, slug: &str) -> Result<CoverView, Error> {
        let (event, _) = self.find_shown(slug).await?;
        if event.has_own_cover
            && let Some(cover) = self.store.find_own_cover(event.id).await?
        {
            return Ok(CoverView::Photo(cover));
        }
        if event.image_credit.is_some()
            && let Some(cover) = self.store.find_stock_cover(event.id).await?
        {
            return Ok(CoverView::Photo(cover));
        }
        Ok(CoverView::Drawn(CoverWords {
            image_query: event.image_query.unwrap_or_default(),
            image_variant: event.image_variant,
            title: event.title,
            starts: Some(event.schedule.start.local),
            city: event.city,
        }))
    }

    async fn shown(&self, found: Vec<(Event, Counters)>) -> Result<Vec<PublicEvent>, Error> {
        let names = organizer_names(&self.store, found.iter().map(|(event, _)| event)).await?;
        let shown = |(event, counters): (Event, Counters)| PublicEvent {
            seats_left: counters.seats_left(event.max_capacity),
            organizer: ShownBy::of(&event, names.get(&event.account_id)),
            event,
        };
        Ok(found.into_iter().map(shown).collect())
    }

    /// An event of the catalogue.
    async fn find_live(&self, slug: &str) -> Result<Option<(Event, Counters)>, Error> {
        let found = self.find(slug).await?;
        Ok(found.filter(|(event, _)| event.is_live(self.clock.now())))
    }

    /// An event that has a page, in the catalogue or not.
    async fn find_shown(&self, slug: &str) -> Result<(Event, Counters), Error> {
        let found = self.find(slug).await?;
        let found = found.filter(|(event, _)| event.is_shown());
        found.ok_or(Error::NO_EVENT)
    }

    async fn find(&self, slug: &str) -> Result<Option<(Event, Counters)>, Error> {
        // People write addresses in any case; slugs have one.
        let slug = slug.to_ascii_lowercase();
        if !slug::is_possible(&slug) {
            return Ok(None);
        }
        Ok(self.store.find_event_and_counters(&slug).await?)
    }
}

/// How many seats the next people who register can get.
pub(super) async fn seats_left(store: &Store, event: &Event) -> Result<i32, Error> {
    let counters = counters(store, event).await?;
    Ok(counters.seats_left(event.max_capacity))
}

/// How many registered for an event, and came.
pub(super) async fn counters(store: &Store, event: &Event) -> Result<Counters, Error> {
    let found = store.list_counters(&[event.id]).await?;
    let found = found.into_iter().next();
    Ok(found.map(|(_, counters)| counters).unwrap_or_default())
}

/// Who organizes an event.
pub(super) async fn organizer(reads: &Reads, event: &Event) -> Result<ShownBy, Error> {
    let names = organizer_names(reads, [event]).await?;
    Ok(ShownBy::of(event, names.get(&event.account_id)))
}

/// The accounts of events.
async fn organizer_names<'e>(
    reads: &Reads,
    events: impl IntoIterator<Item = &'e Event>,
) -> Result<HashMap<AccountId, OrganizerName>, Error> {
    let accounts: HashSet<_> = events.into_iter().map(|event| event.account_id).collect();
    if accounts.is_empty() {
        return Ok(HashMap::new());
    }
    let accounts: Vec<_> = accounts.into_iter().collect();
    Ok(reads.list_organizer_names(&accounts).await?)
}

/// Numbers in the API are int32; a larger count becomes the largest.
pub(super) fn saturated(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// A page without events is the last one even if the count differs, since they are read one after the other.
fn next_offset(offset: i32, on_page: usize, count: i32) -> Option<i32> {
    let next = offset.checked_add(i32::try_from(on_page).ok()?)?;
    (on_page > 0 && next < count).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leads_to_the_next_while_there_is_more() {
        assert_eq!(next_offset(0, 50, 51), Some(50));
        assert_eq!(next_offset(0, 50, 50), None);
        assert_eq!(next_offset(50, 1, 51), None);
        assert_eq!(next_offset(200, 0, 51), None);
        assert_eq!(next_offset(0, 0, 51), None);
        assert_eq!(next_offset(i32::MAX, 1, i32::MAX), None);
    }
}
