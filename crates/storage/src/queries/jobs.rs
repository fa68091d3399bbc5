//! Jobs. A done job is deleted, so that the table stays small and contains no data about past mails.

use domain::{
    ids::EventId,
    instant::Instant,
    job::{ClaimedJob, Destination, Job, JobKey, JobKind},
};

use crate::{
    Error, FULL_BATCH, JobQueue, JobRecord, Reads, Tx,
    input::Input,
    reads::Batch,
    record::{Record as _, record},
    sql::{Fragment, SKIP_LOCKED, fragment, sql},
};

record! {
    JobKey as jobs { kind, subject_id, occasion }
}

record! {
    ClaimedJob as jobs of "jobs" {
        key { kind, subject_id, occasion },
        payload,
        attempt = "jobs.attempts",
        tries = "jobs.attempts - jobs.uncounted",
        leased_until = "jobs.due_at",
        trace_parent,
    }
}

record! {
    JobRecord as jobs of "jobs" {
        key { kind, subject_id, occasion },
        payload,
        attempts,
        tries = "jobs.attempts - jobs.uncounted",
        due_at,
        failed_at,
        held_at,
        last_error,
        created_at,
    }
}

record! {
    JobQueue as kinds {
        destination,
        kind,
        first_due_at = "(SELECT jobs.due_at FROM jobs WHERE jobs.failed_at IS NULL \
            AND jobs.destination = kinds.destination AND jobs.kind = kinds.kind ORDER BY jobs.due_at LIMIT 1)",
    }
}

/// Whether a job has not failed, for statements that have its key. `failed_at IS NULL` would let PostgreSQL read the index of due jobs in place of
/// the primary key, and so all jobs of a kind, by a plan from when there were few.
const NOT_FAILED: Fragment = Fragment::new("COALESCE(failed_at, 0) = 0");

/// What finds a claimed job, by its key and the number of its attempt.
pub(super) const CLAIMED: Fragment = fragment!(
    "kind = $1 AND subject_id = $2 AND occasion = $3 AND attempts = $4 AND {}",
    NOT_FAILED,
);

/// The same for the rows of `input`. On PostgreSQL they are looked up as arrays: a join might read all of the table by a plan from when it
/// was small.
const CLAIMED_IN_INPUT: Fragment = fragment!(
    "{} AND (kind, subject_id, occasion, attempts) IN (SELECT kind, subject_id, occasion, attempts FROM input) AND {}",
    KEYS_IN_INPUT,
    NOT_FAILED,
);

/// See [`CLAIMED_IN_INPUT`].
const KEYS_IN_INPUT: Fragment = Fragment::per_dialect(
    "kind IN (SELECT kind FROM input) AND subject_id IN (SELECT subject_id FROM input)",
    "kind = ANY (ARRAY(SELECT kind FROM input)) AND subject_id = ANY (ARRAY(SELECT subject_id FROM input))",
);

// A plan from an empty queue would read all of a full one, 330 ms a claim instead of 0.3: statements about queues are planned each time.
impl Reads {
    /// Returns the kinds of jobs that have not failed, for at most `limit` destinations after one in alphabetical order.
    ///
    /// It steps through the index from one destination and kind to the next, so that the cost depends on their number and not on the
    /// number of jobs.
    pub async fn list_job_queues(&self, after: &str, limit: i64) -> Result<Vec<JobQueue>, Error> {
        let statement = sql!(
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
             ) SELECT {} FROM kinds WHERE kind IS NOT NULL ORDER BY destination, kind",
            JobQueue::COLUMNS,
        )
        .planned_each_time();
        let queues: Batch<_, String> = self.batch("jobs", statement, (after, limit)).await?;
        Ok(queues.rows)
    }

    /// Returns the number of jobs of a kind and destination that are due, up to `max`.
    pub async fn count_due_jobs(
        &self,
        destination: &Destination,
        kind: JobKind,
        now: Instant,
        max: i64,
    ) -> Result<i64, Error> {
        let statement = sql!(
            "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE destination = $1 AND kind = $2 \
             AND failed_at IS NULL AND due_at <= $3 LIMIT $4) AS due"
        )
        .planned_each_time();
        let values = (destination, kind, now, max);
        self.one(statement, values).await
    }

    /// Returns the numbers of failed jobs by kind, of the `max` that failed first.
    pub async fn count_failed_jobs(&self, max: i64) -> Result<Vec<(String, i64)>, Error> {
        let statement = sql!(
            "SELECT kind, COUNT(*) FROM (SELECT kind FROM jobs WHERE failed_at IS NOT NULL \
             ORDER BY failed_at LIMIT $1) AS failed GROUP BY kind"
        );
        self.all(statement, [max]).await
    }

    /// Returns the jobs of a kind, including failed ones.
    pub async fn list_jobs(&self, kind: JobKind, limit: i64) -> Result<Vec<JobRecord>, Error> {
        let statement = sql!(
            "SELECT {} FROM jobs WHERE kind = $1 ORDER BY subject_id, occasion LIMIT $2",
            JobRecord::COLUMNS,
        );
        self.all(statement, (kind, limit)).await
    }
}

