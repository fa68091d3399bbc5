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
    storage::{
        Error,
        values::{self, shard},
    },
};

/// The numbers of changes of each shard, as one text: a row for each shard would cost more than all else of such a read.
macro_rules! versions {
    () => {
        "SELECT string_agg(s.shard || ' ' || t.version || ' ' || s.version, ',' ORDER BY s.shard)"
    };
}

/// Where [`versions`] is read from.
macro_rules! from_versions {
    () => {
        " FROM seat_versions s JOIN catalogue_totals t ON t.shard = s.shard"
    };
}

/// All of it as of one moment: a reader that has seen a change has seen all that were committed before it.
pub(in crate::storage) async fn catalogue_state(
    connection: &mut Connection,
    now: Instant,
) -> Result<CatalogueState, Error> {
    let row = sqlx::query::<Db>(concat!(
        versions!(),
        ", (SELECT min(effective_end) FROM events WHERE live = TRUE AND effective_end > $1)",
        from_versions!()
    ));
    let row = row.bind(now.micros()).fetch_one(connection).await?;
    let next_end: Option<i64> = row.try_get_unchecked(1)?;
    Ok(CatalogueState {
        version: version(&row)?,
        next_end: next_end.map(Instant::from_micros),
    })
}

/// The numbers of changes alone.
pub(in crate::storage) async fn catalogue_shards(
    connection: &mut Connection,
) -> Result<CatalogueVersion, Error> {
    let row = sqlx::query::<Db>(concat!(versions!(), from_versions!()));
    version(&row.fetch_one(connection).await?)
}

fn version(row: &Row) -> Result<CatalogueVersion, Error> {
    let text: &str = row.try_get_unchecked(0)?;
    let shards = text.split(',').map(shard_version);
    let shards: Option<_> = shards.collect();
    let shards = shards.ok_or_else(|| values::corrupt("versions of the catalogue", text))?;
    Ok(CatalogueVersion(shards))
}

/// Of its three numbers.
fn shard_version(text: &str) -> Option<ShardVersion> {
    let mut numbers = text.split(' ');
    let shard = numbers.next()?.parse().ok()?;
    let mut version = || numbers.next()?.parse().ok();
    Some(ShardVersion {
        shard,
        catalogue: version()?,
        seats: version()?,
    })
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
