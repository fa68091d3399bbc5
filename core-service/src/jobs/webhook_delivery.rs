//! The handler of the jobs that post messages to webhooks.

use std::time::Duration;

use domain::{
    instant::Instant,
    job::{ClaimedJob, JobKind},
    webhook::{self, DeliveryAttempt},
};
use server::metrics;
use storage::{SuccessfulDelivery, Tx};
use uuid::Uuid;

use super::{Attempt, AttemptError, Done, GivingUp, Handler};
use crate::{
    service::{Failed, Prepared, attempt_at},
    webhook_post::{Unpostable, WebhookPost},
};

/// Posts messages to webhooks.
#[derive(Debug, Clone)]
pub struct WebhookDelivery {
    post: WebhookPost,
}

impl WebhookDelivery {
    /// A handler that posts with `post`.
    pub const fn new(post: WebhookPost) -> Self {
        Self { post }
    }

    async fn deliver(&self, job: &ClaimedJob) -> Result<Done, AttemptError> {
        let webhooks = self.post.webhooks();
        let outbound = match webhooks.prepare(job).await? {
            Prepared::Gone => return Ok(Done::Plainly),
            Prepared::Waits => return Ok(Done::Recorded),
            // It waits for the key, however long that takes.
            Prepared::Unopened(error) => return Err(AttemptError::Unreachable(error.to_string())),
            Prepared::Post(outbound) => outbound,
        };
        let attempted = match self.post.attempt(&outbound).await {
            Ok(attempted) => attempted,
            // It waits until the operator lets this process post.
            Err(error @ Unpostable::NoEgress) => {
                let why = error.to_string();
                webhooks.record_unposted(&outbound, &why).await?;
                return Err(AttemptError::Unreachable(error.to_string()));
            }
            Err(error @ Unpostable::Unwritable) => {
                return Err(AttemptError::Permanent(error.to_string()));
            }
        };
        metrics::measure(|all| all.webhook_deliveries.add_one([attempted.outcome().into()]));
        let Some(error) = attempted.attempt.error.clone() else {
            return Ok(Done::Posted(Box::new(SuccessfulDelivery {
                webhook: outbound.webhook.id,
                number: outbound.webhook.number,
                message: outbound.message.id,
                url: outbound.webhook.url.clone().unwrap_or_default(),
                attempt: attempted.attempt,
            })));
        };
        let failed = webhooks.failed(job, &outbound, &attempted.attempt, attempted.retry_after);
        let failed = failed.await?;
        if failed == Failed::Overtaken {
            return Ok(Done::Recorded);
        }
        if failed != Failed::Retried {
            let webhook_id = outbound.webhook.id;
            tracing::warn!(%webhook_id, message_id = %outbound.message.id, ?failed, "a message was not delivered to a webhook");
        }
        if attempted.is_unreachable {
            return Err(AttemptError::Slowed(attempted.retry_after, error));
        }
        Ok(Done::Recorded)
    }
}

impl Handler for WebhookDelivery {
    fn kinds(&self) -> &'static [JobKind] {
        &[JobKind::WebhookDelivery]
    }

    fn wait_seconds(&self, tries: i32, message: Uuid) -> Option<i64> {
        webhook::wait_seconds(tries, message)
    }

    /// Muster itself could not make the delivery. It fails in its owner's list, too, where it can be replayed. The text is for operators, so
    /// the attempt says less.
    fn give_up<'a>(
        &'a self,
        tx: &'a mut Tx,
        job: &'a ClaimedJob,
        now: Instant,
        error: &'a str,
    ) -> GivingUp<'a> {
        tracing::error!(message_id = %job.key.subject_id, error, "a message could not be posted to a webhook");
        let attempt = DeliveryAttempt {
            error: Some("it could not be posted: the log of this site says why".to_owned()),
            ..attempt_at(now, Duration::ZERO)
        };
        Box::pin(async move { tx.fail_delivery(job, &attempt).await })
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.deliver(job))
    }
}
