//! Jobs. A done job is deleted, so that the table stays small and contains no data about past mails.

use sqlx::{Connection as _, Row as _};

use super::{Connection, Db, Input, KEEPS_PLANS_OF_QUEUES, Row};
use crate::{
    domain::{
        ids::EventId,
        instant::Instant,
        job::{ClaimedJob, Destination, Job, JobKey, JobKind},
    },
    storage::{Error, JobQueue, JobRecord},
};

pub(in crate::storage) async fn schedule_cancellation_mails(
    connection: &mut Connection,
    event: EventId,
    now: Instant,
    trace_parent: Option<&str>,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at, trace_parent) \
         SELECT $1, id, 0, $2, 0, 0, $3, $3, $5 FROM registrations \
         WHERE event_id = $4 AND status IN ('Pending', 'Confirmed', 'Waitlisted')",
    )
    .bind(JobKind::CancellationMail.name())
    .bind(Destination::MAIL.name())
    .bind(now.micros())
    .bind(event.uuid())
    .bind(trace_parent)
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
    trace_parent: Option<&str>,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at, trace_parent) \
         SELECT $1, id, 0, $2, 0, 0, $3, $3, $6 FROM registrations \
         WHERE event_id = $4 AND status = 'Waitlisted' ORDER BY seq LIMIT $5",
    )
    .bind(JobKind::PromotedMail.name())
    .bind(Destination::MAIL.name())
    .bind(now.micros())
    .bind(event.uuid())
    .bind(i64::from(seats))
    .bind(trace_parent)
    .execute(connection)
    .await?;
    Ok(())
}

/// Adds the rows of `input`, with more columns if there are.
macro_rules! insert {
    ($more:literal) => {
        concat!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at",
            $more,
            ") SELECT kind, subject_id, occasion, destination, payload, 0, 0, created_at, created_at",
            $more,
            " FROM input WHERE TRUE ON CONFLICT (kind, subject_id, occasion) DO NOTHING"
        )
    };
}

/// A batch of which nothing is traced costs nothing for it.
pub(in crate::storage) async fn insert_jobs(
    connection: &mut Connection,
    jobs: &[Job],
    now: Instant,
) -> Result<u64, Error> {
    if jobs.is_empty() {
        return Ok(0);
    }
    let input = Input::default()
        .column("kind", jobs.iter().map(|job| job.task.kind().name()))
        .column("subject_id", jobs.iter().map(|job| job.subject_id))
        .column("occasion", jobs.iter().map(|job| job.occasion))
        .column("destination", jobs.iter().map(|job| job.destination.name()))
        .column("payload", jobs.iter().map(|job| job.task.payload()))
        .column("created_at", jobs.iter().map(|_| now.micros()));
    if jobs.iter().all(|job| job.trace_parent.is_none()) {
        return input.execute(connection, insert!("")).await;
    }
    input
        .column(
            "trace_parent",
            jobs.iter().map(|job| job.trace_parent.as_deref()),
        )
        .execute(connection, insert!(", trace_parent"))
        .await
}

