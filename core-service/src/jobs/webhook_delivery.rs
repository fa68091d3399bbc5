//! The handler of the jobs that post messages to webhooks.

use domain::job::{ClaimedJob, JobKind};
use server::metrics;
use storage::SuccessfulDelivery;

use super::{Attempt, AttemptError, Done, Handler};
use crate::{
    service::{Failed, Prepared},
    webhook_post::WebhookPost,
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
        let attempted = self.post.attempt(&outbound).await;
        metrics::measure(|all| all.webhook_deliveries.add_one([attempted.outcome().into()]));
        let Some(error) = attempted.attempt.error.clone() else {
            return Ok(Done::Posted(Box::new(SuccessfulDelivery {
                webhook: outbound.webhook.id,
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

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.deliver(job))
    }
}
