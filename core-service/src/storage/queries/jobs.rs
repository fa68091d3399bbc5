//! Jobs. A done job is deleted: the table stays as small as the work that is left, and keeps nothing of a person.

use sqlx::Row as _;

use super::{Connection, Db, Given, Row};
use crate::{
    domain::{
        ids::EventId,
        instant::Instant,
        job::{CANCELLATION_MAIL, ClaimedJob, EVENT_CHANGED_MAIL, JobKey, PROMOTED_MAIL},
    },
    storage::{Error, JobRecord},
};

pub(in crate::storage) async fn schedule_cancellation_mails(
    connection: &mut Connection,
    event: EventId,
    now: Instant,
) -> Result<u64, Error> {
    schedule_for_active(connection, CANCELLATION_MAIL, 0, event, now).await
}

pub(in crate::storage) async fn schedule_event_changed_mails(
    connection: &mut Connection,
    event: EventId,
    sequence: i32,
    now: Instant,
) -> Result<u64, Error> {
    schedule_for_active(connection, EVENT_CHANGED_MAIL, sequence, event, now).await
}

async fn schedule_for_active(
    connection: &mut Connection,
    kind: &str,
    generation: i32,
    event: EventId,
    now: Instant,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "INSERT INTO jobs (kind, subject_id, generation, attempts, due_at, created_at) \
         SELECT $1, id, $4, 0, $2, $2 FROM registrations \
         WHERE event_id = $3 AND status IN ('Pending', 'Confirmed', 'Waitlisted')",
    )
    .bind(kind)
    .bind(now.micros())
    .bind(event.uuid())
    .bind(generation)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

/// Chooses as `promote_waitlisted` does.
pub(in crate::storage) async fn schedule_promotion_mails(
    connection: &mut Connection,
    event: EventId,
    seats: i32,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO jobs (kind, subject_id, generation, attempts, due_at, created_at) \
         SELECT $1, id, 0, 0, $2, $2 FROM registrations \
         WHERE event_id = $3 AND status = 'Waitlisted' ORDER BY seq LIMIT $4",
    )
    .bind(PROMOTED_MAIL)
    .bind(now.micros())
    .bind(event.uuid())
    .bind(i64::from(seats))
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn insert_jobs(
    connection: &mut Connection,
    keys: &[JobKey],
    now: Instant,
) -> Result<(), Error> {
    Given::default()
        .column("kind", keys.iter().map(|key| key.kind.as_str()))
        .column("subject_id", keys.iter().map(|key| key.subject_id))
        .column("generation", keys.iter().map(|key| key.generation))
        .column("created_at", keys.iter().map(|_| now.micros()))
        .execute(
            connection,
            "INSERT INTO jobs (kind, subject_id, generation, attempts, due_at, created_at) \
             SELECT kind, subject_id, generation, 0, created_at, created_at FROM given WHERE TRUE \
             ON CONFLICT (kind, subject_id, generation) DO NOTHING",
        )
        .await?;
    Ok(())
}

