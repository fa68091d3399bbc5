//! Webhooks, and the streams of messages of accounts that have some.

use domain::{
    ids::{AccountId, PersonId, WebhookId},
    instant::Instant,
    job::Destination,
    webhook::{Webhook, WebhookState},
};
use uuid::Uuid;

use crate::{
    Error, Reads, Tx,
    reads::Batch,
    record::{Record as _, insert_into, record, update},
    sql::{FOR_UPDATE, Sql, sql},
    statement::Parameters,
};

record! {
    Webhook as w of "webhooks" {
        id, account_id, number, event_id, url, description, types, content, scheme, secret, former_secret, former_until, public_key, state,
        disabled_reason, last_success_at, failing_since, warned_at, created_by, created_at, updated_at,
    }
}

/// Webhooks in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookCount {
    /// The state.
    pub state: WebhookState,
    /// Whether their last attempt failed.
    pub is_failing: bool,
    /// How many they are.
    pub number: i64,
    /// Since when the oldest delivery to one of them is due, if they are active. What waits for its next attempt is not due.
    pub oldest_due_at: Option<Instant>,
}

record! {
    WebhookCount as c {
        state = "state", is_failing = "is_failing", number = "COUNT(*)", oldest_due_at = "MIN(due_at)",
    }
}

impl Reads {
    /// Reads each webhook for itself: one that cannot be read must not stop the changes of its account, nor maintenance for others. It is
    /// logged, and missing from lists and exports.
    async fn webhooks<const N: usize>(
        &self,
        sql: Sql<N>,
        parameters: impl Parameters<N>,
    ) -> Result<Vec<Webhook>, Error> {
        let found: Batch<_, WebhookId> = self.batch("webhooks", sql, parameters).await?;
        Ok(found.rows)
    }

