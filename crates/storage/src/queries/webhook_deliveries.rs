//! Deliveries of messages to webhooks, their attempts and their jobs.
//!
//! A delivery that waits is a job, which is all that a change writes of it. It has a row of its own from the first attempt on, or once its
//! webhook is not active, so that it waits without a job.

use domain::{
    ids::WebhookId,
    instant::Instant,
    job::{ClaimedJob, JobKey},
    webhook::{Delivery, DeliveryAttempt, DeliveryState, Webhook, WebhookMessage},
};
use uuid::Uuid;

use crate::{
    Error, FULL_BATCH, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    row::{Columns, FromRow},
    sql::{FOR_KEY_SHARE, FOR_UPDATE, Fragment, sql},
};

use super::jobs::CLAIMED;

record! {
    DeliveryAttempt as a { at, took_ms, status, answer, error }
}

/// What a statement selects of the delivery of `m` to `w`, whose row `d` may be missing, and of its job, besides the message: see
/// [`Delivery`].
const OF_DELIVERY: Fragment = Fragment::new(
    "COALESCE(d.state, 'waiting'), COALESCE(d.attempts, 0), d.last_status, d.last_at, (SELECT j.due_at FROM jobs j \
     WHERE j.kind = 'webhook_delivery' AND j.subject_id = m.id AND j.occasion = w.number)",
);

/// The row of the delivery of `m` to `w`.
const ROW: Fragment =
    Fragment::new("webhook_deliveries d ON d.webhook_id = w.id AND d.message_id = m.id");

/// Whether there is a delivery of `m` to `w`, with or without a row.
const EXISTS: Fragment = Fragment::new(
    "(d.message_id IS NOT NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'webhook_delivery' AND j.subject_id = m.id \
     AND j.occasion = w.number))",
);

impl FromRow for Delivery {
    const WIDTH: usize = WebhookMessage::WIDTH + 5;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        Ok(Self {
            message: columns.read()?,
            state: columns.read()?,
            attempts: columns.read()?,
            last_status: columns.read()?,
            last_at: columns.read()?,
            next_at: columns.read()?,
        })
    }
}

/// The messages of the jobs of a destination, `$4`, before one, `$2`, the latest first.
const QUEUED: Fragment = Fragment::new(
    "SELECT id FROM (SELECT subject_id AS id FROM jobs WHERE destination = $4 AND kind = 'webhook_delivery' AND failed_at IS NULL \
     AND subject_id < $2 ORDER BY subject_id DESC LIMIT $3) AS queued",
);

/// What belongs to the ids of messages in `found`.
const FOUND: Fragment = Fragment::new(
    "JOIN webhook_messages m ON m.id = found.id JOIN webhooks w ON w.id = $1 \
     LEFT JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.message_id = m.id",
);

/// What a job becomes that is scheduled again: due at once, with all tries, even if it failed. Its claims are counted on, since they identify
/// leases.
const OR_RENEW: Fragment = Fragment::new(
    "ON CONFLICT (kind, subject_id, occasion) DO UPDATE SET due_at = excluded.due_at, failed_at = NULL, last_error = NULL, \
     uncounted = jobs.attempts",
);

/// A delivery whose attempt succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuccessfulDelivery {
    /// The webhook.
    pub webhook: WebhookId,
    /// The number of the webhook, the occasion of the job.
    pub number: i32,
    /// The message.
    pub message: Uuid,
    /// Where it was posted, which may be a former URL of the webhook by now.
    pub url: String,
    /// The attempt.
    pub attempt: DeliveryAttempt,
}

impl Reads {
    /// Returns a message of an account, if it was scheduled for a webhook with this number: both, and whether the account is suspended.
    pub async fn find_delivery(
        &self,
        message: Uuid,
        number: i32,
    ) -> Result<Option<(Webhook, Delivery, bool)>, Error> {
        let statement = sql!(
            "SELECT {}, {}, {}, c.suspended_at IS NOT NULL FROM webhook_messages m JOIN webhooks w ON w.account_id = m.account_id AND w.number = $2 \
             LEFT JOIN {} JOIN accounts c ON c.id = m.account_id WHERE m.id = $1 AND {}",
            Webhook::COLUMNS,
            WebhookMessage::COLUMNS,
            OF_DELIVERY,
            ROW,
            EXISTS,
        );
        self.optional(statement, (message, number)).await
    }

