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
    storage::{CatalogueShards, Error, values::shard},
};

/// All of it as of one moment: a reader that has seen a change has seen all that were committed before it.
pub(in crate::storage) async fn catalogue_state(
    connection: &mut Connection,
    now: Instant,
) -> Result<CatalogueState, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT s.shard, s.version, t.version, \
         (SELECT min(effective_end) FROM events WHERE live = TRUE AND effective_end > $1) \
         FROM seat_versions s JOIN catalogue_totals t ON t.shard = s.shard ORDER BY s.shard",
    )
    .bind(now.micros())
    .fetch_all(connection)
    .await?;
    let (mut catalogue, mut next_end) = (0, None);
    let mut seats = Vec::with_capacity(rows.len());
    for row in &rows {
        seats.push(ShardVersion {
            shard: row.try_get(0)?,
            version: row.try_get(1)?,
        });
        catalogue += row.try_get::<i64, _>(2)?;
        next_end = row.try_get::<Option<i64>, _>(3)?;
    }
    Ok(CatalogueState {
        version: CatalogueVersion { catalogue, seats },
        next_end: next_end.map(Instant::from_micros),
    })
}

/// The numbers of changes for those who compare them shard by shard.
pub(in crate::storage) async fn catalogue_shards(
    connection: &mut Connection,
) -> Result<CatalogueShards, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT t.version AS catalogue, s.version AS seats FROM seat_versions s \
         JOIN catalogue_totals t ON t.shard = s.shard ORDER BY s.shard",
    )
    .fetch_all(connection)
    .await?;
    let pair = |row: &Row| Ok((row.try_get("catalogue")?, row.try_get("seats")?));
    let pairs: Result<_, sqlx::Error> = rows.iter().map(pair).collect();
    Ok(CatalogueShards(pairs?))
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
    for ShardVersion { shard, version } in known {
        let left = limit - i64::try_from(slugs.len()).unwrap_or(limit);
        let rows = sqlx::query::<Db>(
            "SELECT e.slug FROM seat_changes s JOIN events e ON e.id = s.event_id \
             WHERE s.shard = $1 AND s.version > $2 LIMIT $3",
        )
        .bind(shard)
        .bind(version)
        .bind(left)
        .fetch_all(&mut *connection)
        .await?;
        for row in &rows {
            slugs.push(row.try_get("slug")?);
        }
    }
    Ok(slugs)
}