impl Tx {
    /// Adds a `cancellation_mail` job for each active registration of an event, but for no more than `max_added` of those that an organizer
    /// added; returns their number.
    pub async fn schedule_cancellation_mails(
        &mut self,
        event: EventId,
        max_added: Option<i32>,
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at, trace_parent) \
             SELECT $1, id, 0, $2, 0, 0, $3, $3, $5 FROM registrations \
             WHERE event_id = $4 AND status IN ('Pending', 'Confirmed', 'Waitlisted') AND (is_added = FALSE OR id IN \
             (SELECT id FROM registrations WHERE event_id = $4 AND is_added = TRUE \
             AND status IN ('Pending', 'Confirmed', 'Waitlisted') ORDER BY seq LIMIT $6))"
        );
        let values = (
            JobKind::CancellationMail,
            Destination::MAIL,
            now,
            event,
            trace_parent,
            max_added.map_or(i64::MAX, i64::from),
        );
        self.execute(statement, values).await
    }

    /// Adds jobs that are due at once, except existing ones; returns the number of added jobs.
    pub async fn insert_jobs(&mut self, jobs: &[Job], now: Instant) -> Result<u64, Error> {
        if jobs.is_empty() {
            return Ok(0);
        }
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, trace_parent) \
             SELECT kind, subject_id, occasion, destination, payload, 0, 0, created_at, created_at, trace_parent \
             FROM input WHERE TRUE ON CONFLICT (kind, subject_id, occasion) DO NOTHING"
        );
        let mut inserted = 0;
        for part in jobs.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("kind", |job| job.task.kind())
                .column("subject_id", |job| job.subject_id)
                .column("occasion", |job| job.occasion)
                .column("destination", |job| &job.destination)
                .column("payload", |job| job.task.payload())
                .column("created_at", |_| now)
                .column("trace_parent", |job| job.trace_parent.as_deref());
            inserted += self.execute(statement, input).await?;
        }
        Ok(inserted)
    }

    /// Claims at most `limit` due jobs of a kind for a destination. One kind at a time, so that a long queue of one kind does not delay
    /// another. Jobs that cannot be read fail.
    pub async fn claim_jobs(
        &mut self,
        destination: &Destination,
        kind: JobKind,
        now: Instant,
        leased_until: Instant,
        limit: usize,
    ) -> Result<Vec<ClaimedJob>, Error> {
        let statement = sql!(
            "WITH due AS MATERIALIZED (SELECT kind, subject_id, occasion FROM jobs \
             WHERE destination = $1 AND kind = $2 AND failed_at IS NULL AND due_at <= $3 ORDER BY due_at LIMIT $4{}) \
             UPDATE jobs SET attempts = jobs.attempts + 1, due_at = $5 FROM due \
             WHERE jobs.kind = due.kind AND jobs.subject_id = due.subject_id AND jobs.occasion = due.occasion RETURNING {}",
            SKIP_LOCKED,
            ClaimedJob::COLUMNS,
        )
        .planned_each_time();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = (destination, kind, now, limit, leased_until);
        let claimed: Batch<_, JobKey> = self.batch("jobs", statement, values).await?;
        for key in claimed.unreadable {
            let statement = sql!(
                "UPDATE jobs SET failed_at = $4, last_error = $5 WHERE kind = $1 AND subject_id = $2 AND occasion = $3"
            );
            let error = "the row cannot be read; the log has the cause";
            let values = (key.kind, key.subject_id, key.occasion, now, error);
            self.execute(statement, values).await?;
        }
        Ok(claimed.rows)
    }

    /// Makes claimed jobs due again whose tries did not begin, so that they do not count; returns their number. They come before those that
    /// were added later. Jobs whose lease was lost stay as they are, also if they were removed and added again.
    pub async fn release_jobs(&mut self, jobs: &[&ClaimedJob]) -> Result<u64, Error> {
        if jobs.is_empty() {
            return Ok(0);
        }
        let statement = sql!(
            "UPDATE jobs SET due_at = created_at, uncounted = uncounted + 1 WHERE {} AND (kind, subject_id, occasion, due_at) IN \
             (SELECT kind, subject_id, occasion, leased_until FROM input)",
            CLAIMED_IN_INPUT,
        );
        let input = claimed(jobs).column("leased_until", |job| job.leased_until);
        self.execute(statement, input).await
    }

    /// Removes jobs, whoever has them.
    pub(super) async fn delete_jobs(&mut self, keys: &[JobKey]) -> Result<(), Error> {
        let statement = sql!(
            "DELETE FROM jobs WHERE {} AND (kind, subject_id, occasion) IN (SELECT kind, subject_id, occasion FROM input)",
            KEYS_IN_INPUT,
        );
        for part in keys.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("kind", |key| key.kind)
                .column("subject_id", |key| key.subject_id)
                .column("occasion", |key| key.occasion);
            self.execute(statement, input).await?;
        }
        Ok(())
    }

    /// Removes done jobs and returns their number. Jobs whose lease was lost stay.
    pub async fn finish_jobs(&mut self, jobs: &[&ClaimedJob]) -> Result<u64, Error> {
        if jobs.is_empty() {
            return Ok(0);
        }
        let statement = sql!("DELETE FROM jobs WHERE {}", CLAIMED_IN_INPUT);
        self.execute(statement, claimed(jobs)).await
    }

    /// Puts a job back until `due_at`, or until it is released if it is held. The try counts only if `counts`. Returns false if the lease
    /// was lost.
    pub async fn postpone_job(
        &mut self,
        job: &ClaimedJob,
        due_at: Instant,
        counts: bool,
        error: &str,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "UPDATE jobs SET due_at = CASE WHEN held_at IS NULL THEN $5 ELSE due_at END, last_error = $6, \
             uncounted = uncounted + $7 WHERE {}",
            CLAIMED,
        );
        let JobKey {
            kind,
            subject_id,
            occasion,
        } = job.key;
        let uncounted = i32::from(!counts);
        let values = (
            kind,
            subject_id,
            occasion,
            job.attempt,
            due_at,
            error,
            uncounted,
        );
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Marks a job as failed and keeps it for operators; false if the lease was lost.
    pub async fn fail_job(
        &mut self,
        job: &ClaimedJob,
        now: Instant,
        error: &str,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "UPDATE jobs SET failed_at = $5, last_error = $6 WHERE {}",
            CLAIMED,
        );
        let JobKey {
            kind,
            subject_id,
            occasion,
        } = job.key;
        let values = (kind, subject_id, occasion, job.attempt, now, error);
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Removes at most `limit` jobs that failed before this time; returns their number.
    pub async fn delete_failed_jobs(&mut self, before: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM jobs WHERE (kind, subject_id, occasion) IN (SELECT kind, subject_id, occasion FROM jobs \
             WHERE failed_at IS NOT NULL AND failed_at < $1 ORDER BY failed_at LIMIT $2)"
        );
        self.execute(statement, (before, limit)).await
    }

    /// Makes a failed job due again with all tries; false if there is none.
    pub async fn retry_failed_job(&mut self, key: &JobKey, now: Instant) -> Result<bool, Error> {
        // Earlier tries no longer count. `attempts` continues, since it identifies leases.
        let statement = sql!(
            "UPDATE jobs SET failed_at = NULL, held_at = NULL, due_at = $4, uncounted = attempts \
             WHERE kind = $1 AND subject_id = $2 AND occasion = $3 AND failed_at IS NOT NULL"
        );
        let values = (key.kind, key.subject_id, key.occasion, now);
        Ok(self.execute(statement, values).await? == 1)
    }
}

/// The rows of [`CLAIMED_IN_INPUT`].
fn claimed<'a>(jobs: &'a [&'a ClaimedJob]) -> Input<'a, &'a ClaimedJob> {
    Input::of(jobs)
        .column("kind", |job| job.key.kind)
        .column("subject_id", |job| job.key.subject_id)
        .column("occasion", |job| job.key.occasion)
        .column("attempts", |job| job.attempt)
}
