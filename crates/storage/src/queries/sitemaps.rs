//! The public catalogue in the order of creation, for sitemaps. All of it is read from one index, without the events' rows.

use domain::{
    catalogue::{EventAddress, SITEMAP_EVENTS, Sitemap},
    instant::Instant,
};
use uuid::Uuid;

use crate::{
    Error, Reads,
    record::{Record as _, record},
    sql::{Fragment, sql},
};

/// Names the index to read: SQLite would read all events' rows by another one, and sort them.
const EVENTS: Fragment = Fragment::per_dialect("events INDEXED BY events_in_sitemaps", "events");

record! {
    Sitemap as numbered { events = "count(*)", updated_at = "max(updated_at)" }
}

record! {
    EventAddress as events { slug, updated_at }
}

impl Reads {
    /// Returns the sitemaps of the catalogue: its live events that have not ended, by id, in parts of [`SITEMAP_EVENTS`].
    pub async fn list_sitemaps(&self, now: Instant) -> Result<Vec<Sitemap>, Error> {
        let statement = sql!(
            "SELECT {} FROM (SELECT updated_at, (row_number() OVER (ORDER BY id) - 1) / $2 AS place FROM {} \
             WHERE live = TRUE AND effective_end > $1) numbered GROUP BY place ORDER BY place",
            Sitemap::COLUMNS,
            EVENTS,
        );
        self.all(statement, (now, SITEMAP_EVENTS)).await
    }

    /// Returns events of the catalogue by id: those after the one with this slug, or all.
    pub async fn list_event_addresses(
        &self,
        now: Instant,
        after: Option<&str>,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<EventAddress>, Error> {
        let statement = sql!(
            "SELECT {} FROM {} WHERE live = TRUE AND effective_end > $1 \
             AND id > coalesce((SELECT id FROM events WHERE slug = $2), $3) ORDER BY id LIMIT $4 OFFSET $5",
            EventAddress::COLUMNS,
            EVENTS,
        );
        let values = (now, after, Uuid::nil(), limit, offset);
        self.all(statement, values).await
    }
}
