//! Registrations.

use sqlx::Row as _;

use super::{Connection, Db, Row};
use crate::{
    domain::{
        email,
        ids::{EventId, RegistrationId},
        instant::Instant,
        registration::{Registration, Status},
    },
    storage::{Error, values},
};

pub(in crate::storage) async fn list_registrations(
    connection: &mut Connection,
    event: EventId,
    limit: i64,
) -> Result<Vec<Registration>, Error> {
    sqlx::query::<Db>(
        "SELECT id, event_id, seq, name, email, status, checked_in_at, registered_at FROM registrations \
         WHERE event_id = $1 ORDER BY seq LIMIT $2",
    )
    .bind(event.uuid())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn insert_registration(
    connection: &mut Connection,
    registration: &Registration,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO registrations (id, event_id, seq, name, email, email_norm, status, answers, checked_in_at, \
         registered_at) VALUES ($1, $2, $3, $4, $5, $6, $7, '{}', $8, $9)",
    )
    .bind(registration.id.uuid())
    .bind(registration.event_id.uuid())
    .bind(registration.seq)
    .bind(&registration.name)
    .bind(&registration.email)
    .bind(email::normalised(&registration.email))
    .bind(registration.status.name())
    .bind(registration.checked_in_at.map(Instant::micros))
    .bind(registration.registered_at.micros())
    .execute(&mut *connection)
    .await?;
    count_registration(connection, registration).await
}

async fn count_registration(
    connection: &mut Connection,
    registration: &Registration,
) -> Result<(), Error> {
    let one_if = |status| i32::from(registration.status == status);
    let done = sqlx::query::<Db>(
        "UPDATE event_counters SET confirmed = confirmed + $2, pending = pending + $3, waitlisted = waitlisted + $4, \
         cancelled = cancelled + $5, next_seq = CASE WHEN next_seq > $6 THEN next_seq ELSE $6 + 1 END \
         WHERE event_id = $1",
    )
    .bind(registration.event_id.uuid())
    .bind(one_if(Status::Confirmed))
    .bind(one_if(Status::Pending))
    .bind(one_if(Status::Waitlisted))
    .bind(one_if(Status::Cancelled))
    .bind(registration.seq)
    .execute(connection)
    .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("event")),
    }
}

/// Confirms those who have waited longest; the caller holds the counters and knows that there are so many.
pub(in crate::storage) async fn promote_waitlisted(
    connection: &mut Connection,
    event: EventId,
    seats: i32,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>(
        "UPDATE registrations SET status = 'Confirmed' WHERE id IN (SELECT id FROM registrations \
         WHERE event_id = $1 AND status = 'Waitlisted' ORDER BY seq LIMIT $2)",
    )
    .bind(event.uuid())
    .bind(i64::from(seats))
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() != u64::try_from(seats).unwrap_or(0) {
        return Err(Error::Missing("waitlisted registration"));
    }
    sqlx::query::<Db>(
        "UPDATE event_counters SET confirmed = confirmed + $2, waitlisted = waitlisted - $2 WHERE event_id = $1",
    )
    .bind(event.uuid())
    .bind(seats)
    .execute(connection)
    .await?;
    Ok(())
}

fn read(row: &Row) -> Result<Registration, Error> {
    let checked_in_at: Option<i64> = row.try_get("checked_in_at")?;
    Ok(Registration {
        id: RegistrationId::new(row.try_get("id")?),
        event_id: EventId::new(row.try_get("event_id")?),
        seq: row.try_get("seq")?,
        name: row.try_get("name")?,
        email: row.try_get("email")?,
        status: values::named("registration status", row.try_get("status")?)?,
        checked_in_at: checked_in_at.map(Instant::from_micros),
        registered_at: Instant::from_micros(row.try_get("registered_at")?),
    })
}