    /// Returns the webhooks of an account, the oldest first.
    pub async fn list_webhooks(
        &self,
        account: AccountId,
        limit: i64,
    ) -> Result<Vec<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.account_id = $1 ORDER BY w.number LIMIT $2",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (account, limit)).await
    }

    /// Returns a webhook of an account.
    pub async fn find_webhook(
        &self,
        account: AccountId,
        webhook: WebhookId,
    ) -> Result<Option<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.id = $1 AND w.account_id = $2",
            Webhook::COLUMNS,
        );
        self.optional(statement, (webhook, account)).await
    }

    /// Returns a webhook of any account.
    pub async fn get_webhook(&self, webhook: WebhookId) -> Result<Option<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.id = $1",
            Webhook::COLUMNS
        );
        self.optional(statement, [webhook]).await
    }

    /// Returns the webhooks that a key created or redirected, or an app by this grant.
    pub async fn list_webhooks_by(
        &self,
        account: AccountId,
        creator: Uuid,
    ) -> Result<Vec<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.account_id = $1 AND w.created_by = $2 ORDER BY w.number",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (account, creator)).await
    }

    /// Returns the webhooks that apps created or redirected which act for a person, in the order of the accounts.
    pub async fn list_webhooks_of_apps(
        &self,
        person: PersonId,
        limit: i64,
    ) -> Result<Vec<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_grants g JOIN webhooks w ON w.account_id = g.account_id AND w.created_by = g.id \
             WHERE g.person_id = $1 AND g.revoked_at IS NULL ORDER BY w.account_id, w.number LIMIT $2",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (person, limit)).await
    }

    /// Returns the webhooks that a member created or redirected, by themselves, by a key or by an app.
    pub async fn list_webhooks_of_member(
        &self,
        account: AccountId,
        person: PersonId,
    ) -> Result<Vec<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.account_id = $1 AND (w.created_by = $2 \
             OR w.created_by IN (SELECT id FROM api_keys WHERE account_id = $1 AND person_id = $2) \
             OR w.created_by IN (SELECT id FROM oauth_grants WHERE account_id = $1 AND person_id = $2)) ORDER BY w.number",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (account, person)).await
    }

    /// Returns the webhooks of all accounts of a person that they changed since then, of those that they created or redirected.
    pub async fn list_webhooks_since(
        &self,
        person: PersonId,
        since: Instant,
    ) -> Result<Vec<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM memberships x JOIN webhooks w ON w.account_id = x.account_id \
             WHERE x.person_id = $1 AND w.created_by = $1 AND w.updated_at >= $2 ORDER BY w.account_id, w.number",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (person, since)).await
    }

    /// Returns the webhooks of all accounts that are not disabled and belong to a key or an app that has expired, in the order of the accounts.
    pub async fn list_expired_webhooks(
        &self,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.state <> 'disabled' \
             AND (EXISTS (SELECT 1 FROM api_keys k WHERE k.id = w.created_by AND k.expires_at <= $1) \
             OR EXISTS (SELECT 1 FROM oauth_grants g WHERE g.id = w.created_by AND g.ends_at <= $1)) \
             ORDER BY w.account_id, w.number LIMIT $2",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (now, limit)).await
    }

    /// Returns active webhooks of which every attempt has failed since before `warned_before`, and whose owners were not mailed, or since before
    /// `disabled_before`. Those with a delivery that is due by `soon` are left out: its attempt decides.
    pub async fn list_failing_webhooks(
        &self,
        warned_before: Instant,
        disabled_before: Instant,
        soon: Instant,
        limit: i64,
    ) -> Result<Vec<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w JOIN accounts c ON c.id = w.account_id WHERE w.state = 'active' AND w.url IS NOT NULL \
             AND c.suspended_at IS NULL AND w.failing_since <= $1 AND (w.warned_at IS NULL OR w.failing_since <= $2) \
             AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.destination = w.destination AND j.kind = 'webhook_delivery' \
             AND j.failed_at IS NULL AND j.due_at <= $3) ORDER BY w.failing_since LIMIT $4",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (warned_before, disabled_before, soon, limit))
            .await
    }

    /// Whether a delivery to a webhook is due by a moment.
    pub async fn has_delivery_due(
        &self,
        destination: &Destination,
        by: Instant,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT EXISTS (SELECT 1 FROM jobs j WHERE j.destination = $1 AND j.kind = 'webhook_delivery' \
             AND j.failed_at IS NULL AND j.due_at <= $2)"
        );
        self.one(statement, (destination, by)).await
    }

    /// Returns the numbers of webhooks that have a URL, of the `limit` that are found first, and since when deliveries to those that are active
    /// are due. Each of them is a step into the index of due jobs.
    pub async fn count_webhooks(
        &self,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<WebhookCount>, Error> {
        let statement = sql!(
            "SELECT {} FROM (SELECT w.state AS state, w.failing_since IS NOT NULL AS is_failing, \
             CASE WHEN w.state = 'active' THEN (SELECT j.due_at FROM jobs j WHERE j.destination = w.destination \
             AND j.kind = 'webhook_delivery' AND j.failed_at IS NULL AND j.due_at <= $1 ORDER BY j.due_at LIMIT 1) END AS due_at \
             FROM webhooks w JOIN accounts c ON c.id = w.account_id WHERE w.url IS NOT NULL AND c.suspended_at IS NULL LIMIT $2) AS found \
             GROUP BY state, is_failing",
            WebhookCount::COLUMNS,
        );
        self.all(statement, (now, limit)).await
    }

    /// Returns the numbers of secrets that sign now by the beginnings of their sealed values, for the `limit` that are met first.
    pub async fn count_sealed_secrets(
        &self,
        prefix_bytes: i32,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<(Vec<u8>, i64)>, Error> {
        let statement = sql!(
            "SELECT prefix, COUNT(*) FROM (SELECT substr(secret, 1, $1) AS prefix FROM webhooks \
             UNION ALL SELECT substr(former_secret, 1, $1) AS prefix FROM webhooks WHERE former_until > $2 LIMIT $3) AS sealed \
             GROUP BY prefix ORDER BY prefix"
        );
        self.all(statement, (prefix_bytes, now, limit)).await
    }

    /// Returns webhooks after an id whose secrets begin with this prefix, in the order of their ids.
    pub async fn list_webhooks_sealed_with(
        &self,
        prefix: &[u8],
        after: WebhookId,
        limit: i64,
    ) -> Result<Vec<Webhook>, Error> {
        let length = i32::try_from(prefix.len()).unwrap_or(i32::MAX);
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.id > $1 AND (substr(w.secret, 1, $2) = $3 OR substr(w.former_secret, 1, $2) = $3) \
             ORDER BY w.id LIMIT $4",
            Webhook::COLUMNS,
        );
        self.webhooks(statement, (after, length, prefix, limit))
            .await
    }
}

