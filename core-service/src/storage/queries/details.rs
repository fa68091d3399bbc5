//! Name and answers of registrations, and why one was declined.

use sqlx::Row as _;

use super::{Connection, Db, Input, Row};
use crate::{
    domain::{
        ids::RegistrationId,
        instant::Instant,
        registration::{Answer, Details, NewDetails, Registration},
    },
    storage::{Error, values},
};

/// The first of an occasion stay: a link that was sent must not show others later.
pub(in crate::storage) async fn insert_new_details(
    connection: &mut Connection,
    details: &[NewDetails],
) -> Result<(), Error> {
    let answers = details.iter().map(|one| answers_text(&one.details.answers));
    let answers = answers.collect::<Result<Vec<_>, _>>()?;
    Input::default()
        .column("registration_id", details.iter().map(|one| one.registration.uuid()))
        .column("occasion", details.iter().map(|one| one.occasion))
        .column("name", details.iter().map(|one| one.details.name.as_str()))
        .column("answers", answers)
        .column("expires_at", details.iter().map(|one| one.expires_at.micros()))
        .execute(
            connection,
            "INSERT INTO registration_details (registration_id, occasion, name, answers, expires_at) \
             SELECT * FROM input WHERE TRUE ON CONFLICT (registration_id, occasion) DO NOTHING",
        )
        .await?;
    Ok(())
}

pub(in crate::storage) async fn find_new_details(
    connection: &mut Connection,
    registration: RegistrationId,
    occasion: i32,
    now: Instant,
) -> Result<Option<Details>, Error> {
    sqlx::query::<Db>(
        "SELECT d.name, d.answers FROM registration_details d JOIN registrations r ON r.id = d.registration_id \
         WHERE d.registration_id = $1 AND d.occasion = $2 AND d.expires_at > $3 \
         AND (d.name <> r.name OR d.answers <> r.answers)",
    )
    .bind(registration.uuid())
    .bind(occasion)
    .bind(now.micros())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn find_new_details_by_link(
    connection: &mut Connection,
    hash: &[u8; 32],
    now: Instant,
) -> Result<Option<Details>, Error> {
    sqlx::query::<Db>(
        "SELECT d.name, d.answers FROM registration_links l JOIN registration_details d \
         ON d.registration_id = l.registration_id AND d.occasion = l.occasion WHERE l.hash = $1 AND d.expires_at > $2",
    )
    .bind(hash.as_slice())
    .bind(now.micros())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn update_details(
    connection: &mut Connection,
    registration: &Registration,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>(
        "UPDATE registrations SET name = $2, answers = $3, search_text = $4, is_folded = TRUE, updated_at = $5 WHERE id = $1",
    )
    .bind(registration.id.uuid())
    .bind(&registration.name)
    .bind(answers_text(&registration.answers)?)
    .bind(values::search_text(&registration.name, &registration.email))
    .bind(registration.updated_at.micros())
    .execute(connection)
    .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("registration")),
    }
}

pub(in crate::storage) async fn set_decline_reason(
    connection: &mut Connection,
    registration: RegistrationId,
    reason: &str,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE registrations SET decline_reason = $2 WHERE id = $1")
        .bind(registration.uuid())
        .bind(reason)
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_new_details(
    connection: &mut Connection,
    registration: RegistrationId,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM registration_details WHERE registration_id = $1")
        .bind(registration.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_expired_details(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM registration_details WHERE (registration_id, occasion) IN (SELECT registration_id, occasion \
         FROM registration_details WHERE expires_at <= $1 LIMIT $2)",
    )
    .bind(now.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

fn answers_text(answers: &[Answer]) -> Result<String, Error> {
    serde_json::to_string(answers).map_err(|error| Error::Internal(Box::new(error)))
}

fn read(row: &Row) -> Result<Details, Error> {
    let answers: &str = row.try_get("answers")?;
    Ok(Details {
        name: row.try_get("name")?,
        answers: serde_json::from_str(answers)
            .map_err(|error| values::corrupt("answers", &error.to_string()))?,
    })
}
