//! What decides what the catalogue shows: how many changes there were, when the next event ends, and of which events another number of
//! seats is left.

use sqlx::Row as _;

use super::{Connection, Db, Row, seat_changes};
use crate::{
    domain::{
        catalogue::{CatalogueState, CatalogueVersion, ShardVersion},
        ids::EventId,
        instant::Instant,
    },
    storage::{Error, values::shard},
};

/// All of it as of one moment: a reader that has seen a change has seen all that were committed before it.
pub(in crate::storage) async fn catalogue_state(
    connection: &mut Connection,
    now: Instant,
) -> Result<CatalogueState, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT s.shard, t.version, s.version, \
         (SELECT min(effective_end) FROM events WHERE live = TRUE AND effective_end > $1) \
         FROM seat_versions s JOIN catalogue_totals t ON t.shard = s.shard ORDER BY s.shard",
    )
    .bind(now.micros())
    .fetch_all(connection)
    .await?;
    let next_end: Option<i64> = match rows.first() {
        Some(row) => row.try_get(3)?,
        None => None,
    };
    Ok(CatalogueState {
        version: version(&rows)?,
        next_end: next_end.map(Instant::from_micros),
    })
}

/// The numbers of changes alone.
pub(in crate::storage) async fn catalogue_shards(
    connection: &mut Connection,
) -> Result<CatalogueVersion, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT s.shard, t.version, s.version \
         FROM seat_versions s JOIN catalogue_totals t ON t.shard = s.shard ORDER BY s.shard",
    )
    .fetch_all(connection)
    .await?;
    version(&rows)
}

fn version(rows: &[Row]) -> Result<CatalogueVersion, Error> {
    let shard = |row: &Row| {
        Ok(ShardVersion {
            shard: row.try_get(0)?,
            catalogue: row.try_get(1)?,
            seats: row.try_get(2)?,
        })
    };
    let shards: Result<_, sqlx::Error> = rows.iter().map(shard).collect();
    Ok(CatalogueVersion(shards?))
}

/// It is taken last, and so held for the shortest time, after the catalogue's own.
pub(in crate::storage) async fn raise_seat_versions(
    connection: &mut Connection,
    events: &[EventId],
) -> Result<(), Error> {
    let shards = events.iter().map(|event| shard(event.uuid()).into());
    seat_changes::put(connection, events, shards.collect()).await
}

pub(in crate::storage) async fn list_seat_changes(
    connection: &mut Connection,
    known: &[ShardVersion],
    limit: i64,
) -> Result<Vec<String>, Error> {
    let mut slugs = Vec::new();
    for ShardVersion { shard, seats, .. } in known {
        let left = limit - i64::try_from(slugs.len()).unwrap_or(limit);
        let rows = sqlx::query::<Db>(
            "SELECT e.slug FROM seat_changes s JOIN events e ON e.id = s.event_id \
             WHERE s.shard = $1 AND s.version > $2 LIMIT $3",
        )
        .bind(shard)
        .bind(seats)
        .bind(left)
        .fetch_all(&mut *connection)
        .await?;
        for row in &rows {
            slugs.push(row.try_get("slug")?);
        }
    }
    Ok(slugs)
}