impl Tx {
    /// Locks the stream of an account, which has one from now on, so that no change of a webhook meets a message. Returns the number of
    /// the last webhook.
    pub async fn lock_webhook_stream(&mut self, account: AccountId) -> Result<i32, Error> {
        let statement = sql!(
            "INSERT INTO webhook_streams (account_id, is_recording, last_seq, first_seq, last_number) \
             VALUES ($1, FALSE, 0, 1, 0) ON CONFLICT (account_id) DO NOTHING"
        );
        self.execute(statement, [account]).await?;
        let statement = sql!(
            "SELECT last_number FROM webhook_streams WHERE account_id = $1{}",
            FOR_UPDATE,
        );
        self.one(statement, [account]).await
    }

    /// Adds a webhook, from whose creation on messages are recorded. If none were before, a number is left out, by which a reader who read
    /// before notices that some are missing.
    pub async fn insert_webhook(&mut self, webhook: &Webhook) -> Result<(), Error> {
        let (statement, values) = insert_into!("webhooks" {
            id: webhook.id,
            account_id: webhook.account_id,
            number: webhook.number,
            destination: webhook.destination(),
            event_id: webhook.event_id,
            url: webhook.url,
            description: webhook.description,
            types: webhook.types,
            content: webhook.content,
            scheme: webhook.scheme,
            secret: webhook.secret,
            former_secret: webhook.former_secret,
            former_until: webhook.former_until,
            public_key: webhook.public_key,
            state: webhook.state,
            disabled_reason: webhook.disabled_reason,
            last_success_at: webhook.last_success_at,
            failing_since: webhook.failing_since,
            warned_at: webhook.warned_at,
            created_by: webhook.created_by,
            created_at: webhook.created_at,
            updated_at: webhook.updated_at,
        });
        self.execute(statement, values).await?;
        let statement = sql!(
            "UPDATE webhook_streams SET last_number = $2, is_recording = TRUE, \
             last_seq = CASE WHEN is_recording THEN last_seq ELSE last_seq + 1 END, \
             first_seq = CASE WHEN is_recording THEN first_seq ELSE last_seq + 2 END WHERE account_id = $1"
        );
        self.execute(statement, (webhook.account_id, webhook.number))
            .await?;
        Ok(())
    }

