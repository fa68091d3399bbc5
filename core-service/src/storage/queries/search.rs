//! The catalogue's search: its pages, and its index as far as older versions left it behind.

use std::collections::BTreeMap;

use sqlx::Row as _;
use uuid::Uuid;

use super::{
    Connection, Db, Input, Row, entries,
    events::{self, counter_columns, event_columns, read_all},
    matches,
};
use crate::{
    domain::{
        catalogue::{CatalogueEntry, CatalogueFilter, MOST_MATCHES},
        event::Event,
        ids::EventId,
        instant::Instant,
        registration::Counters,
    },
    storage::{
        CatalogueMatches, Error,
        values::{self, MatchPage},
    },
};

pub(in crate::storage) async fn search_catalogue(
    connection: &mut Connection,
    filter: &CatalogueFilter,
    now: Instant,
    limit: i64,
    offset: i64,
) -> Result<CatalogueMatches, Error> {
    // Beyond the matches that are counted there are no pages.
    let limit = limit.min(i64::from(MOST_MATCHES) - offset).max(0);
    let page = matches::page(connection, filter, now, limit, offset).await?;
    Ok(CatalogueMatches {
        events: read_in_order(connection, &page.events).await?,
        matches: page.matches,
    })
}

async fn read_in_order(
    connection: &mut Connection,
    ids: &[EventId],
) -> Result<Vec<(Event, Counters)>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Input::default()
        .column("event_id", ids.iter().map(|id| id.uuid()))
        .fetch(
            connection,
            concat!(
                "SELECT ",
                event_columns!(),
                ", ",
                counter_columns!(),
                " FROM input JOIN events e ON e.id = input.event_id \
                 JOIN event_counters c ON c.event_id = e.id"
            ),
        )
        .await?;
    let mut read = read_all(&rows)?;
    read.sort_by_key(|(event, _)| (event.schedule.start.at, event.id));
    Ok(read)
}

/// Reads the rows of a statement that answers the number of matches beside each id of the page, or beside null on an empty page.
pub(super) fn read_page(rows: &[Row]) -> Result<MatchPage, Error> {
    let mut page = MatchPage::default();
    for row in rows {
        page.matches = row.try_get("matches")?;
        let id: Option<Uuid> = row.try_get("event_id")?;
        page.events.extend(id.map(EventId::new));
    }
    Ok(page)
}

pub(in crate::storage) async fn has_events_to_index(
    connection: &mut Connection,
) -> Result<bool, Error> {
    let row = sqlx::query::<Db>(
        "SELECT EXISTS (SELECT 1 FROM events WHERE indexed_as_of <> updated_at) AS found",
    )
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("found")?)
}

pub(in crate::storage) async fn index_events(
    connection: &mut Connection,
    limit: i64,
) -> Result<u64, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "SELECT ",
        event_columns!(),
        ", e.live FROM events e WHERE e.indexed_as_of <> e.updated_at ORDER BY e.id LIMIT $1",
        skip_locked!()
    ))
    .bind(limit)
    .fetch_all(&mut *connection)
    .await?;
    let mut live = Vec::new();
    let mut others = Vec::new();
    let mut texts = BTreeMap::new();
    for row in &rows {
        let event = events::read(row)?;
        texts.insert(event.id.uuid(), values::event_search_text(&event));
        if row.try_get("live")? {
            live.push(CatalogueEntry::of(&event));
        } else {
            others.push(event.id);
        }
    }
    if texts.is_empty() {
        return Ok(0);
    }
    entries::put(connection, &live).await?;
    entries::remove(connection, &others).await?;
    // The text for the owner's search is as old as the entry, and so the row is written once.
    Input::default()
        .column("event_id", texts.keys().copied())
        .column("search_text", texts.values().map(String::as_str))
        .execute(
            connection,
            "UPDATE events SET indexed_as_of = updated_at, search_text = input.search_text FROM input \
             WHERE events.id = input.event_id",
        )
        .await
}
