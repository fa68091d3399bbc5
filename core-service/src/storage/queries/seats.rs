//! What many registrations that are decided together read and write: one statement for all of them.
//!
//! Counters are locked before anything else of their events is read, in a statement of its own: one that joined both would,
//! after waiting for the lock, still show the event as it was before the wait.

use sqlx::{QueryBuilder, Row as _};

use super::{
    Connection, Db,
    events::{self, counter_columns, event_columns},
};
use crate::{
    domain::{
        event::Event,
        ids::{EventId, RegistrationId},
        instant::Instant,
        registration::{Counters, Seats},
    },
    storage::{Error, values},
};

pub(in crate::storage) async fn find_event_ids(
    connection: &mut Connection,
    slugs: &[&str],
) -> Result<Vec<EventId>, Error> {
    let mut query = QueryBuilder::<Db>::new("SELECT id FROM events WHERE slug IN (");
    let mut list = query.separated(", ");
    for slug in slugs {
        list.push_bind(*slug);
    }
    query.push(")");
    query
        .build()
        .persistent(values::is_usual(slugs.len()))
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| Ok(EventId::new(row.try_get("id")?)))
        .collect()
}

pub(in crate::storage) async fn lock_seats(
    connection: &mut Connection,
    ids: &[EventId],
) -> Result<Vec<(EventId, Counters, i64)>, Error> {
    let mut query = QueryBuilder::<Db>::new(concat!(
        "SELECT c.event_id, c.next_seq, ",
        counter_columns!(),
        " FROM event_counters c WHERE c.event_id"
    ));
    push_ids(&mut query, ids);
    query.push(concat!(" ORDER BY c.event_id", for_update!()));
    query
        .build()
        .persistent(values::is_usual(ids.len()))
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| {
            let id = EventId::new(row.try_get("event_id")?);
            Ok((id, events::read_counters(row)?, row.try_get("next_seq")?))
        })
        .collect()
}

pub(in crate::storage) async fn list_events(
    connection: &mut Connection,
    ids: &[EventId],
) -> Result<Vec<Event>, Error> {
    let mut query = QueryBuilder::<Db>::new(concat!(
        "SELECT ",
        event_columns!(),
        " FROM events e WHERE e.id"
    ));
    push_ids(&mut query, ids);
    query
        .build()
        .persistent(values::is_usual(ids.len()))
        .fetch_all(connection)
        .await?
        .iter()
        .map(events::read)
        .collect()
}

fn push_ids(query: &mut QueryBuilder<Db>, ids: &[EventId]) {
    query.push(" IN (");
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(id.uuid());
    }
    query.push(")");
}

/// The join is written so that both engines go from the people to the index: neither reads the event's registrations.
pub(in crate::storage) async fn find_active_registrations(
    connection: &mut Connection,
    people: &[(EventId, &str)],
) -> Result<Vec<(EventId, String, RegistrationId)>, Error> {
    let mut query = QueryBuilder::<Db>::new("SELECT r.event_id, r.email_norm, r.id FROM (");
    query.push_values(people, |mut row, (event, email_norm)| {
        row.push_bind(event.uuid()).push_bind(*email_norm);
    });
    query.push(
        ") AS asked CROSS JOIN registrations r WHERE r.event_id = asked.column1 \
         AND r.email_norm = asked.column2 AND r.status <> 'Cancelled'",
    );
    query
        .build()
        .persistent(values::is_usual(people.len()))
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| {
            let event = EventId::new(row.try_get("event_id")?);
            let id = RegistrationId::new(row.try_get("id")?);
            Ok((event, row.try_get("email_norm")?, id))
        })
        .collect()
}

pub(in crate::storage) async fn touch_registrations(
    connection: &mut Connection,
    ids: &[RegistrationId],
    now: Instant,
) -> Result<(), Error> {
    let mut query = QueryBuilder::<Db>::new("UPDATE registrations SET updated_at = ");
    query.push_bind(now.micros()).push(" WHERE id IN (");
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(id.uuid());
    }
    query.push(")");
    query
        .build()
        .persistent(values::is_usual(ids.len()))
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn update_counters(
    connection: &mut Connection,
    seats: &[&Seats],
) -> Result<(), Error> {
    let mut query = QueryBuilder::<Db>::new(
        "UPDATE event_counters SET confirmed = now.column2, pending = now.column3, waitlisted = now.column4, \
         cancelled = now.column5, next_seq = now.column6 FROM (",
    );
    query.push_values(seats, |mut row, seats| {
        row.push_bind(seats.event.id.uuid())
            .push_bind(seats.counters.confirmed)
            .push_bind(seats.counters.pending)
            .push_bind(seats.counters.waitlisted)
            .push_bind(seats.counters.cancelled)
            .push_bind(seats.next_seq);
    });
    query.push(") AS now WHERE event_counters.event_id = now.column1");
    let done = query
        .build()
        .persistent(values::is_usual(seats.len()))
        .execute(connection)
        .await?;
    if done.rows_affected() != seats.len() as u64 {
        return Err(Error::Missing("event"));
    }
    Ok(())
}
