//! Clients of OAuth. What they say of themselves is read by the service, whose settings decide which redirects count.

use sqlx::Row as _;

use super::{Connection, Db, Row};
use crate::{
    domain::{ids::ClientId, instant::Instant},
    storage::{Error, StoredClient},
};

/// Of two that see a client at the same time, both get the row of the first.
pub(in crate::storage) async fn put_client(
    connection: &mut Connection,
    client: &StoredClient,
    now: Instant,
) -> Result<StoredClient, Error> {
    let row = sqlx::query::<Db>(
        "INSERT INTO oauth_clients (id, client_id, metadata, name, created_at, seen_at, fresh_until) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, name = excluded.name, seen_at = excluded.seen_at, \
         fresh_until = excluded.fresh_until RETURNING id, client_id, metadata, name, created_at, fresh_until",
    )
    .bind(client.id.uuid())
    .bind(&client.client_id)
    .bind(&client.metadata)
    .bind(&client.name)
    .bind(client.created_at.micros())
    .bind(now.micros())
    .bind(client.fresh_until.map(Instant::micros))
    .fetch_one(connection)
    .await?;
    read(&row)
}

pub(in crate::storage) async fn find_client(
    connection: &mut Connection,
    client_id: &str,
) -> Result<Option<StoredClient>, Error> {
    sqlx::query::<Db>(
        "SELECT id, client_id, metadata, name, created_at, fresh_until FROM oauth_clients WHERE client_id = $1",
    )
    .bind(client_id)
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn get_client(
    connection: &mut Connection,
    client: ClientId,
) -> Result<Option<StoredClient>, Error> {
    sqlx::query::<Db>(
        "SELECT id, client_id, metadata, name, created_at, fresh_until FROM oauth_clients WHERE id = $1",
    )
    .bind(client.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn keep_client(
    connection: &mut Connection,
    client: ClientId,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE oauth_clients SET is_kept = TRUE WHERE id = $1")
        .bind(client.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

/// Those that were seen last are kept.
pub(in crate::storage) async fn delete_unused_clients(
    connection: &mut Connection,
    seen_before: Instant,
    most: i64,
    limit: i64,
) -> Result<u64, Error> {
    let old = sqlx::query::<Db>(
        "DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE is_kept = FALSE AND seen_at < $1 \
         ORDER BY seen_at LIMIT $2)",
    )
    .bind(seen_before.micros())
    .bind(limit)
    .execute(&mut *connection)
    .await?;
    let beyond = sqlx::query::<Db>(
        "DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE is_kept = FALSE \
         ORDER BY seen_at DESC LIMIT $2 OFFSET $1)",
    )
    .bind(most)
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(old.rows_affected() + beyond.rows_affected())
}

fn read(row: &Row) -> Result<StoredClient, Error> {
    read_as(row, "id", "created_at")
}

/// Reads a client whose identifier and time have other names in the row.
pub(super) fn read_as(row: &Row, id: &str, created_at: &str) -> Result<StoredClient, Error> {
    let fresh_until: Option<i64> = row.try_get("fresh_until")?;
    Ok(StoredClient {
        id: ClientId::new(row.try_get(id)?),
        client_id: row.try_get("client_id")?,
        metadata: row.try_get("metadata")?,
        name: row.try_get("name")?,
        created_at: Instant::from_micros(row.try_get(created_at)?),
        fresh_until: fresh_until.map(Instant::from_micros),
    })
}
