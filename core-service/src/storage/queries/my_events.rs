//! An account's own events: lists of them, and deleting one.

use sqlx::Row as _;
use uuid::Uuid;

use super::{
    Connection, Db, entries,
    events::{counter_columns, event_columns, read, read_counters},
};
use crate::{
    domain::{
        cursor::Place,
        event::Event,
        ids::{AccountId, EventId},
        instant::Instant,
        registration::Counters,
    },
    storage::{Error, EventFilter, MyEventsFilter},
};

/// The three filters as conditions on `$1`, the account, and `$2`, the current time; then text `$3`, which may be null, and bounds of
/// the start, as a moment and as wall time. What comes after them may differ between active events and all others.
macro_rules! filtered {
    ($status:expr, $before:expr, $after_active:literal, $after_others:literal) => {
        match $status {
            // Found by their ends, so that those that are over are not read, however many there are. With the sign, no index of starts
            // is used, in which they come first.
            EventFilter::Active => narrowed!(
                $before,
                " AND e.is_cancelled = FALSE AND e.effective_end > $2",
                "+e.start_at",
                $after_active
            ),
            EventFilter::Past => narrowed!(
                $before,
                " AND e.effective_end <= $2",
                "e.start_at",
                $after_others
            ),
            // The current time is bound for every filter; it is used here so that the engine knows its type.
            EventFilter::All => narrowed!($before, " AND $2 = $2", "e.start_at", $after_others),
        }
    };
}

macro_rules! narrowed {
    ($before:expr, $status:literal, $start:literal, $after:literal) => {
        concat!(
            $before,
            " WHERE e.account_id = $1",
            $status,
            " AND ($3 IS NULL OR ",
            position!(),
            "(e.search_text, $3) > 0) AND ",
            $start,
            " >= $4 AND ",
            $start,
            " < $5 AND e.start_local >= $6 AND e.start_local < $7",
            $after
        )
    };
}

pub(in crate::storage) async fn list_account_events(
    connection: &mut Connection,
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<(Event, Counters)>, Error> {
    let MyEventsFilter { status, starts, .. } = filter;
    let before_all = match status {
        EventFilter::Active => Place {
            key: i64::MIN,
            id: Uuid::nil(),
        },
        EventFilter::Past | EventFilter::All => Place {
            key: i64::MAX,
            id: Uuid::max(),
        },
    };
    let after = after.unwrap_or(before_all);
    sqlx::query::<Db>(filtered!(
        status,
        concat!(
            "SELECT ",
            event_columns!(),
            ", ",
            counter_columns!(),
            " FROM (SELECT e.id AS page_id, e.start_at AS place FROM events e"
        ),
        " AND (+e.start_at, e.id) > ($8, $9) ORDER BY +e.start_at, e.id LIMIT $10) page JOIN events e ON e.id = page.page_id \
         JOIN event_counters c ON c.event_id = e.id ORDER BY page.place, page.page_id",
        " AND (e.start_at, e.id) < ($8, $9) ORDER BY e.start_at DESC, e.id DESC LIMIT $10) page JOIN events e ON e.id = page.page_id \
         JOIN event_counters c ON c.event_id = e.id ORDER BY page.place DESC, page.page_id DESC"
    ))
    .bind(account.uuid())
    .bind(now.micros())
    .bind(filter.folded_text())
    .bind(starts.from_at.micros())
    .bind(starts.before_at.micros())
    .bind(starts.from_local.to_utc().to_string())
    .bind(starts.before_local.to_utc().to_string())
    .bind(after.key)
    .bind(after.id)
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| Ok((read(row)?, read_counters(row)?)))
    .collect()
}

pub(in crate::storage) async fn count_account_events(
    connection: &mut Connection,
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
) -> Result<i64, Error> {
    let MyEventsFilter { status, starts, .. } = filter;
    let row = sqlx::query::<Db>(filtered!(
        status,
        "SELECT count(*) AS total FROM events e",
        "",
        ""
    ))
    .bind(account.uuid())
    .bind(now.micros())
    .bind(filter.folded_text())
    .bind(starts.from_at.micros())
    .bind(starts.before_at.micros())
    .bind(starts.from_local.to_utc().to_string())
    .bind(starts.before_local.to_utc().to_string())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("total")?)
}

pub(in crate::storage) async fn count_active_events(
    connection: &mut Connection,
    account: AccountId,
    now: Instant,
) -> Result<i64, Error> {
    count_account_events(connection, account, &EventFilter::Active.into(), now).await
}

/// What refers to an event comes before the event itself.
pub(in crate::storage) async fn delete_event(
    connection: &mut Connection,
    event: EventId,
) -> Result<(), Error> {
    entries::remove(&mut *connection, &[event]).await?;
    for statement in [
        "DELETE FROM jobs WHERE kind IN ('stock_cover', 'event_announcement') AND subject_id = $1",
        "DELETE FROM stock_covers WHERE event_id = $1",
        "DELETE FROM former_times WHERE event_id = $1",
        "DELETE FROM event_counters WHERE event_id = $1",
        "DELETE FROM seat_changes WHERE event_id = $1",
    ] {
        sqlx::query::<Db>(statement)
            .bind(event.uuid())
            .execute(&mut *connection)
            .await?;
    }
    let done = sqlx::query::<Db>("DELETE FROM events WHERE id = $1 AND live = FALSE")
        .bind(event.uuid())
        .execute(connection)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("draft")),
    }
}
