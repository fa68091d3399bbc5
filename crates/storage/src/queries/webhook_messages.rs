//! Messages of webhooks: written with their deliveries in the transaction of the change, and deleted with them.

use std::collections::BTreeMap;

use domain::{
    ids::{AccountId, RegistrationId, WebhookId},
    instant::Instant,
    webhook::{Subject, WebhookMessage},
};

use crate::{
    Error, FULL_BATCH, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::{POSITION, sql},
};

record! {
    Subject as m { event_id, registration_id, message_id, status, changed }
}

record! {
    WebhookMessage as m of "webhook_messages" {
        id, account_id, seq, kind, at,
        subject { event_id, registration_id, message_id, status, changed },
        actor,
    }
}

/// The bounds of an account's stream of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamBounds {
    /// The number of the first message that may still be there.
    pub first_seq: i32,
    /// The number of the last message.
    pub last_seq: i32,
}

record! {
    StreamBounds as s { first_seq, last_seq }
}

/// Messages of a stream, and its bounds at the same moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamPage {
    /// The bounds.
    pub bounds: StreamBounds,
    /// The messages, the oldest first.
    pub messages: Vec<WebhookMessage>,
}

impl Reads {
    /// Returns the bounds of an account's stream; `None` if it has no webhook, so that nothing is recorded.
    pub async fn find_webhook_stream(
        &self,
        account: AccountId,
    ) -> Result<Option<StreamBounds>, Error> {
        let statement = sql!(
            "SELECT {} FROM webhook_streams s WHERE s.account_id = $1 AND s.is_recording = TRUE",
            StreamBounds::COLUMNS,
        );
        self.optional(statement, [account]).await
    }

    /// Returns the messages of an account's stream after a number; `None` if it has no webhook.
    ///
    /// One statement reads the bounds, too: what is deleted at the same time is either in the page or outside the bounds.
    pub async fn read_webhook_stream(
        &self,
        account: AccountId,
        after: i32,
        limit: i64,
    ) -> Result<Option<StreamPage>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM webhook_streams s LEFT JOIN \
             (SELECT {} FROM webhook_messages m WHERE m.account_id = $1 AND m.seq > $2 \
             AND m.seq >= (SELECT first_seq FROM webhook_streams WHERE account_id = $1) ORDER BY m.seq LIMIT $3) AS m \
             ON m.account_id = s.account_id WHERE s.account_id = $1 AND s.is_recording = TRUE ORDER BY m.seq",
            StreamBounds::COLUMNS,
            WebhookMessage::COLUMNS,
            WebhookMessage::COLUMNS,
        );
        let rows: Vec<(StreamBounds, Option<WebhookMessage>)> =
            self.all(statement, (account, after, limit)).await?;
        let Some((bounds, _)) = rows.first() else {
            return Ok(None);
        };
        Ok(Some(StreamPage {
            bounds: *bounds,
            messages: rows
                .into_iter()
                .filter_map(|(_, message)| message)
                .collect(),
        }))
    }
}

impl Tx {
    /// Numbers so many new messages of an account; returns the last number, or `None` if the account has no webhook. It locks the stream
    /// until the commit, so it comes last.
    pub async fn advance_webhook_stream(
        &mut self,
        account: AccountId,
        count: i32,
    ) -> Result<Option<i32>, Error> {
        let statement = sql!(
            "UPDATE webhook_streams SET last_seq = last_seq + $2 WHERE account_id = $1 AND is_recording = TRUE RETURNING last_seq"
        );
        self.optional(statement, (account, count)).await
    }

