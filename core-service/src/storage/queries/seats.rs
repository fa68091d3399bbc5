//! Seats: reads and writes of a batch of registrations, with one statement for all of them, and places on the waitlist.
//!
//! Counters are locked before anything else of their events is read, in a statement of its own: one that joined both would,
//! after waiting for the lock, still show the event as it was before the wait.

use sqlx::Row as _;

use super::{
    Connection, Db, Input, Row,
    events::{self, counter_columns, event_columns},
    registrations,
};
use crate::{
    domain::{
        event::Event,
        ids::{EventId, RegistrationId},
        registration::{Counters, Registration, Seats},
    },
    storage::Error,
};

/// Locks the counters of events that a condition names by `input`.
macro_rules! lock_seats {
    ($events:literal) => {
        concat!(
            "SELECT c.event_id, c.next_seq, ",
            counter_columns!(),
            " FROM event_counters c WHERE c.event_id IN (",
            $events,
            ") ORDER BY c.event_id",
            for_update!()
        )
    };
}

pub(in crate::storage) async fn lock_seats(
    connection: &mut Connection,
    ids: &[EventId],
) -> Result<Vec<(EventId, Counters, i64)>, Error> {
    let input = Input::default().column("id", ids.iter().map(|id| id.uuid()));
    let rows = input.fetch(connection, lock_seats!("SELECT id FROM input"));
    rows.await?.iter().map(read_seats).collect()
}

pub(in crate::storage) async fn lock_seats_by_slug(
    connection: &mut Connection,
    slugs: &[&str],
) -> Result<Vec<(EventId, Counters, i64)>, Error> {
    let input = Input::default().column("slug", slugs.iter().copied());
    let statement =
        lock_seats!("SELECT e.id FROM events e WHERE e.slug IN (SELECT slug FROM input)");
    let rows = input.fetch(connection, statement).await?;
    rows.iter().map(read_seats).collect()
}

fn read_seats(row: &Row) -> Result<(EventId, Counters, i64), Error> {
    let id = EventId::new(row.try_get("event_id")?);
    Ok((id, events::read_counters(row, 2)?, row.try_get("next_seq")?))
}

pub(in crate::storage) async fn list_counters(
    connection: &mut Connection,
    ids: &[EventId],
) -> Result<Vec<(EventId, Counters)>, Error> {
    Input::default()
        .column("id", ids.iter().map(|id| id.uuid()))
        .fetch(
            connection,
            concat!(
                "SELECT c.event_id, ",
                counter_columns!(),
                " FROM event_counters c WHERE c.event_id IN (SELECT id FROM input)"
            ),
        )
        .await?
        .iter()
        .map(|row| {
            let id = EventId::new(row.try_get("event_id")?);
            Ok((id, events::read_counters(row, 1)?))
        })
        .collect()
}

pub(in crate::storage) async fn list_events(
    connection: &mut Connection,
    ids: &[EventId],
) -> Result<Vec<Event>, Error> {
    Input::default()
        .column("id", ids.iter().map(|id| id.uuid()))
        .fetch(
            connection,
            concat!(
                "SELECT ",
                event_columns!(),
                " FROM events e WHERE e.id IN (SELECT id FROM input)"
            ),
        )
        .await?
        .iter()
        .map(events::read)
        .collect()
}

/// How many wait at that place or before it.
pub(in crate::storage) async fn waitlist_position(
    connection: &mut Connection,
    event: EventId,
    seq: i64,
) -> Result<i64, Error> {
    let row = sqlx::query::<Db>(
        "SELECT count(*) AS position FROM registrations WHERE event_id = $1 AND status = 'Waitlisted' AND seq <= $2",
    )
    .bind(event.uuid())
    .bind(seq)
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("position")?)
}

/// A look into the index for each of the people, and not a join: PostgreSQL may make one by reading all registrations.
pub(in crate::storage) async fn find_active_registrations(
    connection: &mut Connection,
    people: &[(EventId, &str)],
) -> Result<Vec<(EventId, String, RegistrationId)>, Error> {
    let rows = Input::default()
        .column("event_id", people.iter().map(|(event, _)| event.uuid()))
        .column("email_norm", people.iter().map(|(_, email_norm)| *email_norm))
        .fetch(
            connection,
            "SELECT event_id, email_norm, (SELECT r.id FROM registrations r WHERE r.event_id = input.event_id \
             AND r.email_norm = input.email_norm AND r.status <> 'Cancelled') AS id FROM input",
        )
        .await?;
    let mut found = Vec::new();
    for row in &rows {
        if let Some(id) = row.try_get("id")? {
            let event = EventId::new(row.try_get("event_id")?);
            found.push((event, row.try_get("email_norm")?, RegistrationId::new(id)));
        }
    }
    Ok(found)
}

/// In the order of registering. Those of other events are left out.
pub(in crate::storage) async fn find_registrations(
    connection: &mut Connection,
    event: EventId,
    ids: &[RegistrationId],
) -> Result<Vec<Registration>, Error> {
    // SQLite has no empty lists of rows.
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Input::default()
        .column("id", ids.iter().map(|id| id.uuid()))
        .fetch(
            connection,
            concat!(
                "SELECT ",
                registrations::registration_columns!(),
                " FROM registrations r WHERE r.id IN (SELECT id FROM input) ORDER BY r.seq"
            ),
        )
        .await?;
    let mut found = rows
        .iter()
        .map(registrations::read)
        .collect::<Result<Vec<_>, _>>()?;
    found.retain(|registration| registration.event_id == event);
    Ok(found)
}

pub(in crate::storage) async fn update_counters(
    connection: &mut Connection,
    seats: &[&Seats],
) -> Result<(), Error> {
    let events = || seats.iter();
    let done = Input::default()
        .column("event_id", events().map(|seats| seats.event.id.uuid()))
        .column("confirmed", events().map(|seats| seats.counters.confirmed))
        .column("pending", events().map(|seats| seats.counters.pending))
        .column(
            "unconfirmed",
            events().map(|seats| seats.counters.unconfirmed),
        )
        .column("held", events().map(|seats| seats.counters.held))
        .column(
            "waitlisted",
            events().map(|seats| seats.counters.waitlisted),
        )
        .column("cancelled", events().map(|seats| seats.counters.cancelled))
        .column(
            "checked_in",
            events().map(|seats| seats.counters.checked_in),
        )
        .column("next_seq", events().map(|seats| seats.next_seq))
        .execute(
            connection,
            "UPDATE event_counters SET confirmed = input.confirmed, pending = input.pending, unconfirmed = input.unconfirmed, \
             held = input.held, waitlisted = input.waitlisted, cancelled = input.cancelled, checked_in = input.checked_in, \
             next_seq = input.next_seq \
             FROM input WHERE event_counters.event_id = input.event_id",
        )
        .await?;
    if done != seats.len() as u64 {
        return Err(Error::Missing("event"));
    }
    Ok(())
}