pub(in crate::storage) async fn insert_job(
    connection: &mut Connection,
    key: &JobKey,
    now: Instant,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "INSERT INTO jobs (kind, subject_id, generation, attempts, due_at, created_at) VALUES ($1, $2, $3, 0, $4, $4) \
         ON CONFLICT (kind, subject_id, generation) DO NOTHING",
    )
    .bind(&key.kind)
    .bind(key.subject_id)
    .bind(key.generation)
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// One kind at a time, so that a long queue of one does not hold up another.
pub(in crate::storage) async fn claim_jobs(
    connection: &mut Connection,
    kind: &str,
    now: Instant,
    leased_until: Instant,
    limit: i64,
) -> Result<Vec<ClaimedJob>, Error> {
    sqlx::query::<Db>(concat!(
        "WITH due AS MATERIALIZED (SELECT kind, subject_id, generation FROM jobs \
         WHERE kind = $1 AND dead_at IS NULL AND due_at <= $2 ORDER BY due_at LIMIT $4",
        skip_locked!(),
        ") UPDATE jobs SET attempts = jobs.attempts + 1, due_at = $3 FROM due \
         WHERE jobs.kind = due.kind AND jobs.subject_id = due.subject_id AND jobs.generation = due.generation \
         RETURNING jobs.kind AS kind, jobs.subject_id AS subject_id, jobs.generation AS generation, \
         jobs.attempts AS attempts, jobs.excused AS excused, jobs.due_at AS due_at"
    ))
    .bind(kind)
    .bind(now.micros())
    .bind(leased_until.micros())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn finish_jobs(
    connection: &mut Connection,
    jobs: &[&ClaimedJob],
) -> Result<u64, Error> {
    if jobs.is_empty() {
        return Ok(0);
    }
    Given::default()
        .column("kind", jobs.iter().map(|job| job.key.kind.as_str()))
        .column("subject_id", jobs.iter().map(|job| job.key.subject_id))
        .column("generation", jobs.iter().map(|job| job.key.generation))
        .column("attempts", jobs.iter().map(|job| job.attempt))
        .execute(
            connection,
            "DELETE FROM jobs WHERE dead_at IS NULL AND (kind, subject_id, generation, attempts) IN \
             (SELECT kind, subject_id, generation, attempts FROM given)",
        )
        .await
}

pub(in crate::storage) async fn retry_job(
    connection: &mut Connection,
    job: &ClaimedJob,
    due_at: Instant,
    error: &str,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET due_at = $5, last_error = $6 \
         WHERE kind = $1 AND subject_id = $2 AND generation = $3 AND attempts = $4 AND dead_at IS NULL",
    )
    .bind(&job.key.kind)
    .bind(job.key.subject_id)
    .bind(job.key.generation)
    .bind(job.attempt)
    .bind(due_at.micros())
    .bind(error)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn excuse_job(
    connection: &mut Connection,
    job: &ClaimedJob,
    due_at: Instant,
    error: &str,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET due_at = $5, last_error = $6, excused = excused + 1 \
         WHERE kind = $1 AND subject_id = $2 AND generation = $3 AND attempts = $4 AND dead_at IS NULL",
    )
    .bind(&job.key.kind)
    .bind(job.key.subject_id)
    .bind(job.key.generation)
    .bind(job.attempt)
    .bind(due_at.micros())
    .bind(error)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn bury_job(
    connection: &mut Connection,
    job: &ClaimedJob,
    now: Instant,
    error: &str,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET dead_at = $5, last_error = $6 \
         WHERE kind = $1 AND subject_id = $2 AND generation = $3 AND attempts = $4 AND dead_at IS NULL",
    )
    .bind(&job.key.kind)
    .bind(job.key.subject_id)
    .bind(job.key.generation)
    .bind(job.attempt)
    .bind(now.micros())
    .bind(error)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn delete_dead_jobs(
    connection: &mut Connection,
    before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM jobs WHERE (kind, subject_id, generation) IN (SELECT kind, subject_id, generation FROM jobs \
         WHERE dead_at IS NOT NULL AND dead_at < $1 ORDER BY dead_at LIMIT $2)",
    )
    .bind(before.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn list_jobs(
    connection: &mut Connection,
    kind: &str,
    limit: i64,
) -> Result<Vec<JobRecord>, Error> {
    sqlx::query::<Db>(
        "SELECT kind, subject_id, generation, attempts, excused, due_at, dead_at, last_error FROM jobs \
         WHERE kind = $1 ORDER BY subject_id, generation LIMIT $2",
    )
    .bind(kind)
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(record)
    .collect()
}

/// Its tries so far no longer count; `attempts` goes on, since it tells leases apart.
pub(in crate::storage) async fn revive_job(
    connection: &mut Connection,
    key: &JobKey,
    now: Instant,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET dead_at = NULL, due_at = $4, excused = attempts \
         WHERE kind = $1 AND subject_id = $2 AND generation = $3 AND dead_at IS NOT NULL",
    )
    .bind(&key.kind)
    .bind(key.subject_id)
    .bind(key.generation)
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) fn record(row: &Row) -> Result<JobRecord, Error> {
    let job = read(row)?;
    let dead_at: Option<i64> = row.try_get("dead_at")?;
    Ok(JobRecord {
        attempts: job.attempt,
        tries: job.tries,
        due_at: job.leased_until,
        dead_at: dead_at.map(Instant::from_micros),
        last_error: row.try_get("last_error")?,
        key: job.key,
    })
}

fn read(row: &Row) -> Result<ClaimedJob, Error> {
    let (attempt, excused): (i32, i32) = (row.try_get("attempts")?, row.try_get("excused")?);
    Ok(ClaimedJob {
        key: JobKey {
            kind: row.try_get("kind")?,
            subject_id: row.try_get("subject_id")?,
            generation: row.try_get("generation")?,
        },
        attempt,
        tries: attempt.saturating_sub(excused),
        leased_until: Instant::from_micros(row.try_get("due_at")?),
    })
}
