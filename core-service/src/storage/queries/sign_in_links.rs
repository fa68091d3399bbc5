//! Links by which operators let people sign in.

use sqlx::Row as _;

use super::{Connection, Db};
use crate::{
    domain::{ids::PersonId, instant::Instant},
    storage::Error,
};

pub(in crate::storage) async fn insert_sign_in_link(
    connection: &mut Connection,
    hash: &[u8; 32],
    person: PersonId,
    expires_at: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO sign_in_links (hash, person_id, expires_at) VALUES ($1, $2, $3)",
    )
    .bind(hash.as_slice())
    .bind(person.uuid())
    .bind(expires_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

/// One statement, so that of two uses at the same time one finds nothing.
pub(in crate::storage) async fn use_sign_in_link(
    connection: &mut Connection,
    hash: &[u8; 32],
    now: Instant,
) -> Result<Option<PersonId>, Error> {
    sqlx::query::<Db>(
        "DELETE FROM sign_in_links WHERE hash = $1 AND expires_at > $2 RETURNING person_id",
    )
    .bind(hash.as_slice())
    .bind(now.micros())
    .fetch_optional(connection)
    .await?
    .map(|row| Ok(PersonId::new(row.try_get("person_id")?)))
    .transpose()
}

pub(in crate::storage) async fn delete_expired_links(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM sign_in_links WHERE hash IN (SELECT hash FROM sign_in_links WHERE expires_at <= $1 \
         ORDER BY expires_at LIMIT $2)",
    )
    .bind(now.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}
