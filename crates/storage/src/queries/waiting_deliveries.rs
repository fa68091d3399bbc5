//! Deliveries to webhooks that wait.
//!
//! Such a delivery is a job, which is all that a change writes of it. It has a row of its own from the first attempt on, or once its webhook
//! is not active, so that it waits without a job.

use domain::{ids::WebhookId, instant::Instant, webhook::Webhook};
use uuid::Uuid;

use crate::{
    Error, FULL_BATCH, Tx,
    input::Input,
    sql::{Fragment, sql},
};

/// What a job becomes that is scheduled again: due at once, with all tries, even if it failed. Its claims are counted on, since they identify
/// leases.
const OR_RENEW: Fragment = Fragment::new(
    "ON CONFLICT (kind, subject_id, occasion) DO UPDATE SET due_at = excluded.due_at, failed_at = NULL, last_error = NULL, \
     uncounted = jobs.attempts",
);

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
             SELECT $1, m.id, 'waiting', 0 FROM jobs j JOIN webhook_messages m ON m.id = j.subject_id WHERE j.destination = $2 AND j.kind = 'webhook_delivery' \
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
}
