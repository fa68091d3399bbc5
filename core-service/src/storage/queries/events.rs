//! Events and their counters.

use jiff::civil::DateTime;
use sqlx::{Decode, Row as _};

use super::{Connection, Db, Row, catalogue, entries};
use crate::{
    domain::{
        catalogue::CatalogueEntry,
        event::{CustomField, Event},
        ids::{AccountId, EventId},
        instant::Instant,
        registration::Counters,
        schedule::{EventTime, Schedule},
    },
    storage::{Error, values},
};

macro_rules! event_columns {
    () => {
        "e.id, e.account_id, e.slug, e.title, e.description, e.location, e.city, e.start_at, e.start_local, e.end_at, \
         e.end_local, e.timezone, e.max_capacity, e.is_published, e.is_listed, e.requires_approval, e.confirm_by_email, e.is_cancelled, e.cancel_reason, \
         e.cancelled_at, e.image_query, e.image_credit, e.custom_fields, e.organizer_name, e.contact_email, e.published_start, \
         e.sequence, e.version, e.created_at, e.updated_at, e.is_hidden, e.is_account_suspended"
    };
}
pub(super) use event_columns;

macro_rules! counter_columns {
    () => {
        "c.confirmed, c.pending, c.unconfirmed, c.held, c.waitlisted, c.cancelled, c.checked_in"
    };
}
pub(super) use counter_columns;

pub(in crate::storage) async fn find_account_event(
    connection: &mut Connection,
    account: AccountId,
    event: EventId,
) -> Result<Option<(Event, Counters)>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        event_columns!(),
        ", ",
        counter_columns!(),
        " FROM events e JOIN event_counters c ON c.event_id = e.id WHERE e.id = $1 AND e.account_id = $2"
    ))
    .bind(event.uuid())
    .bind(account.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read_with_counters)
    .transpose()
}

pub(in crate::storage) async fn find_event(
    connection: &mut Connection,
    event: EventId,
) -> Result<Option<Event>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        event_columns!(),
        " FROM events e WHERE e.id = $1"
    ))
    .bind(event.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn lock_counters(
    connection: &mut Connection,
    event: EventId,
) -> Result<Option<Counters>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        counter_columns!(),
        " FROM event_counters c WHERE c.event_id = $1",
        for_update!()
    ))
    .bind(event.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(|row| read_counters(row, 0))
    .transpose()
}

pub(in crate::storage) async fn slug_taken(
    connection: &mut Connection,
    slug: &str,
) -> Result<bool, Error> {
    let row = sqlx::query::<Db>("SELECT EXISTS (SELECT 1 FROM events WHERE slug = $1) AS taken")
        .bind(slug)
        .fetch_one(connection)
        .await?;
    Ok(row.try_get("taken")?)
}

pub(in crate::storage) async fn insert_event(
    connection: &mut Connection,
    event: &Event,
    live: bool,
) -> Result<bool, Error> {
    let Schedule {
        start,
        end,
        timezone,
    } = &event.schedule;
    let done = sqlx::query::<Db>(
        "INSERT INTO events (id, account_id, slug, title, description, location, city, start_at, start_local, end_at, \
         end_local, timezone, effective_end, max_capacity, is_published, is_listed, is_cancelled, cancel_reason, \
         cancelled_at, live, image_query, custom_fields, sequence, created_at, updated_at, requires_approval, \
         confirm_by_email, organizer_name, contact_email, published_start, version, search_text, indexed_as_of) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
         $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $25) \
         ON CONFLICT (slug) DO NOTHING",
    )
    .bind(event.id.uuid())
    .bind(event.account_id.uuid())
    .bind(&event.slug)
    .bind(&event.title)
    .bind(&event.description)
    .bind(&event.location)
    .bind(&event.city)
    .bind(start.at.micros())
    .bind(start.local.to_string())
    .bind(end.map(|end| end.at.micros()))
    .bind(end.map(|end| end.local.to_string()))
    .bind(timezone)
    .bind(event.schedule.effective_end().micros())
    .bind(event.max_capacity)
    .bind(event.is_published)
    .bind(event.is_listed)
    .bind(event.is_cancelled)
    .bind(&event.cancel_reason)
    .bind(event.cancelled_at.map(Instant::micros))
    .bind(live)
    .bind(&event.image_query)
    .bind(custom_fields_text(event)?)
    .bind(event.sequence)
    .bind(event.created_at.micros())
    .bind(event.updated_at.micros())
    .bind(event.requires_approval)
    .bind(event.confirm_by_email)
    .bind(&event.organizer_name)
    .bind(&event.contact_email)
    .bind(event.published_start.map(Instant::micros))
    .bind(event.version)
    .bind(values::event_search_text(event))
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    insert_counters(connection, event.id).await?;
    if live {
        entries::put(connection, &[CatalogueEntry::of(event)]).await?;
        catalogue::count_new(connection, event.id).await?;
    }
    Ok(true)
}

