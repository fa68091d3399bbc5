//! What owners' searches look at, and which of it has changed, for a core that keeps it.
//!
//! Every change of an event takes the next number of its shard and locks it until the commit, so the changes of a shard are committed in
//! the order of their numbers: a reader that has seen one has seen those before it.

use sqlx::Row as _;
use uuid::Uuid;

use super::{
    Connection, Db, Input, Row, WRITES_ONE_TABLE,
    events::{Columns, civil},
};
use crate::{
    domain::{
        cursor::Place,
        event::{EventChange, EventsVersion, NUMBERS_OF_A_SHARD, SearchedEvent},
        ids::{AccountId, EventId},
        instant::Instant,
    },
    storage::{Error, values::shard},
};

/// The version of all events. [`read_version`] reads it.
macro_rules! version_of_events {
    () => {
        "(SELECT CAST(sum(latest) AS BIGINT) FROM event_changes), (SELECT CAST(sum(version) AS BIGINT) FROM seat_versions)"
    };
}
pub(super) use version_of_events;

pub(super) fn read_version(columns: &mut Columns<'_>) -> Result<EventsVersion, sqlx::Error> {
    Ok(EventsVersion {
        edits: columns.read()?,
        seats: columns.read()?,
    })
}

pub(in crate::storage) async fn events_version(
    connection: &mut Connection,
) -> Result<EventsVersion, Error> {
    let row = sqlx::query::<Db>(concat!("SELECT ", version_of_events!()));
    let row = row.fetch_one(connection).await?;
    Ok(read_version(&mut Columns { row: &row, next: 0 })?)
}

/// Raises the number of an event's shard where the statement that changes the event cannot do it.
pub(super) async fn raise(connection: &mut Connection, event: EventId) -> Result<(), Error> {
    if WRITES_ONE_TABLE {
        sqlx::query::<Db>("UPDATE event_changes SET latest = latest + 1 WHERE shard = $1")
            .bind(i32::from(shard(event.uuid())))
            .execute(connection)
            .await?;
    }
    Ok(())
}

pub(in crate::storage) async fn note_deleted_draft(
    connection: &mut Connection,
    event: EventId,
    account: AccountId,
    now: Instant,
) -> Result<(), Error> {
    raise(connection, event).await?;
    sqlx::query::<Db>(with_change!(
        "$3",
        "INSERT INTO deleted_drafts (event_id, account_id, change_number, deleted_at) VALUES ($1, $2, ",
        change_number!("$3"),
        ", $4)",
    ))
    .bind(event.uuid())
    .bind(account.uuid())
    .bind(i32::from(shard(event.uuid())))
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn forget_deleted_drafts(
    connection: &mut Connection,
    before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM deleted_drafts WHERE event_id IN \
         (SELECT event_id FROM deleted_drafts WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2)",
    )
    .bind(before.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn list_latest_changes(
    connection: &mut Connection,
) -> Result<Vec<i64>, Error> {
    let rows = sqlx::query::<Db>("SELECT latest FROM event_changes ORDER BY shard")
        .fetch_all(connection)
        .await?;
    let numbers: Result<_, sqlx::Error> = rows.iter().map(|row| row.try_get("latest")).collect();
    Ok(numbers?)
}

/// From the index `events_of_owner` alone.
pub(in crate::storage) async fn list_searched_events(
    connection: &mut Connection,
    account: AccountId,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<SearchedEvent>, Error> {
    let after = after.unwrap_or(Place {
        key: i64::MIN,
        id: Uuid::nil(),
    });
    let rows = sqlx::query::<Db>(
        "SELECT e.id, e.start_at, e.start_local, e.effective_end, e.is_cancelled, e.search_text FROM events e \
         WHERE e.account_id = $1 AND (e.start_at, e.id) > ($2, $3) ORDER BY e.start_at, e.id LIMIT $4",
    )
    .bind(account.uuid())
    .bind(after.key)
    .bind(after.id)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    rows.iter().map(read_searched).collect()
}

pub(in crate::storage) async fn list_event_changes(
    connection: &mut Connection,
    account: AccountId,
    since: &[i64],
) -> Result<Vec<EventChange>, Error> {
    let firsts = (0..).map(|shard| shard * NUMBERS_OF_A_SHARD);
    // The limit is one more than `MOST_CHANGES`. SQLite looks from the bound that comes first; the index wants the last one.
    let rows = Input::default()
        .column("account_id", since.iter().map(|_| account.uuid()))
        .column("since", since.iter().copied())
        .column("before", firsts.skip(1).take(since.len()))
        .fetch(
            connection,
            "SELECT e.id, e.start_at, e.start_local, e.effective_end, e.is_cancelled, e.search_text, e.change_number \
             FROM input CROSS JOIN events e WHERE e.account_id = input.account_id \
             AND e.change_number > input.since AND e.change_number < input.before AND e.change_number > 0 \
             UNION ALL \
             SELECT d.event_id, NULL, NULL, NULL, NULL, NULL, d.change_number \
             FROM input CROSS JOIN deleted_drafts d WHERE d.account_id = input.account_id \
             AND d.change_number > input.since AND d.change_number < input.before LIMIT 5001",
        )
        .await?;
    rows.iter().map(read_change).collect()
}

/// The first columns of a row.
fn read_searched(row: &Row) -> Result<SearchedEvent, Error> {
    let columns = &mut Columns { row, next: 0 };
    let (id, start_at) = (columns.read()?, columns.read()?);
    Ok(SearchedEvent {
        place: Place { key: start_at, id },
        start_local: Instant::from_utc(civil(columns.read()?)?),
        effective_end: Instant::from_micros(columns.read()?),
        is_cancelled: columns.read()?,
        text: columns.read::<Option<&str>>()?.map(Box::from),
    })
}

fn read_change(row: &Row) -> Result<EventChange, Error> {
    let (id, start): (Uuid, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
    let now = start.map(|_| read_searched(row)).transpose()?;
    Ok(EventChange {
        number: row.try_get(6)?,
        event: EventId::new(id),
        now,
    })
}