    /// Returns the deliveries to a webhook before a message, the latest first, of one state or of all.
    pub async fn list_deliveries(
        &self,
        webhook: &Webhook,
        state: Option<DeliveryState>,
        before: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<Delivery>, Error> {
        let before = before.unwrap_or(Uuid::max());
        let destination = webhook.destination();
        match state {
            None => {
                let statement = sql!(
                    "SELECT {}, {} FROM (SELECT id FROM (SELECT message_id AS id FROM webhook_deliveries WHERE webhook_id = $1 \
                     AND message_id < $2 ORDER BY message_id DESC LIMIT $3) AS written UNION {}) AS found {} ORDER BY m.id DESC LIMIT $3",
                    WebhookMessage::COLUMNS,
                    OF_DELIVERY,
                    QUEUED,
                    FOUND,
                );
                let values = (webhook.id, before, limit, destination);
                self.all(statement, values).await
            }
            Some(DeliveryState::Waiting) => {
                let statement = sql!(
                    "SELECT {}, {} FROM (SELECT id FROM (SELECT message_id AS id FROM webhook_deliveries WHERE webhook_id = $1 \
                     AND message_id < $2 AND state = 'waiting' ORDER BY message_id DESC LIMIT $3) AS written UNION {}) AS found {} \
                     WHERE COALESCE(d.state, 'waiting') = 'waiting' ORDER BY m.id DESC LIMIT $3",
                    WebhookMessage::COLUMNS,
                    OF_DELIVERY,
                    QUEUED,
                    FOUND,
                );
                let values = (webhook.id, before, limit, destination);
                self.all(statement, values).await
            }
            Some(DeliveryState::Delivered | DeliveryState::Failed) => {
                let statement = sql!(
                    "SELECT {}, {} FROM webhook_deliveries d JOIN webhook_messages m ON m.id = d.message_id JOIN webhooks w ON w.id = d.webhook_id \
                     WHERE d.webhook_id = $1 AND d.message_id < $2 AND d.state = $4 ORDER BY d.message_id DESC LIMIT $3",
                    WebhookMessage::COLUMNS,
                    OF_DELIVERY,
                );
                self.all(statement, (webhook.id, before, limit, state))
                    .await
            }
        }
    }

    /// Returns a delivery to a webhook.
    pub async fn get_delivery(
        &self,
        webhook: WebhookId,
        message: Uuid,
    ) -> Result<Option<Delivery>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM webhooks w JOIN webhook_messages m ON m.account_id = w.account_id LEFT JOIN {} \
             WHERE w.id = $1 AND m.id = $2 AND {}",
            WebhookMessage::COLUMNS,
            OF_DELIVERY,
            ROW,
            EXISTS,
        );
        self.optional(statement, (webhook, message)).await
    }

    /// Returns the attempts of a delivery, the latest first.
    pub async fn list_delivery_attempts(
        &self,
        webhook: WebhookId,
        message: Uuid,
        limit: i64,
    ) -> Result<Vec<DeliveryAttempt>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhook_attempts a WHERE a.webhook_id = $1 AND a.message_id = $2 ORDER BY a.at DESC LIMIT $3",
            DeliveryAttempt::COLUMNS,
        );
        self.all(statement, (webhook, message, limit)).await
    }

    /// Returns those of these messages that have a delivery to a webhook.
    pub async fn list_deliveries_of(
        &self,
        webhook: WebhookId,
        messages: &[Uuid],
    ) -> Result<Vec<Uuid>, Error> {
        // SQLite has no empty lists of rows.
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!(
            "SELECT m.id FROM input JOIN webhooks w ON w.id = input.webhook_id JOIN webhook_messages m ON m.id = input.message_id \
             LEFT JOIN {} WHERE {}",
            ROW,
            EXISTS,
        )
        .planned_each_time();
        let input = Input::of(messages)
            .column("webhook_id", |_| webhook)
            .column("message_id", |message| message);
        self.all(statement, input).await
    }

    /// Returns the messages since then whose delivery to a webhook failed, the oldest first.
    pub async fn list_failed_deliveries(
        &self,
        webhook: WebhookId,
        since: Instant,
        limit: i64,
    ) -> Result<Vec<Uuid>, Error> {
        let statement = sql!(
            "SELECT d.message_id FROM webhook_deliveries d JOIN webhook_messages m ON m.id = d.message_id \
             WHERE d.webhook_id = $1 AND d.state = 'failed' AND m.at >= $2 ORDER BY d.message_id LIMIT $3"
        );
        self.all(statement, (webhook, since, limit)).await
    }
}