/// Steps through the index from one destination and kind to the next, so that the cost depends on their number and not on the
/// number of jobs.
pub(in crate::storage) async fn list_job_queues(
    connection: &mut Connection,
    after: &str,
    limit: i64,
) -> Result<Vec<JobQueue>, Error> {
    // What is not kept is prepared without a name, which a pooler may forget outside of a transaction.
    let mut transaction = connection.begin().await?;
    let rows = sqlx::query::<Db>(
        "WITH RECURSIVE destinations (destination, number) AS ( \
         SELECT (SELECT jobs.destination FROM jobs WHERE jobs.failed_at IS NULL AND jobs.destination > $1 \
         ORDER BY jobs.destination LIMIT 1), 1 \
         UNION ALL \
         SELECT (SELECT jobs.destination FROM jobs WHERE jobs.failed_at IS NULL \
         AND jobs.destination > destinations.destination ORDER BY jobs.destination LIMIT 1), number + 1 \
         FROM destinations WHERE destination IS NOT NULL AND number < $2 \
         ), kinds (destination, kind) AS ( \
         SELECT destination, (SELECT jobs.kind FROM jobs WHERE jobs.failed_at IS NULL \
         AND jobs.destination = destinations.destination ORDER BY jobs.kind LIMIT 1) \
         FROM destinations WHERE destination IS NOT NULL \
         UNION ALL \
         SELECT destination, (SELECT jobs.kind FROM jobs WHERE jobs.failed_at IS NULL \
         AND jobs.destination = kinds.destination AND jobs.kind > kinds.kind ORDER BY jobs.kind LIMIT 1) \
         FROM kinds WHERE kind IS NOT NULL \
         ) SELECT destination, kind, (SELECT jobs.due_at FROM jobs WHERE jobs.failed_at IS NULL \
         AND jobs.destination = kinds.destination AND jobs.kind = kinds.kind ORDER BY jobs.due_at LIMIT 1) AS due_at \
         FROM kinds WHERE kind IS NOT NULL ORDER BY destination, kind",
    )
    .bind(after)
    .bind(limit)
    .persistent(KEEPS_PLANS_OF_QUEUES)
    .fetch_all(&mut *transaction)
    .await?;
    transaction.commit().await?;
    rows.iter()
        .map(|row| {
            Ok(JobQueue {
                destination: Destination::new(row.try_get("destination")?),
                kind: row.try_get("kind")?,
                first_due_at: Instant::from_micros(row.try_get("due_at")?),
            })
        })
        .collect()
}

pub(in crate::storage) async fn count_due_jobs(
    connection: &mut Connection,
    destination: &Destination,
    kind: JobKind,
    now: Instant,
    most: i64,
) -> Result<i64, Error> {
    // As for `list_job_queues`.
    let mut transaction = connection.begin().await?;
    let row = sqlx::query::<Db>(
        "SELECT COUNT(*) AS number FROM (SELECT 1 FROM jobs WHERE destination = $1 AND kind = $2 \
         AND failed_at IS NULL AND due_at <= $3 LIMIT $4) AS due",
    )
    .bind(destination.name())
    .bind(kind.name())
    .bind(now.micros())
    .bind(most)
    .persistent(KEEPS_PLANS_OF_QUEUES)
    .fetch_one(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(row.try_get("number")?)
}

pub(in crate::storage) async fn count_failed_jobs(
    connection: &mut Connection,
    most: i64,
) -> Result<Vec<(String, i64)>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT kind, COUNT(*) AS number FROM (SELECT kind FROM jobs WHERE failed_at IS NOT NULL \
         ORDER BY failed_at LIMIT $1) AS failed GROUP BY kind",
    )
    .bind(most)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| Ok((row.try_get("kind")?, row.try_get("number")?)))
        .collect()
}

/// One kind at a time, so that a long queue of one kind does not delay another.
pub(in crate::storage) async fn claim_jobs(
    connection: &mut Connection,
    destination: &Destination,
    kind: JobKind,
    now: Instant,
    leased_until: Instant,
    limit: usize,
) -> Result<Vec<ClaimedJob>, Error> {
    sqlx::query::<Db>(concat!(
        "WITH due AS MATERIALIZED (SELECT kind, subject_id, occasion FROM jobs \
         WHERE destination = $1 AND kind = $2 AND failed_at IS NULL AND due_at <= $3 ORDER BY due_at LIMIT $4",
        skip_locked!(),
        ") UPDATE jobs SET attempts = jobs.attempts + 1, due_at = $5 FROM due \
         WHERE jobs.kind = due.kind AND jobs.subject_id = due.subject_id AND jobs.occasion = due.occasion \
         RETURNING jobs.subject_id AS subject_id, jobs.occasion AS occasion, jobs.payload AS payload, \
         jobs.attempts AS attempts, jobs.uncounted AS uncounted, jobs.due_at AS due_at, \
         jobs.trace_parent AS trace_parent"
    ))
    .bind(destination.name())
    .bind(kind.name())
    .bind(now.micros())
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(leased_until.micros())
    .persistent(KEEPS_PLANS_OF_QUEUES)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        Ok(ClaimedJob {
            trace_parent: row.try_get("trace_parent")?,
            ..read(kind, row)?
        })
    })
    .collect()
}

