//! Telling registrants of an event's new time or place: the job that waits, what they know, and their mails.

use sqlx::Row as _;

use super::{Connection, Db, Input, events};
use crate::{
    domain::{
        announcement::Announcement,
        event::{TimeAndPlace, WhenAndWhere},
        ids::{EventId, RegistrationId},
        instant::Instant,
        job::{Destination, JobKind, Task},
        mail_quota::MailCount,
    },
    storage::{Error, values},
};

pub(in crate::storage) async fn find_announcement(
    connection: &mut Connection,
    event: EventId,
) -> Result<Option<Announcement>, Error> {
    let kind = JobKind::EventAnnouncement;
    let row = sqlx::query::<Db>(
        "SELECT payload, created_at FROM jobs WHERE kind = $1 AND subject_id = $2 AND occasion = 0 AND failed_at IS NULL",
    )
    .bind(kind.name())
    .bind(event.uuid())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let payload: Option<&str> = row.try_get("payload")?;
    let task = Task::read(kind, payload);
    let task = task.map_err(|error| values::corrupt("job", &error.to_string()))?;
    let Task::EventAnnouncement { mails, day } = task else {
        return Ok(None);
    };
    Ok(Some(Announcement {
        since: Instant::from_micros(row.try_get("created_at")?),
        counted: MailCount { day, mails },
    }))
}

/// A runner that has claimed the job loses its lease.
pub(in crate::storage) async fn put_announcement(
    connection: &mut Connection,
    event: EventId,
    announcement: &Announcement,
    due_at: Instant,
    trace_parent: Option<&str>,
) -> Result<(), Error> {
    let MailCount { day, mails } = announcement.counted;
    let task = Task::EventAnnouncement { mails, day };
    sqlx::query::<Db>(
        "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
         trace_parent) VALUES ($1, $2, 0, $3, $4, 0, 0, $5, $6, $7) \
         ON CONFLICT (kind, subject_id, occasion) DO UPDATE SET payload = excluded.payload, due_at = excluded.due_at, \
         created_at = excluded.created_at, trace_parent = excluded.trace_parent, failed_at = NULL, \
         attempts = jobs.attempts + 1, uncounted = jobs.attempts + 1",
    )
    .bind(task.kind().name())
    .bind(event.uuid())
    .bind(Destination::DATABASE.name())
    .bind(task.payload())
    .bind(due_at.micros())
    .bind(announcement.since.micros())
    .bind(trace_parent)
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn note_known(
    connection: &mut Connection,
    event: EventId,
    known: TimeAndPlace,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "UPDATE registrations SET told = $2 \
         WHERE event_id = $1 AND status IN ('Pending', 'Confirmed', 'Waitlisted') AND told IS NULL",
    )
    .bind(event.uuid())
    .bind(known.fingerprint())
    .execute(connection)
    .await?;
    Ok(())
}

/// For how long it is remembered. Mails about a change are sent within minutes, or wait for a mail server.
const REMEMBERED_SECONDS: i64 = 30 * 24 * 60 * 60;

pub(in crate::storage) async fn put_former(
    connection: &mut Connection,
    event: EventId,
    known: TimeAndPlace,
    former: &WhenAndWhere,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM former_times WHERE event_id = $1 AND noted_at < $2")
        .bind(event.uuid())
        .bind(now.plus_seconds(-REMEMBERED_SECONDS).micros())
        .execute(&mut *connection)
        .await?;
    sqlx::query::<Db>(
        "INSERT INTO former_times (event_id, fingerprint, start_local, end_local, timezone, place, noted_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (event_id, fingerprint) DO UPDATE SET noted_at = excluded.noted_at",
    )
    .bind(event.uuid())
    .bind(known.fingerprint())
    .bind(former.start.to_string())
    .bind(former.end.map(|end| end.to_string()))
    .bind(&former.timezone)
    .bind(&former.place)
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn find_former(
    connection: &mut Connection,
    event: EventId,
    known: TimeAndPlace,
) -> Result<Option<WhenAndWhere>, Error> {
    let row = sqlx::query::<Db>(
        "SELECT start_local, end_local, timezone, place FROM former_times WHERE event_id = $1 AND fingerprint = $2",
    )
    .bind(event.uuid())
    .bind(known.fingerprint())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let end: Option<&str> = row.try_get("end_local")?;
    Ok(Some(WhenAndWhere {
        start: events::civil(row.try_get("start_local")?)?,
        end: end.map(events::civil).transpose()?,
        timezone: row.try_get("timezone")?,
        place: row.try_get("place")?,
    }))
}

pub(in crate::storage) async fn note_told(
    connection: &mut Connection,
    told: &[(RegistrationId, TimeAndPlace)],
) -> Result<(), Error> {
    if told.is_empty() {
        return Ok(());
    }
    Input::default()
        .column("id", told.iter().map(|(id, _)| id.uuid()))
        .column("told", told.iter().map(|(_, what)| what.fingerprint()))
        .execute(
            connection,
            "UPDATE registrations SET told = input.told FROM input WHERE registrations.id = input.id",
        )
        .await?;
    Ok(())
}

pub(in crate::storage) async fn count_who_know_another(
    connection: &mut Connection,
    event: EventId,
    known: TimeAndPlace,
    next: TimeAndPlace,
) -> Result<i32, Error> {
    let row = sqlx::query::<Db>(
        "SELECT count(*) AS people FROM registrations WHERE event_id = $1 \
         AND status IN ('Pending', 'Confirmed', 'Waitlisted') AND confirm_until IS NULL AND COALESCE(told, $2) <> $3",
    )
    .bind(event.uuid())
    .bind(known.fingerprint())
    .bind(next.fingerprint())
    .fetch_one(connection)
    .await?;
    let people: i64 = row.try_get("people")?;
    Ok(i32::try_from(people).unwrap_or(i32::MAX))
}

pub(in crate::storage) async fn schedule_event_changed_mails(
    connection: &mut Connection,
    event: EventId,
    current: TimeAndPlace,
    sequence: i32,
    now: Instant,
    trace_parent: Option<&str>,
) -> Result<u64, Error> {
    let task = Task::EventChangedMail { sequence };
    let done = sqlx::query::<Db>(
        "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
         trace_parent) SELECT $1, id, $2, $3, $4, 0, 0, $5, $5, $8 FROM registrations \
         WHERE event_id = $6 AND status IN ('Pending', 'Confirmed', 'Waitlisted') AND confirm_until IS NULL AND told <> $7",
    )
    .bind(task.kind().name())
    .bind(sequence)
    .bind(Destination::MAIL.name())
    .bind(task.payload())
    .bind(now.micros())
    .bind(event.uuid())
    .bind(current.fingerprint())
    .bind(trace_parent)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}