    /// Locks a webhook of any account.
    pub async fn lock_webhook(&mut self, webhook: WebhookId) -> Result<Option<Webhook>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhooks w WHERE w.id = $1{}",
            Webhook::COLUMNS,
            FOR_UPDATE,
        );
        self.optional(statement, [webhook]).await
    }

    /// Writes what can change of a webhook.
    pub async fn update_webhook(&mut self, webhook: &Webhook) -> Result<(), Error> {
        let (statement, values) = update!("webhooks" id = webhook.id => {
            url: webhook.url,
            description: webhook.description,
            types: webhook.types,
            content: webhook.content,
            secret: webhook.secret,
            former_secret: webhook.former_secret,
            former_until: webhook.former_until,
            public_key: webhook.public_key,
            state: webhook.state,
            disabled_reason: webhook.disabled_reason,
            failing_since: webhook.failing_since,
            warned_at: webhook.warned_at,
            created_by: webhook.created_by,
            updated_at: webhook.updated_at,
        });
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Writes secrets that were sealed again, unless others have taken their place.
    pub async fn reseal_webhook(&mut self, before: &Webhook, after: &Webhook) -> Result<(), Error> {
        let statement = sql!("UPDATE webhooks SET secret = $2 WHERE id = $1 AND secret = $3");
        let values = (before.id, &after.secret, &before.secret);
        self.execute(statement, values).await?;
        if let (Some(old), Some(new)) = (&before.former_secret, &after.former_secret) {
            let statement =
                sql!("UPDATE webhooks SET former_secret = $2 WHERE id = $1 AND former_secret = $3");
            self.execute(statement, (before.id, new, old)).await?;
        }
        Ok(())
    }

    /// Deletes a webhook, and what waits to be sent to it. Its deliveries, of which there may be very many, go in short transactions
    /// afterwards: see [`Tx::delete_orphaned_deliveries`]. Without webhooks, nothing is recorded.
    pub async fn delete_webhook(&mut self, webhook: &Webhook) -> Result<(), Error> {
        self.delete_delivery_jobs(&webhook.destination()).await?;
        let statement = sql!("DELETE FROM webhooks WHERE id = $1");
        self.execute(statement, [webhook.id]).await?;
        let statement = sql!("INSERT INTO deleted_webhooks (id) VALUES ($1)");
        self.execute(statement, [webhook.id]).await?;
        let statement = sql!(
            "UPDATE webhook_streams SET is_recording = EXISTS (SELECT 1 FROM webhooks w WHERE w.account_id = $1) WHERE account_id = $1"
        );
        self.execute(statement, [webhook.account_id]).await?;
        Ok(())
    }

    /// Removes the jobs of a webhook.
    pub(super) async fn delete_delivery_jobs(
        &mut self,
        destination: &Destination,
    ) -> Result<(), Error> {
        // The indexes are of those that failed and of those that did not: one statement would read all jobs.
        let waiting = sql!("DELETE FROM jobs WHERE destination = $1 AND failed_at IS NULL");
        let failed = sql!("DELETE FROM jobs WHERE destination = $1 AND failed_at IS NOT NULL");
        self.execute(waiting, [destination]).await?;
        self.execute(failed, [destination]).await?;
        Ok(())
    }

    /// Deletes the webhooks of an account that is removed, with what waits.
    pub async fn delete_webhooks_of(&mut self, account: AccountId) -> Result<(), Error> {
        for statement in [
            sql!(
                "DELETE FROM jobs WHERE failed_at IS NULL AND destination IN (SELECT destination FROM webhooks WHERE account_id = $1)"
            ),
            sql!(
                "DELETE FROM jobs WHERE failed_at IS NOT NULL AND destination IN (SELECT destination FROM webhooks WHERE account_id = $1)"
            ),
            sql!("INSERT INTO deleted_webhooks (id) SELECT id FROM webhooks WHERE account_id = $1"),
            sql!("DELETE FROM webhooks WHERE account_id = $1"),
            sql!("UPDATE webhook_streams SET is_recording = FALSE WHERE account_id = $1"),
        ] {
            self.execute(statement, [account]).await?;
        }
        Ok(())
    }

    /// Makes the webhooks of a credential those of another one.
    pub async fn pass_on_webhooks(
        &mut self,
        account: AccountId,
        from: Uuid,
        to: Option<Uuid>,
    ) -> Result<(), Error> {
        let statement =
            sql!("UPDATE webhooks SET created_by = $3 WHERE account_id = $1 AND created_by = $2");
        self.execute(statement, (account, from, to)).await?;
        Ok(())
    }
}
