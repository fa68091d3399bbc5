//! Deliveries of messages to webhooks: reading them, and recording their outcomes.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ids::WebhookId,
    instant::Instant,
    job::{ClaimedJob, JobKey, JobKind},
    webhook::{Delivery, DeliveryAttempt, DeliveryState, Webhook, WebhookMessage},
};
use uuid::Uuid;

use crate::{
    Error, FULL_BATCH, Reads, Tx,
    input::Input,
    record::Record as _,
    row::{Columns, FromRow},
    sql::{FOR_UPDATE, Fragment, fragment, sql},
};

use super::jobs::CLAIMED;

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

/// The beginning of a list of deliveries to a webhook, `$1`, before a message, `$2`: those with rows, whose condition may follow.
const WITH_ROWS: Fragment = fragment!(
    "SELECT {}, {} FROM (SELECT id FROM (SELECT message_id AS id FROM webhook_deliveries WHERE webhook_id = $1 AND message_id < $2",
    WebhookMessage::COLUMNS,
    OF_DELIVERY,
);

/// Its middle: at most `$3` of those, and as many that are jobs of its destination, `$4`.
const AND_JOBS: Fragment = Fragment::new(
    " ORDER BY message_id DESC LIMIT $3) AS with_rows UNION SELECT id FROM (SELECT subject_id AS id FROM jobs WHERE destination = $4 \
     AND kind = 'webhook_delivery' AND failed_at IS NULL AND subject_id < $2 ORDER BY subject_id DESC LIMIT $3) AS with_jobs) AS found \
     JOIN webhook_messages m ON m.id = found.id JOIN webhooks w ON w.id = $1 \
     LEFT JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.message_id = m.id",
);

/// Its end.
const LATEST_FIRST: Fragment = Fragment::new(" ORDER BY m.id DESC LIMIT $3");

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

/// What a job is to deliver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobDelivery {
    /// To which webhook.
    pub webhook: Webhook,
    /// What, and what became of it so far.
    pub delivery: Delivery,
    /// Whether the account is suspended.
    pub is_suspended: bool,
    /// Whether the job is still leased to this try.
    pub is_leased: bool,
}

impl SuccessfulDelivery {
    fn job(&self) -> JobKey {
        JobKey {
            kind: JobKind::WebhookDelivery,
            subject_id: self.message,
            occasion: self.number,
        }
    }
}

impl FromRow for JobDelivery {
    const WIDTH: usize = Webhook::WIDTH + Delivery::WIDTH + 2;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        Ok(Self {
            webhook: columns.read()?,
            delivery: columns.read()?,
            is_suspended: columns.read()?,
            is_leased: columns.read()?,
        })
    }
}

