//! Private links to registrations. Only hashes are stored.

use super::{Connection, Db, registrations};
use crate::{
    domain::{ids::RegistrationId, instant::Instant, registration::Registration},
    storage::Error,
};

pub(in crate::storage) async fn insert_link(
    connection: &mut Connection,
    hash: &[u8; 32],
    registration: RegistrationId,
    occasion: Option<i32>,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO registration_links (hash, registration_id, occasion, created_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(hash.as_slice())
    .bind(registration.uuid())
    .bind(occasion)
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn find_registration_by_link(
    connection: &mut Connection,
    hash: &[u8; 32],
) -> Result<Option<Registration>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        registrations::registration_columns!(),
        " FROM registration_links l JOIN registrations r ON r.id = l.registration_id WHERE l.hash = $1"
    ))
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(registrations::read)
    .transpose()
}

pub(in crate::storage) async fn delete_links(
    connection: &mut Connection,
    registration: RegistrationId,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>("DELETE FROM registration_links WHERE registration_id = $1")
        .bind(registration.uuid())
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