impl Tx {
    /// Writes the rows of deliveries that wait and have none yet.
    pub async fn insert_deliveries(
        &mut self,
        deliveries: &[(WebhookId, Uuid)],
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO webhook_deliveries (webhook_id, message_id, state, attempts) \
             SELECT w.id, m.id, 'waiting', 0 FROM input JOIN webhooks w ON w.id = input.webhook_id \
             JOIN webhook_messages m ON m.id = input.message_id WHERE TRUE ON CONFLICT (webhook_id, message_id) DO NOTHING"
        )
        .planned_each_time();
        for part in deliveries.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("webhook_id", |(webhook, _)| *webhook)
                .column("message_id", |(_, message)| *message);
            self.execute(statement, input).await?;
        }
        Ok(())
    }

    /// Removes the jobs of a webhook that is not active any more. Its deliveries wait on, until jobs are scheduled for them again.
    pub async fn park_deliveries(&mut self, webhook: &Webhook) -> Result<(), Error> {
        let destination = webhook.destination();
        let statement = sql!(
            "INSERT INTO webhook_deliveries (webhook_id, message_id, state, attempts) \
             SELECT $1, j.subject_id, 'waiting', 0 FROM jobs j WHERE j.destination = $2 AND j.kind = 'webhook_delivery' \
             AND j.failed_at IS NULL ON CONFLICT (webhook_id, message_id) DO NOTHING"
        )
        .planned_each_time();
        self.execute(statement, (webhook.id, &destination)).await?;
        self.delete_delivery_jobs(&destination).await
    }

    /// Schedules the deliveries of a webhook that wait without a job.
    pub async fn schedule_waiting_deliveries(
        &mut self,
        webhook: &Webhook,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at) \
             SELECT 'webhook_delivery', d.message_id, $2, $3, 0, 0, $4, $4 FROM webhook_deliveries d \
             WHERE d.webhook_id = $1 AND d.state = 'waiting' ON CONFLICT (kind, subject_id, occasion) DO NOTHING"
        );
        let values = (webhook.id, webhook.number, webhook.destination(), now);
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Makes these deliveries of a webhook wait again, with all attempts, and due at once if it is active.
    pub async fn renew_deliveries(
        &mut self,
        webhook: &Webhook,
        messages: &[Uuid],
        now: Instant,
    ) -> Result<(), Error> {
        let deliveries: Vec<_> = messages.iter().map(|id| (webhook.id, *id)).collect();
        self.insert_deliveries(&deliveries).await?;
        let renew = sql!(
            "UPDATE webhook_deliveries SET state = 'waiting', attempts = 0 FROM input \
             WHERE webhook_deliveries.webhook_id = input.webhook_id AND webhook_deliveries.message_id = input.message_id"
        );
        let schedule = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at) \
             SELECT 'webhook_delivery', d.message_id, input.occasion, input.destination, 0, 0, input.now, input.now FROM input \
             JOIN webhook_deliveries d ON d.webhook_id = input.webhook_id AND d.message_id = input.message_id WHERE TRUE {}",
            OR_RENEW,
        );
        let destination = webhook.destination();
        for part in messages.chunks(FULL_BATCH) {
            let renewed = Input::of(part)
                .column("webhook_id", |_| webhook.id)
                .column("message_id", |message| message);
            self.execute(renew, renewed).await?;
            if webhook.is_active() {
                let scheduled = Input::of(part)
                    .column("webhook_id", |_| webhook.id)
                    .column("message_id", |message| message)
                    .column("occasion", |_| webhook.number)
                    .column("destination", |_| &destination)
                    .column("now", |_| now);
                self.execute(schedule, scheduled).await?;
            }
        }
        Ok(())
    }

    /// Locks the job of a delivery; false if its lease is another try's by now, or if it was removed meanwhile, and perhaps added again.
    pub async fn lock_delivery_job(&mut self, job: &ClaimedJob) -> Result<bool, Error> {
        // A job that was added again counts its claims from the beginning, so the lease's end belongs to it, too.
        let statement = sql!(
            "SELECT attempts FROM jobs WHERE {} AND due_at = $5{}",
            CLAIMED,
            FOR_UPDATE,
        );
        let JobKey {
            kind,
            subject_id,
            occasion,
        } = job.key;
        let values = (kind, subject_id, occasion, job.attempt, job.leased_until);
        let found: Option<i32> = self.optional(statement, values).await?;
        Ok(found.is_some())
    }

    /// Records attempts that succeeded, and removes the jobs of what is delivered now. What a former URL took is still to be delivered.
    pub async fn record_deliveries(
        &mut self,
        delivered: &[SuccessfulDelivery],
    ) -> Result<(), Error> {
        if delivered.is_empty() {
            return Ok(());
        }
        let mut last: Vec<&SuccessfulDelivery> = delivered.iter().collect();
        // In one order, so that two runners cannot deadlock; the latest time of each counts.
        last.sort_unstable_by_key(|one| (one.webhook, &one.url, std::cmp::Reverse(one.attempt.at)));
        last.dedup_by_key(|one| (one.webhook, &one.url));
        let statement = sql!(
            "UPDATE webhooks SET last_success_at = $3, failing_since = NULL, warned_at = NULL WHERE id = $1 AND url = $2"
        );
        for one in last {
            let values = (one.webhook, &*one.url, one.attempt.at);
            self.execute(statement, values).await?;
        }
        let deliveries: Vec<_> = delivered
            .iter()
            .map(|one| (one.webhook, one.message))
            .collect();
        self.insert_deliveries(&deliveries).await?;
        let statement = sql!(
            "UPDATE webhook_deliveries SET state = 'delivered', attempts = webhook_deliveries.attempts + 1, \
             last_status = input.status, last_at = input.at FROM input \
             WHERE webhook_deliveries.webhook_id = input.webhook_id AND webhook_deliveries.message_id = input.message_id \
             AND webhook_deliveries.state <> 'delivered' \
             AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = input.webhook_id AND w.url = input.url)"
        )
        .planned_each_time();
        let input = Input::of(delivered)
            .column("webhook_id", |one| one.webhook)
            .column("message_id", |one| one.message)
            .column("url", |one| &*one.url)
            .column("status", |one| one.attempt.status)
            .column("at", |one| one.attempt.at);
        self.execute(statement, input).await?;
        let attempts: Vec<_> = delivered
            .iter()
            .map(|one| (one.webhook, one.message, &one.attempt))
            .collect();
        self.insert_delivery_attempts(&attempts).await?;
        let finish = sql!(
            "DELETE FROM jobs WHERE (kind, subject_id, occasion) IN (SELECT 'webhook_delivery', d.message_id, input.number FROM input \
             JOIN webhook_deliveries d ON d.webhook_id = input.webhook_id AND d.message_id = input.message_id WHERE d.state = 'delivered')"
        )
        .planned_each_time();
        let input = Input::of(delivered)
            .column("webhook_id", |one| one.webhook)
            .column("number", |one| one.number)
            .column("message_id", |one| one.message);
        self.execute(finish, input).await?;
        Ok(())
    }

    /// Records an attempt that failed, after which a delivery that waits has this state; without one, only the attempt.
    pub async fn record_failed_attempt(
        &mut self,
        webhook: WebhookId,
        message: Uuid,
        attempt: &DeliveryAttempt,
        state: Option<DeliveryState>,
    ) -> Result<(), Error> {
        self.insert_deliveries(&[(webhook, message)]).await?;
        if let Some(state) = state {
            let statement = sql!(
                "UPDATE webhook_deliveries SET state = $3, attempts = attempts + 1, last_status = $4, last_at = $5 \
                 WHERE webhook_id = $1 AND message_id = $2 AND state = 'waiting'"
            );
            let values = (webhook, message, state, attempt.status, attempt.at);
            self.execute(statement, values).await?;
        }
        self.insert_delivery_attempts(&[(webhook, message, attempt)])
            .await
    }

    /// Records that a message could not even be posted, unless the last attempt says the same.
    pub async fn record_unposted(
        &mut self,
        webhook: WebhookId,
        message: Uuid,
        attempt: &DeliveryAttempt,
    ) -> Result<(), Error> {
        self.insert_deliveries(&[(webhook, message)]).await?;
        let statement = sql!(
            "SELECT error FROM webhook_attempts WHERE webhook_id = $1 AND message_id = $2 ORDER BY at DESC LIMIT 1"
        );
        let last: Option<Option<String>> = self.optional(statement, (webhook, message)).await?;
        if last.flatten() != attempt.error {
            self.insert_delivery_attempts(&[(webhook, message, attempt)])
                .await?;
        }
        Ok(())
    }

    /// Gives up a delivery whose tries failed for another reason than its receiver, so that it can be replayed. False if the lease was lost.
    pub async fn fail_delivery(
        &mut self,
        job: &ClaimedJob,
        attempt: &DeliveryAttempt,
    ) -> Result<bool, Error> {
        // Before the job, as where a webhook is paused.
        let statement = sql!(
            "SELECT id FROM webhooks WHERE number = $2 AND account_id = (SELECT account_id FROM webhook_messages WHERE id = $1){}",
            FOR_UPDATE,
        );
        let message = job.key.subject_id;
        let webhook: Option<WebhookId> = self
            .optional(statement, (message, job.key.occasion))
            .await?;
        if !self.lock_delivery_job(job).await? {
            return Ok(false);
        }
        if let Some(webhook) = webhook {
            let failed = Some(DeliveryState::Failed);
            self.record_failed_attempt(webhook, message, attempt, failed)
                .await?;
        }
        self.finish_jobs(&[job]).await?;
        Ok(true)
    }

    /// Adds attempts of deliveries. Answers are left out that are about someone who was erased meanwhile.
    async fn insert_delivery_attempts(
        &mut self,
        attempts: &[(WebhookId, Uuid, &DeliveryAttempt)],
    ) -> Result<(), Error> {
        self.lock_whom_answers_are_about(attempts).await?;
        let statement = sql!(
            "INSERT INTO webhook_attempts (webhook_id, message_id, at, took_ms, status, answer, error, about) \
             SELECT d.webhook_id, d.message_id, input.at, input.took_ms, input.status, \
             CASE WHEN m.registration_id IS NULL OR r.id IS NOT NULL THEN input.answer END, input.error, \
             CASE WHEN input.answer IS NOT NULL THEN r.id END FROM input \
             JOIN webhook_deliveries d ON d.webhook_id = input.webhook_id AND d.message_id = input.message_id \
             JOIN webhook_messages m ON m.id = d.message_id LEFT JOIN registrations r ON r.id = m.registration_id \
             WHERE TRUE ON CONFLICT (webhook_id, message_id, at) DO NOTHING"
        )
        .planned_each_time();
        let input = Input::of(attempts)
            .column("webhook_id", |(webhook, ..)| *webhook)
            .column("message_id", |(_, message, _)| *message)
            .column("at", |(.., attempt)| attempt.at)
            .column("took_ms", |(.., attempt)| attempt.took_ms)
            .column("status", |(.., attempt)| attempt.status)
            .column("answer", |(.., attempt)| attempt.answer.as_deref())
            .column("error", |(.., attempt)| attempt.error.as_deref());
        self.execute(statement, input).await?;
        Ok(())
    }

    /// Makes whoever erases someone wait until answers about them are there to be deleted; or waits itself, and then sees that they are
    /// erased. See [`Tx::delete_webhook_answers_about`].
    async fn lock_whom_answers_are_about(
        &mut self,
        attempts: &[(WebhookId, Uuid, &DeliveryAttempt)],
    ) -> Result<(), Error> {
        let answered: Vec<Uuid> = attempts
            .iter()
            .filter(|(.., attempt)| attempt.answer.is_some())
            .map(|(_, message, _)| *message)
            .collect();
        if answered.is_empty() {
            return Ok(());
        }
        let statement = sql!(
            "SELECT r.id FROM registrations r WHERE r.id IN (SELECT m.registration_id FROM webhook_messages m JOIN input ON m.id = input.id) \
             ORDER BY r.id{}",
            FOR_KEY_SHARE,
        )
        .planned_each_time();
        let input = Input::of(&answered).column("id", |id| *id);
        let _locked: Vec<Uuid> = self.all(statement, input).await?;
        Ok(())
    }
}
