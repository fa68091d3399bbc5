//! How attendees get to their registrations: by private links, of which only hashes are stored, and by check-in codes.

use super::{Connection, Db, registrations};
use crate::{
    domain::{
        check_in_code::CheckInCode, ids::RegistrationId, instant::Instant,
        registration::Registration,
    },
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

pub(in crate::storage) async fn find_registration_by_code(
    connection: &mut Connection,
    code: &CheckInCode,
) -> Result<Option<Registration>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        registrations::registration_columns!(),
        " FROM registrations r WHERE r.check_in_code = $1"
    ))
    .bind(code.as_str())
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
