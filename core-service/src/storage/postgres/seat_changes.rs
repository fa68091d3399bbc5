//! Notes of which events another number of seats is left, by one statement.

use super::{Connection, Input};
use crate::{domain::ids::EventId, storage::Error};

/// Raises the number of each shard once, lowest shard first, and gives it to the events.
pub(super) async fn put(
    connection: &mut Connection,
    events: &[EventId],
    shards: Vec<i32>,
) -> Result<(), Error> {
    Input::default()
        .column("event_id", events.iter().map(|event| event.uuid()))
        .column("shard", shards)
        .execute(
            connection,
            ", locked AS (SELECT shard FROM seat_versions WHERE shard IN (SELECT shard FROM input) ORDER BY shard FOR UPDATE), \
             raised AS (UPDATE seat_versions v SET version = v.version + 1 FROM locked WHERE v.shard = locked.shard \
             RETURNING v.shard, v.version) \
             INSERT INTO seat_changes (event_id, shard, version) \
             SELECT input.event_id, input.shard, raised.version FROM input JOIN raised ON raised.shard = input.shard \
             ON CONFLICT (event_id) DO UPDATE SET version = excluded.version",
        )
        .await?;
    Ok(())
}
