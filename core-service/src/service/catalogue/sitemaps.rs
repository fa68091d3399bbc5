//! The catalogue for sitemaps.

use domain::catalogue::{EventAddress, SITEMAP_EVENTS, Sitemap, SitemapCursor};

use super::Catalogue;
use crate::service::Error;

/// Events of a page: about a megabyte.
const PAGE_EVENTS: i64 = 10_000;

/// A part of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapPage {
    /// The events.
    pub events: Vec<EventAddress>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<SitemapCursor>,
}

impl Catalogue {
    /// The sitemaps, by number.
    pub async fn sitemaps(&self) -> Result<Vec<Sitemap>, Error> {
        Ok(self.store.list_sitemaps(self.clock.now()).await?)
    }

    /// The events of a sitemap, from the beginning or from a cursor. Numbers count from 1.
    pub async fn sitemap_page(
        &self,
        number: i32,
        cursor: Option<&SitemapCursor>,
    ) -> Result<SitemapPage, Error> {
        let listed = cursor.map_or(0, |cursor| cursor.listed);
        let limit = PAGE_EVENTS.min(SITEMAP_EVENTS - listed);
        let offset = match cursor {
            Some(_) => 0,
            None => i64::from(number - 1) * SITEMAP_EVENTS,
        };
        let after = cursor.map(|cursor| &*cursor.after);
        let now = self.clock.now();
        let events = self
            .store
            .list_event_addresses(now, after, limit, offset)
            .await?;
        let on_page = i64::try_from(events.len()).unwrap_or(i64::MAX);
        let listed = listed.saturating_add(on_page);
        let is_last = on_page < limit || listed >= SITEMAP_EVENTS;
        let next = events.last().filter(|_| !is_last);
        Ok(SitemapPage {
            next: next.map(|last| SitemapCursor {
                listed,
                after: last.slug.clone(),
            }),
            events,
        })
    }
}
