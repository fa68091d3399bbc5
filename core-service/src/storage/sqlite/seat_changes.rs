//! Notes of which events another number of seats is left. SQLite has one writer, and its statements cost no way to a server.

use super::{Connection, Db};
use crate::{domain::ids::EventId, storage::Error};

/// Raises the number of the shard of each event, and gives it to the event.
pub(super) async fn put(
    connection: &mut Connection,
    events: &[EventId],
    shards: Vec<i32>,
) -> Result<(), Error> {
    for (event, shard) in events.iter().zip(shards) {
        sqlx::query::<Db>("UPDATE seat_versions SET version = version + 1 WHERE shard = $1")
            .bind(shard)
            .execute(&mut *connection)
            .await?;
        sqlx::query::<Db>(
            "INSERT INTO seat_changes (event_id, shard, version) \
             VALUES ($1, $2, (SELECT version FROM seat_versions WHERE shard = $2)) \
             ON CONFLICT (event_id) DO UPDATE SET version = excluded.version",
        )
        .bind(event.uuid())
        .bind(shard)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