    /// Adds messages of an account, and their deliveries to its webhooks. Those that are active get jobs, which are due at once.
    pub async fn insert_webhook_messages(
        &mut self,
        account: AccountId,
        messages: &[WebhookMessage],
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<(), Error> {
        let Some(first) = messages.first() else {
            return Ok(());
        };
        let statement = sql!(
            "INSERT INTO webhook_messages (id, account_id, seq, kind, at, event_id, registration_id, message_id, status, changed, actor) \
             SELECT id, account_id, seq, kind, at, event_id, registration_id, message_id, status, changed, actor FROM input"
        );
        for part in messages.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("id", |message| message.id)
                .column("account_id", |message| message.account_id)
                .column("seq", |message| message.seq)
                .column("kind", |message| message.kind)
                .column("at", |message| message.at)
                .column("event_id", |message| message.subject.event_id)
                .column("registration_id", |message| message.subject.registration_id)
                .column("message_id", |message| message.subject.message_id)
                .column("status", |message| message.subject.status.as_deref())
                .column("changed", |message| &message.subject.changed)
                .column("actor", |message| &message.actor);
            self.execute(statement, input).await?;
        }
        let statement = sql!(
            "INSERT INTO webhook_deliveries (webhook_id, message_id, state, attempts) \
             SELECT w.id, m.id, 'waiting', 0 FROM webhook_messages m JOIN webhooks w ON w.account_id = m.account_id \
             WHERE m.account_id = $1 AND m.seq >= $2 AND w.url IS NOT NULL AND (w.event_id IS NULL OR w.event_id = m.event_id) \
             AND (w.types = '' OR {}(w.types, ' ' || m.kind || ' ') > 0)",
            POSITION,
        );
        let added = self.execute(statement, (account, first.seq)).await?;
        if added == 0 {
            return Ok(());
        }
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at, trace_parent) \
             SELECT 'webhook_delivery', m.id, w.number, w.destination, 0, 0, $3, $3, $4 FROM webhook_messages m \
             JOIN webhooks w ON w.account_id = m.account_id JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.message_id = m.id \
             WHERE m.account_id = $1 AND m.seq >= $2 AND w.state = 'active'"
        );
        self.execute(statement, (account, first.seq, now, trace_parent))
            .await?;
        Ok(())
    }

    /// Deletes at most `limit` messages of before then, with their deliveries; returns their number. The streams say where they begin now.
    pub async fn delete_webhook_messages(
        &mut self,
        before: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM webhook_messages WHERE id IN (SELECT id FROM webhook_messages WHERE at < $1 ORDER BY at LIMIT $2) \
             RETURNING account_id, seq"
        );
        let deleted: Vec<(AccountId, i32)> = self.all(statement, (before, limit)).await?;
        let mut last = BTreeMap::new();
        for (account, seq) in &deleted {
            let highest = last.entry(*account).or_insert(*seq);
            *highest = (*highest).max(*seq);
        }
        let statement = sql!(
            "UPDATE webhook_streams SET first_seq = $2 + 1 WHERE account_id = $1 AND first_seq <= $2"
        );
        for (account, seq) in last {
            self.execute(statement, (account, seq)).await?;
        }
        Ok(u64::try_from(deleted.len()).unwrap_or(u64::MAX))
    }

    /// Deletes at most `limit` messages of an account that is removed; returns their number.
    pub async fn delete_webhook_messages_of(
        &mut self,
        account: AccountId,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM webhook_messages WHERE id IN (SELECT id FROM webhook_messages WHERE account_id = $1 LIMIT $2)"
        );
        self.execute(statement, (account, limit)).await
    }

    /// Deletes what receivers answered to messages about a registration that is erased.
    pub async fn delete_webhook_answers_about(
        &mut self,
        registration: RegistrationId,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "UPDATE webhook_attempts SET answer = NULL WHERE answer IS NOT NULL AND (webhook_id, message_id) IN \
             (SELECT d.webhook_id, d.message_id FROM webhook_messages m JOIN webhook_deliveries d ON d.message_id = m.id \
             WHERE m.registration_id = $1)"
        );
        self.execute(statement, [registration]).await
    }

    /// Deletes at most `limit` deliveries of deleted webhooks; returns their number.
    pub async fn delete_orphaned_deliveries(&mut self, limit: i64) -> Result<u64, Error> {
        let mut deleted = 0;
        loop {
            let left = limit.saturating_sub_unsigned(deleted);
            let statement = sql!("SELECT id FROM deleted_webhooks ORDER BY id LIMIT 1");
            let webhook: Option<WebhookId> = self.optional(statement, ()).await?;
            let Some(webhook) = webhook.filter(|_| left > 0) else {
                return Ok(deleted);
            };
            let statement = sql!(
                "DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND message_id IN \
                 (SELECT message_id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY message_id LIMIT $2)"
            );
            let gone = self.execute(statement, (webhook, left)).await?;
            deleted += gone;
            if i64::try_from(gone).unwrap_or(i64::MAX) < left {
                let statement = sql!("DELETE FROM deleted_webhooks WHERE id = $1");
                self.execute(statement, [webhook]).await?;
            }
        }
    }
}