async fn insert_counters(connection: &mut Connection, event: EventId) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) \
         VALUES ($1, 0, 0, 0, 0, 1)",
    )
    .bind(event.uuid())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn update_event(
    connection: &mut Connection,
    event: &Event,
    live: bool,
) -> Result<(), Error> {
    let Schedule {
        start,
        end,
        timezone,
    } = &event.schedule;
    let done = sqlx::query::<Db>(
        "UPDATE events SET title = $2, description = $3, location = $4, city = $5, start_at = $6, start_local = $7, \
         end_at = $8, end_local = $9, timezone = $10, effective_end = $11, max_capacity = $12, is_published = $13, \
         is_listed = $14, image_query = $15, image_credit = $20, custom_fields = $16, sequence = $17, updated_at = $18, indexed_as_of = $18, \
         requires_approval = $19, confirm_by_email = $21, organizer_name = $22, contact_email = $23, \
         published_start = $24, version = $25, search_text = $26 \
         WHERE id = $1",
    )
    .bind(event.id.uuid())
    .bind(&event.title)
    .bind(&event.description)
    .bind(&event.location)
    .bind(&event.city)
    .bind(start.at.micros())
    .bind(start.local.to_string())
    .bind(end.map(|end| end.at.micros()))
    .bind(end.map(|end| end.local.to_string()))
    .bind(timezone)
    .bind(event.schedule.effective_end().micros())
    .bind(event.max_capacity)
    .bind(event.is_published)
    .bind(event.is_listed)
    .bind(&event.image_query)
    .bind(custom_fields_text(event)?)
    .bind(event.sequence)
    .bind(event.updated_at.micros())
    .bind(event.requires_approval)
    .bind(values::image_credit_text(event.image_credit.as_ref())?)
    .bind(event.confirm_by_email)
    .bind(&event.organizer_name)
    .bind(&event.contact_email)
    .bind(event.published_start.map(Instant::micros))
    .bind(event.version)
    .bind(values::event_search_text(event))
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() != 1 {
        return Err(Error::Missing("event"));
    }
    if live {
        entries::put(connection, &[CatalogueEntry::of(event)]).await?;
    } else {
        entries::remove(connection, &[event.id]).await?;
    }
    catalogue::set_live(connection, event.id, live).await
}

pub(in crate::storage) async fn mark_cancelled(
    connection: &mut Connection,
    event: EventId,
    reason: Option<&str>,
    now: Instant,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE events SET is_cancelled = TRUE, cancel_reason = $2, cancelled_at = $3, updated_at = $3, indexed_as_of = $3 \
         WHERE id = $1 AND is_cancelled = FALSE",
    )
    .bind(event.uuid())
    .bind(reason)
    .bind(now.micros())
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    entries::remove(connection, &[event]).await?;
    catalogue::set_live(connection, event, false).await?;
    Ok(true)
}

/// Custom fields of most events.
const NO_FIELDS: &str = "[]";

fn custom_fields_text(event: &Event) -> Result<String, Error> {
    serde_json::to_string(&event.custom_fields).map_err(|error| Error::Internal(Box::new(error)))
}

/// Reads columns one after the other. To look for each by its name takes longer than to read it, and so does comparing its type with the
/// one that the migrations give it.
pub(super) struct Columns<'r> {
    pub(super) row: &'r Row,
    /// The index of the next one.
    pub(super) next: usize,
}

impl<'r> Columns<'r> {
    pub(super) fn read<T: Decode<'r, Db>>(&mut self) -> Result<T, sqlx::Error> {
        let value = self.row.try_get_unchecked(self.next)?;
        self.next += 1;
        Ok(value)
    }

    fn instant(&mut self) -> Result<Instant, sqlx::Error> {
        self.read().map(Instant::from_micros)
    }

    pub(super) fn time(&mut self) -> Result<EventTime, Error> {
        Ok(EventTime {
            at: self.instant()?,
            local: civil(self.read()?)?,
        })
    }

    fn end(&mut self) -> Result<Option<EventTime>, Error> {
        let (at, local): (Option<i64>, Option<&str>) = (self.read()?, self.read()?);
        let end = at.zip(local).map(|(at, local)| {
            Ok(EventTime {
                at: Instant::from_micros(at),
                local: civil(local)?,
            })
        });
        end.transpose()
    }

    fn custom_fields(&mut self) -> Result<Vec<CustomField>, Error> {
        let text: &str = self.read()?;
        if text == NO_FIELDS {
            return Ok(Vec::new());
        }
        serde_json::from_str(text)
            .map_err(|error| values::corrupt("custom fields", &error.to_string()))
    }
}

