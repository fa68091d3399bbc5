//! Registrations that await the attendee's confirmation: what becomes of them with time.

use super::{Connection, Db, ids::ids, registrations::change_counters};
use crate::{
    domain::{ids::EventId, instant::Instant, registration::Counters},
    storage::Error,
};

/// Events of both kinds: no index has both times.
pub(in crate::storage) async fn list_events_to_settle(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<Vec<EventId>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT event_id FROM registrations WHERE held_until <= $1 \
         UNION SELECT event_id FROM registrations WHERE confirm_until <= $1 LIMIT $2",
    )
    .bind(now.micros())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    ids(&rows, EventId::new)
}

pub(in crate::storage) async fn release_held_seats(
    connection: &mut Connection,
    event: EventId,
    now: Instant,
    limit: i64,
) -> Result<i32, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE registrations SET held_until = NULL, updated_at = $2 WHERE id IN (SELECT id FROM registrations \
         WHERE event_id = $1 AND held_until <= $2 LIMIT $3)",
    )
    .bind(event.uuid())
    .bind(now.micros())
    .bind(limit)
    .execute(&mut *connection)
    .await?;
    let change = |released: i32| Counters {
        held: -released,
        ..Counters::default()
    };
    count(connection, event, done.rows_affected(), change).await
}

/// Seats are released before.
pub(in crate::storage) async fn lapse_registrations(
    connection: &mut Connection,
    event: EventId,
    now: Instant,
    limit: i64,
) -> Result<i32, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE registrations SET status = 'Cancelled', confirm_until = NULL, updated_at = $2 WHERE id IN (SELECT id \
         FROM registrations WHERE event_id = $1 AND confirm_until <= $2 AND held_until IS NULL LIMIT $3)",
    )
    .bind(event.uuid())
    .bind(now.micros())
    .bind(limit)
    .execute(&mut *connection)
    .await?;
    let change = |lapsed: i32| Counters {
        pending: -lapsed,
        unconfirmed: -lapsed,
        cancelled: lapsed,
        ..Counters::default()
    };
    count(connection, event, done.rows_affected(), change).await
}

/// Counts so many changed registrations of an event. Returns their number.
async fn count(
    connection: &mut Connection,
    event: EventId,
    rows: u64,
    change: impl FnOnce(i32) -> Counters,
) -> Result<i32, Error> {
    let count = i32::try_from(rows).unwrap_or(i32::MAX);
    if count > 0 {
        change_counters(connection, event, change(count), 0).await?;
    }
    Ok(count)
}
