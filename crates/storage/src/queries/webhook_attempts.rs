//! Attempts of deliveries to webhooks, with what receivers answered.

use domain::{
    ids::{RegistrationId, WebhookId},
    webhook::DeliveryAttempt,
};
use uuid::Uuid;

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::{FOR_KEY_SHARE, sql},
};

record! {
    DeliveryAttempt as a { at, took_ms, status, answer, error }
}

impl Reads {
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
}

impl Tx {
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

    /// Deletes what receivers answered to messages about a registration that is erased: after the registration, since whoever records an
    /// answer at this moment has locked it.
    pub async fn delete_webhook_answers_about(
        &mut self,
        registration: RegistrationId,
    ) -> Result<(), Error> {
        let statement =
            sql!("UPDATE webhook_attempts SET answer = NULL, about = NULL WHERE about = $1");
        self.execute(statement, [registration]).await?;
        Ok(())
    }

    /// Adds attempts of deliveries. Answers are left out that are about someone who was erased meanwhile.
    pub(super) async fn insert_delivery_attempts(
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