/// Reads `event_columns!`, which are the first ones of a row. Both are in the same order.
pub(super) fn read(row: &Row) -> Result<Event, Error> {
    let columns = &mut Columns { row, next: 0 };
    Ok(Event {
        id: EventId::new(columns.read()?),
        account_id: AccountId::new(columns.read()?),
        slug: columns.read()?,
        title: columns.read()?,
        description: columns.read()?,
        location: columns.read()?,
        city: columns.read()?,
        schedule: Schedule {
            start: columns.time()?,
            end: columns.end()?,
            timezone: columns.read()?,
        },
        max_capacity: columns.read()?,
        is_published: columns.read()?,
        is_listed: columns.read()?,
        requires_approval: columns.read()?,
        confirm_by_email: columns.read()?,
        is_cancelled: columns.read()?,
        cancel_reason: columns.read()?,
        cancelled_at: columns.read::<Option<i64>>()?.map(Instant::from_micros),
        image_query: columns.read()?,
        image_credit: values::image_credit(columns.read()?)?,
        custom_fields: columns.custom_fields()?,
        organizer_name: columns.read()?,
        contact_email: columns.read()?,
        published_start: columns.read::<Option<i64>>()?.map(Instant::from_micros),
        sequence: columns.read()?,
        version: columns.read()?,
        created_at: columns.instant()?,
        updated_at: columns.instant()?,
        is_hidden: columns.read()?,
        is_account_suspended: columns.read()?,
    })
}

/// How many columns `event_columns!` has.
const EVENT_COLUMNS: usize = 32;

/// Reads events with their counters.
pub(super) fn read_all(rows: &[Row]) -> Result<Vec<(Event, Counters)>, Error> {
    // Rows are large: collecting results of unknown number would move each several times.
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        all.push(read_with_counters(row)?);
    }
    Ok(all)
}

/// Reads an event, and its `counter_columns!` behind it.
pub(super) fn read_with_counters(row: &Row) -> Result<(Event, Counters), Error> {
    Ok((read(row)?, read_counters(row, EVENT_COLUMNS)?))
}

/// Reads `counter_columns!` from the column with this index on. Both are in the same order.
pub(super) fn read_counters(row: &Row, first: usize) -> Result<Counters, Error> {
    let columns = &mut Columns { row, next: first };
    Ok(Counters {
        confirmed: columns.read()?,
        pending: columns.read()?,
        unconfirmed: columns.read()?,
        held: columns.read()?,
        waitlisted: columns.read()?,
        cancelled: columns.read()?,
        checked_in: columns.read()?,
    })
}

/// A wall time. Most are to the second, and read by their digits: a list has many.
pub(super) fn civil(text: &str) -> Result<DateTime, Error> {
    let read = whole_seconds(text).or_else(|| text.parse().ok());
    read.ok_or_else(|| values::corrupt("wall time", text))
}

/// A wall time as `2027-05-01T18:00:00`.
fn whole_seconds(text: &str) -> Option<DateTime> {
    let &[
        y1,
        y2,
        y3,
        y4,
        b'-',
        m1,
        m2,
        b'-',
        d1,
        d2,
        b'T',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
    ] = text.as_bytes()
    else {
        return None;
    };
    let two = |tens: u8, ones: u8| {
        let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
        let number = || 10 * (tens - b'0') + (ones - b'0');
        is_number.then(number)?.try_into().ok()
    };
    let (century, year): (i8, i8) = (two(y1, y2)?, two(y3, y4)?);
    let year = 100 * i16::from(century) + i16::from(year);
    let (month, day) = (two(m1, m2)?, two(d1, d2)?);
    let (hour, minute, second) = (two(h1, h2)?, two(n1, n2)?, two(s1, s2)?);
    DateTime::new(year, month, day, hour, minute, second, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_time_is_read_as_it_was_written() {
        for text in [
            "0001-01-01T00:00:00",
            "1883-11-18T12:03:58",
            "2028-02-29T23:59:59",
            "9999-12-31T09:08:07",
            "2027-05-01T18:00:00.000001",
            "2027-05-01T18:00:00.12",
        ] {
            assert_eq!(civil(text).unwrap().to_string(), text);
        }
        assert!(whole_seconds("2027-05-01T18:00:00").is_some());
    }

    #[test]
    fn what_is_no_wall_time_is_refused() {
        for text in [
            "",
            "2027-02-29T18:00:00",
            "2027-13-01T18:00:00",
            "2027-05-01T24:00:00",
            "2027-05-01T18:60:00",
            "2027-05-01T18:0:000",
            "20x7-05-01T18:00:00",
            "2027-05-01T18:00:0\u{660}",
        ] {
            assert!(civil(text).is_err(), "{text:?}");
        }
    }
}
