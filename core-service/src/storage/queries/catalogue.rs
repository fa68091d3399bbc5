//! The public catalogue: live events and their total.

use sqlx::Row as _;
use uuid::Uuid;

use super::{
    Connection, Db, entries,
    events::{self, counter_columns, event_columns},
};
use crate::{
    domain::{event::Event, ids::EventId, instant::Instant, registration::Counters},
    storage::{
        Error,
        values::{SHARDS, shard},
    },
};

/// The page is chosen from the index alone, and only its rows are read: this makes an offset of 500,000 ten times as fast.
pub(in crate::storage) async fn list_live_events(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
    offset: i64,
) -> Result<Vec<(Event, Counters)>, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "SELECT ",
        event_columns!(),
        ", ",
        counter_columns!(),
        " FROM (SELECT id, start_at, ",
        row!(),
        " AS event_row FROM events WHERE live = TRUE AND effective_end > $1 \
          ORDER BY start_at, id LIMIT $2 OFFSET $3) page JOIN events e ON e.",
        row!(),
        " = page.event_row JOIN event_counters c ON c.event_id = page.id ORDER BY page.start_at, page.id"
    ))
    .bind(now.micros())
    .bind(limit)
    .bind(offset)
    .fetch_all(connection)
    .await?;
    events::read_all(&rows)
}

/// It reads sixteen rows and the events that ended since the last sweep, instead of the whole catalogue.
pub(in crate::storage) async fn count_live_events(
    connection: &mut Connection,
    now: Instant,
) -> Result<i64, Error> {
    let row = sqlx::query::<Db>(
        "SELECT CAST((SELECT coalesce(sum(live), 0) FROM catalogue_totals) \
         - (SELECT count(*) FROM events WHERE live = TRUE AND effective_end <= $1) AS BIGINT) AS total",
    )
    .bind(now.micros())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("total")?)
}

pub(in crate::storage) async fn find_event_by_slug(
    connection: &mut Connection,
    slug: &str,
) -> Result<Option<Event>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        event_columns!(),
        " FROM events e WHERE e.slug = $1"
    ))
    .bind(slug)
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(events::read)
    .transpose()
}

pub(in crate::storage) async fn find_event_and_counters(
    connection: &mut Connection,
    slug: &str,
) -> Result<Option<(Event, Counters)>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        event_columns!(),
        ", ",
        counter_columns!(),
        " FROM events e JOIN event_counters c ON c.event_id = e.id WHERE e.slug = $1"
    ))
    .bind(slug)
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(events::read_with_counters)
    .transpose()
}

/// Sets the flag and, when that changes it, the total. The flag is compared in the statement, since the sweeper may have
/// cleared it after the event was read.
pub(super) async fn set_live(
    connection: &mut Connection,
    event: EventId,
    live: bool,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>("UPDATE events SET live = $2 WHERE id = $1 AND live <> $2")
        .bind(event.uuid())
        .bind(live)
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(());
    }
    move_total(connection, shard(event.uuid()), if live { 1 } else { -1 }).await
}

/// Counts an event that was added as live.
pub(super) async fn count_new(connection: &mut Connection, event: EventId) -> Result<(), Error> {
    move_total(connection, shard(event.uuid()), 1).await
}

async fn move_total(connection: &mut Connection, shard: u8, delta: i64) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE catalogue_totals SET live = live + $2 WHERE shard = $1")
        .bind(i32::from(shard))
        .bind(delta)
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn unlist_ended_events(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "WITH ended AS MATERIALIZED (SELECT id FROM events WHERE live = TRUE AND effective_end <= $1 \
         ORDER BY effective_end LIMIT $2",
        skip_locked!(),
        ") UPDATE events SET live = FALSE FROM ended WHERE events.id = ended.id RETURNING events.id AS id"
    ))
    .bind(now.micros())
    .bind(limit)
    .fetch_all(&mut *connection)
    .await?;
    let mut ended = [0_i64; SHARDS as usize];
    let mut ids = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: Uuid = row.try_get("id")?;
        ids.push(EventId::new(id));
        if let Some(count) = ended.get_mut(usize::from(shard(id))) {
            *count += 1;
        }
    }
    entries::remove(connection, &ids).await?;
    for (shard, count) in (0..SHARDS).zip(ended) {
        if count > 0 {
            move_total(connection, shard, -count).await?;
        }
    }
    Ok(rows.len() as u64)
}