pub(in crate::storage) async fn finish_jobs(
    connection: &mut Connection,
    jobs: &[&ClaimedJob],
) -> Result<u64, Error> {
    if jobs.is_empty() {
        return Ok(0);
    }
    Input::default()
        .column("kind", jobs.iter().map(|job| job.key.kind.name()))
        .column("subject_id", jobs.iter().map(|job| job.key.subject_id))
        .column("occasion", jobs.iter().map(|job| job.key.occasion))
        .column("attempts", jobs.iter().map(|job| job.attempt))
        .execute(
            connection,
            concat!(
                "DELETE FROM jobs WHERE kind",
                any_of_input!("kind"),
                " AND subject_id",
                any_of_input!("subject_id"),
                " AND failed_at IS NULL AND (kind, subject_id, occasion, attempts) IN \
                 (SELECT kind, subject_id, occasion, attempts FROM input)"
            ),
        )
        .await
}

pub(in crate::storage) async fn postpone_job(
    connection: &mut Connection,
    job: &ClaimedJob,
    due_at: Instant,
    counts: bool,
    error: &str,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET due_at = $5, last_error = $6, uncounted = uncounted + $7 \
         WHERE kind = $1 AND subject_id = $2 AND occasion = $3 AND attempts = $4 AND failed_at IS NULL",
    )
    .bind(job.key.kind.name())
    .bind(job.key.subject_id)
    .bind(job.key.occasion)
    .bind(job.attempt)
    .bind(due_at.micros())
    .bind(error)
    .bind(i32::from(!counts))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn fail_job(
    connection: &mut Connection,
    job: &ClaimedJob,
    now: Instant,
    error: &str,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET failed_at = $5, last_error = $6 \
         WHERE kind = $1 AND subject_id = $2 AND occasion = $3 AND attempts = $4 AND failed_at IS NULL",
    )
    .bind(job.key.kind.name())
    .bind(job.key.subject_id)
    .bind(job.key.occasion)
    .bind(job.attempt)
    .bind(now.micros())
    .bind(error)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn delete_failed_jobs(
    connection: &mut Connection,
    before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM jobs WHERE (kind, subject_id, occasion) IN (SELECT kind, subject_id, occasion FROM jobs \
         WHERE failed_at IS NOT NULL AND failed_at < $1 ORDER BY failed_at LIMIT $2)",
    )
    .bind(before.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn list_jobs(
    connection: &mut Connection,
    kind: JobKind,
    limit: i64,
) -> Result<Vec<JobRecord>, Error> {
    sqlx::query::<Db>(
        "SELECT subject_id, occasion, payload, attempts, uncounted, due_at, failed_at, last_error FROM jobs \
         WHERE kind = $1 ORDER BY subject_id, occasion LIMIT $2",
    )
    .bind(kind.name())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| record(kind, row))
    .collect()
}

/// Earlier tries no longer count. `attempts` continues, since it identifies leases.
pub(in crate::storage) async fn retry_failed_job(
    connection: &mut Connection,
    key: &JobKey,
    now: Instant,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET failed_at = NULL, due_at = $4, uncounted = attempts \
         WHERE kind = $1 AND subject_id = $2 AND occasion = $3 AND failed_at IS NOT NULL",
    )
    .bind(key.kind.name())
    .bind(key.subject_id)
    .bind(key.occasion)
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) fn record(kind: JobKind, row: &Row) -> Result<JobRecord, Error> {
    let job = read(kind, row)?;
    let failed_at: Option<i64> = row.try_get("failed_at")?;
    Ok(JobRecord {
        attempts: job.attempt,
        tries: job.tries,
        due_at: job.leased_until,
        failed_at: failed_at.map(Instant::from_micros),
        last_error: row.try_get("last_error")?,
        key: job.key,
        payload: job.payload,
    })
}

fn read(kind: JobKind, row: &Row) -> Result<ClaimedJob, Error> {
    let (attempt, uncounted): (i32, i32) = (row.try_get("attempts")?, row.try_get("uncounted")?);
    Ok(ClaimedJob {
        key: JobKey {
            kind,
            subject_id: row.try_get("subject_id")?,
            occasion: row.try_get("occasion")?,
        },
        payload: row.try_get("payload")?,
        attempt,
        tries: attempt.saturating_sub(uncounted),
        leased_until: Instant::from_micros(row.try_get("due_at")?),
        trace_parent: None,
    })
}