impl Reads {
    /// Returns what a job is to deliver; `None` if the webhook or the message is gone.
    pub async fn find_delivery(&self, job: &ClaimedJob) -> Result<Option<JobDelivery>, Error> {
        let statement = sql!(
            "SELECT {}, {}, {}, c.suspended_at IS NOT NULL, EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'webhook_delivery' \
             AND j.subject_id = m.id AND j.occasion = w.number AND j.attempts = $3 AND j.due_at = $4) FROM webhook_messages m JOIN webhooks w ON w.account_id = m.account_id AND w.number = $2 \
             LEFT JOIN {} JOIN accounts c ON c.id = m.account_id WHERE m.id = $1",
            Webhook::COLUMNS,
            WebhookMessage::COLUMNS,
            OF_DELIVERY,
            ROW,
        );
        let JobKey {
            subject_id,
            occasion,
            ..
        } = job.key;
        let values = (subject_id, occasion, job.attempt, job.leased_until);
        self.optional(statement, values).await
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
        let statement = match state {
            None => sql!("{}{}{}", WITH_ROWS, AND_JOBS, LATEST_FIRST),
            Some(DeliveryState::Waiting) => sql!(
                "{} AND state = 'waiting'{} WHERE COALESCE(d.state, 'waiting') = 'waiting'{}",
                WITH_ROWS,
                AND_JOBS,
                LATEST_FIRST,
            ),
            Some(state) => {
                let statement = sql!(
                    "SELECT {}, {} FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id JOIN webhook_messages m ON m.id = d.message_id \
                     WHERE w.id = $1 AND d.message_id < $2 AND d.state = $4 ORDER BY d.message_id DESC LIMIT $3",
                    WebhookMessage::COLUMNS,
                    OF_DELIVERY,
                );
                let values = (webhook.id, before, limit, state);
                return self.all(statement, values).await;
            }
        };
        let values = (webhook.id, before, limit, webhook.destination());
        self.all(statement, values).await
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
            "SELECT DISTINCT m.id FROM input JOIN webhooks w ON w.id = input.webhook_id JOIN webhook_messages m ON m.id = input.message_id \
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

    /// Returns the messages of a time whose delivery to a webhook failed, the oldest first.
    pub async fn list_failed_deliveries(
        &self,
        webhook: WebhookId,
        since: Instant,
        until: Instant,
        limit: i64,
    ) -> Result<Vec<Uuid>, Error> {
        let statement = sql!(
            "SELECT d.message_id FROM webhook_deliveries d JOIN webhook_messages m ON m.id = d.message_id \
             WHERE d.webhook_id = $1 AND d.state = 'failed' AND m.at >= $2 AND m.at < $3 ORDER BY d.message_id LIMIT $4"
        );
        self.all(statement, (webhook, since, until, limit)).await
    }
}

impl Tx {
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
        let current = self.record_successes(delivered).await?;
        let (delivered, former): (Vec<_>, Vec<_>) = delivered
            .iter()
            .partition(|one| current.contains(&(one.webhook, &*one.url)));
        self.finish_deliveries(&delivered).await?;
        let waiting: Vec<_> = former
            .iter()
            .map(|one| (one.webhook, one.message))
            .collect();
        self.insert_deliveries(&waiting).await?;
        let attempts: Vec<_> = delivered
            .iter()
            .chain(&former)
            .map(|one| (one.webhook, one.message, &one.attempt))
            .collect();
        self.insert_delivery_attempts(&attempts).await?;
        let done: Vec<JobKey> = delivered.iter().map(|one| one.job()).collect();
        self.delete_jobs(&done).await
    }

    /// Records that webhooks work. Returns those whose URL is still the one that messages were posted to: it is locked until the commit.
    async fn record_successes<'a>(
        &mut self,
        delivered: &'a [SuccessfulDelivery],
    ) -> Result<BTreeSet<(WebhookId, &'a str)>, Error> {
        // In one order, so that two runners cannot deadlock; the latest time of each counts.
        let mut last = BTreeMap::new();
        for one in delivered {
            let at = last
                .entry((one.webhook, &*one.url))
                .or_insert(one.attempt.at);
            *at = (*at).max(one.attempt.at);
        }
        let statement = sql!(
            "UPDATE webhooks SET last_success_at = $3, failing_since = NULL, warned_at = NULL WHERE id = $1 AND url = $2"
        );
        let mut current = BTreeSet::new();
        for ((webhook, url), at) in last {
            if self.execute(statement, (webhook, url, at)).await? > 0 {
                current.insert((webhook, url));
            }
        }
        Ok(current)
    }

    /// Writes the rows of deliveries that are done. Not by an update: without statistics, PostgreSQL may read all deliveries of a webhook to find
    /// one of them.
    async fn finish_deliveries(&mut self, delivered: &[&SuccessfulDelivery]) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO webhook_deliveries (webhook_id, message_id, state, attempts, last_status, last_at) \
             SELECT input.webhook_id, m.id, 'delivered', 1, input.status, input.at FROM input \
             JOIN webhook_messages m ON m.id = input.message_id WHERE TRUE ON CONFLICT (webhook_id, message_id) DO UPDATE SET \
             state = 'delivered', attempts = webhook_deliveries.attempts + 1, last_status = excluded.last_status, last_at = excluded.last_at \
             WHERE webhook_deliveries.state <> 'delivered'"
        )
        .planned_each_time();
        for part in delivered.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("webhook_id", |one| one.webhook)
                .column("message_id", |one| one.message)
                .column("status", |one| one.attempt.status)
                .column("at", |one| one.attempt.at);
            self.execute(statement, input).await?;
        }
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
}
