//! The organizer's lists of registrations, and the texts that searches in lists look through.
//!
//! A search reads all registrations of an event, but from an index alone, in which their texts are; rows are read of those only that are
//! shown.

use sqlx::Row as _;
use uuid::Uuid;

use super::{
    Connection, Db, Input, events,
    events::event_columns,
    registrations::{self, registration_columns},
};
use crate::{
    domain::{
        ids::{AccountId, EventId},
        registration::{Registration, Status},
    },
    storage::{Error, RegistrationFilter, values},
};

/// Event `$1`, status `$2` and text `$3`, of which the last two may be null, and the time of registering.
macro_rules! filtered {
    ($before:expr, $after:literal) => {
        concat!(
            $before,
            " FROM registrations r WHERE r.event_id = $1 AND ($2 IS NULL OR r.status = $2) \
             AND ($3 IS NULL OR ",
            position!(),
            "(r.search_text, $3) > 0) AND r.registered_at >= $4 AND r.registered_at < $5",
            $after
        )
    };
}

pub(in crate::storage) async fn search_registrations(
    connection: &mut Connection,
    event: EventId,
    filter: &RegistrationFilter,
    after_seq: i64,
    limit: i64,
    offset: i64,
) -> Result<Vec<Registration>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        registration_columns!(),
        " FROM (",
        filtered!(
            "SELECT r.id, r.seq AS place",
            " AND r.seq > $6 ORDER BY r.seq LIMIT $7 OFFSET $8"
        ),
        ") page JOIN registrations r ON r.id = page.id ORDER BY page.place"
    ))
    .bind(event.uuid())
    .bind(filter.status.map(Status::name))
    .bind(filter.folded_text())
    .bind(filter.registered.from.micros())
    .bind(filter.registered.before.micros())
    .bind(after_seq)
    .bind(limit)
    .bind(offset)
    .fetch_all(connection)
    .await?
    .iter()
    .map(registrations::read)
    .collect()
}

pub(in crate::storage) async fn count_registrations(
    connection: &mut Connection,
    event: EventId,
    filter: &RegistrationFilter,
) -> Result<i64, Error> {
    let row = sqlx::query::<Db>(filtered!("SELECT count(*) AS total", ""))
        .bind(event.uuid())
        .bind(filter.status.map(Status::name))
        .bind(filter.folded_text())
        .bind(filter.registered.from.micros())
        .bind(filter.registered.before.micros())
        .fetch_one(connection)
        .await?;
    Ok(row.try_get("total")?)
}

/// Of an event that an older version wrote some may be missed.
pub(in crate::storage) async fn has_unfolded_registrations(
    connection: &mut Connection,
    event: EventId,
) -> Result<bool, Error> {
    let row = sqlx::query::<Db>(
        "SELECT EXISTS (SELECT 1 FROM registrations WHERE event_id = $1 AND is_folded = FALSE) AS found",
    )
    .bind(event.uuid())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("found")?)
}

pub(in crate::storage) async fn has_unfolded_events(
    connection: &mut Connection,
    account: AccountId,
) -> Result<bool, Error> {
    let row = sqlx::query::<Db>(concat!(
        "SELECT EXISTS (SELECT 1 FROM events",
        indexed_by_not_folded!(),
        " WHERE account_id = $1 AND search_text IS NULL) AS found",
    ))
    .bind(account.uuid())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("found")?)
}

pub(in crate::storage) async fn fold_registrations(
    connection: &mut Connection,
    limit: i64,
) -> Result<u64, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "SELECT id, name, email FROM registrations WHERE is_folded = FALSE LIMIT $1",
        skip_locked!()
    ))
    .bind(limit)
    .fetch_all(&mut *connection)
    .await?;
    let mut texts = Vec::with_capacity(rows.len());
    for row in &rows {
        let (name, email) = (row.try_get("name")?, row.try_get("email")?);
        let id: Uuid = row.try_get("id")?;
        texts.push((id, values::search_text(name, email)));
    }
    write(
        connection,
        &texts,
        "UPDATE registrations SET search_text = input.search_text, is_folded = TRUE FROM input \
         WHERE registrations.id = input.id",
    )
    .await
}

pub(in crate::storage) async fn fold_events(
    connection: &mut Connection,
    limit: i64,
) -> Result<u64, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "SELECT ",
        event_columns!(),
        " FROM events e WHERE e.search_text IS NULL LIMIT $1",
        skip_locked!()
    ))
    .bind(limit)
    .fetch_all(&mut *connection)
    .await?;
    let mut texts = Vec::with_capacity(rows.len());
    for row in &rows {
        let event = events::read(row)?;
        texts.push((event.id.uuid(), values::event_search_text(&event)));
    }
    write(
        connection,
        &texts,
        "UPDATE events SET search_text = input.search_text FROM input WHERE events.id = input.id",
    )
    .await
}

async fn write(
    connection: &mut Connection,
    texts: &[(Uuid, String)],
    statement: &'static str,
) -> Result<u64, Error> {
    if texts.is_empty() {
        return Ok(0);
    }
    Input::default()
        .column("id", texts.iter().map(|(id, _)| *id))
        .column("search_text", texts.iter().map(|(_, text)| text.as_str()))
        .execute(connection, statement)
        .await
}
