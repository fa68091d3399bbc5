//! The catalogue's search: its pages, and its index as far as older versions left it behind.
//!
//! The index differs: SQLite has FTS5 over folded words, PostgreSQL has GIN over a vector of them.

use domain::{
    catalogue::{CatalogueEntry, CatalogueFilter, MAX_MATCHES},
    event::Event,
    ids::EventId,
    instant::Instant,
    registration::Counters,
};

use crate::{
    CatalogueMatches, Error, Reads, Store, Tx,
    input::Input,
    reads::Batch,
    record::Record as _,
    sql::{Dialect, SKIP_LOCKED, sql},
    values::{self, MatchPage},
};

impl Store {
    /// Returns a page of the events in the catalogue that match a filter, by start, then id. There are pages of the first
    /// [`MAX_MATCHES`] only.
    pub async fn search_catalogue(
        &self,
        filter: &CatalogueFilter,
        now: Instant,
        limit: i64,
        offset: i64,
    ) -> Result<CatalogueMatches, Error> {
        // Beyond the matches that are counted there are no pages.
        let limit = limit.min(i64::from(MAX_MATCHES) - offset).max(0);
        let reads = self.begin_read().await?;
        let page = match reads.dialect() {
            Dialect::Sqlite => reads.fts5_page(filter, now, limit, offset).await?,
            Dialect::Postgres => reads.gin_page(filter, now, limit, offset).await?,
        };
        Ok(CatalogueMatches {
            events: reads.list_with_counters(&page.events).await?,
            matches: page.matches,
        })
    }
}

impl Reads {
    /// Returns these events by start, then id.
    async fn list_with_counters(&self, ids: &[EventId]) -> Result<Vec<(Event, Counters)>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!(
            "SELECT {}, {} FROM input JOIN events e ON e.id = input.event_id JOIN event_counters c ON c.event_id = e.id",
            Event::COLUMNS,
            Counters::COLUMNS,
        );
        let input = Input::of(ids).column("event_id", |id| id);
        let mut found: Vec<(Event, Counters)> = self.all(statement, input).await?;
        found.sort_by_key(|(event, _)| (event.schedule.start.at, event.id));
        Ok(found)
    }

    /// Returns whether events wait for [`Tx::index_events`], so that searches may miss some.
    pub async fn has_events_to_index(&self) -> Result<bool, Error> {
        let statement =
            sql!("SELECT EXISTS (SELECT 1 FROM events WHERE indexed_as_of <> updated_at)");
        self.one(statement, ()).await
    }
}

/// Makes a page of rows that have the number of matches beside each id, or beside null on an empty page.
pub(super) fn page_of(rows: Vec<(i64, Option<EventId>)>) -> MatchPage {
    let mut page = MatchPage::default();
    for (matches, event) in rows {
        page.matches = matches;
        page.events.extend(event);
    }
    page
}

impl Tx {
    /// Adds entries to the index, instead of those that the events had.
    pub(super) async fn put_entries(&mut self, entries: &[CatalogueEntry]) -> Result<(), Error> {
        match self.dialect() {
            Dialect::Sqlite => self.put_fts5_entries(entries).await,
            Dialect::Postgres => self.put_gin_entries(entries).await,
        }
    }

    /// Removes the entries of events, as far as they have one.
    pub(super) async fn remove_entries(&mut self, events: &[EventId]) -> Result<(), Error> {
        match self.dialect() {
            Dialect::Sqlite => self.remove_fts5_entries(events).await,
            Dialect::Postgres => self.remove_gin_entries(events).await,
        }
    }

    /// Brings the search index up to date for at most `limit` events that other versions wrote; returns their number. Events that cannot be
    /// read leave the index.
    pub async fn index_events(&mut self, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "SELECT {}, e.live FROM events e WHERE e.indexed_as_of <> e.updated_at ORDER BY e.id LIMIT $1{}",
            Event::COLUMNS,
            SKIP_LOCKED,
        );
        let Batch { rows, unreadable }: Batch<(Event, bool), EventId> =
            self.batch("events", statement, [limit]).await?;
        let (live, others): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, live)| *live);
        let live: Vec<_> = live
            .iter()
            .map(|(event, _)| CatalogueEntry::of(event))
            .collect();
        let others = others.iter().map(|(event, _)| event.id);
        let others: Vec<_> = others.chain(unreadable.iter().copied()).collect();
        let texts = rows
            .iter()
            .map(|(event, _)| (event.id, Some(values::event_search_text(event))));
        let texts: Vec<_> = texts
            .chain(unreadable.into_iter().map(|id| (id, None)))
            .collect();
        if texts.is_empty() {
            return Ok(0);
        }
        self.put_entries(&live).await?;
        self.remove_entries(&others).await?;
        // The text for the owner's search is as old as the entry, and so the row is written once.
        let statement = sql!(
            "UPDATE events SET indexed_as_of = updated_at, search_text = COALESCE(input.search_text, events.search_text, '') FROM input \
             WHERE events.id = input.event_id"
        );
        let input = Input::of(&texts)
            .column("event_id", |(id, _)| id)
            .column("search_text", |(_, text)| text.as_deref());
        self.execute(statement, input).await
    }
}
