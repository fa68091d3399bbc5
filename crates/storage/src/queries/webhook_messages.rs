//! Messages of webhooks: written in the transaction of the change, and deleted with their deliveries.

use std::collections::BTreeMap;

use domain::{
    ids::{AccountId, WebhookId},
    instant::Instant,
    webhook::{Subject, WebhookMessage},
};
use uuid::Uuid;

use crate::{
    Error, FULL_BATCH, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::sql,
    values::first_id_at,
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

    /// Adds messages.
    pub async fn insert_webhook_messages(
        &mut self,
        messages: &[WebhookMessage],
    ) -> Result<(), Error> {
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
        Ok(())
    }

    /// Deletes at most `limit` messages of before then, with their deliveries; returns their number. The streams say where they begin now.
    pub async fn delete_webhook_messages(
        &mut self,
        before: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        // Ids begin with the time.
        let statement = sql!(
            "SELECT id, account_id, seq FROM webhook_messages WHERE id < $1 ORDER BY id LIMIT $2"
        );
        let values = (first_id_at(before), limit);
        let messages: Vec<(Uuid, AccountId, i32)> = self.all(statement, values).await?;
        let mut last = BTreeMap::new();
        for (_, account, seq) in &messages {
            let highest = last.entry(*account).or_insert(*seq);
            *highest = (*highest).max(*seq);
        }
        let statement = sql!(
            "UPDATE webhook_streams SET first_seq = $2 + 1 WHERE account_id = $1 AND first_seq <= $2"
        );
        for (account, seq) in last {
            self.execute(statement, (account, seq)).await?;
        }
        let ids: Vec<Uuid> = messages.into_iter().map(|(id, ..)| id).collect();
        self.delete_messages(&ids).await
    }

    /// Deletes at most `limit` messages of an account that is removed; returns their number.
    pub async fn delete_webhook_messages_of(
        &mut self,
        account: AccountId,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement =
            sql!("SELECT id FROM webhook_messages WHERE account_id = $1 ORDER BY seq LIMIT $2");
        let ids: Vec<Uuid> = self.all(statement, (account, limit)).await?;
        self.delete_messages(&ids).await
    }

    /// Deletes messages with their deliveries, but those to deleted webhooks: see [`Tx::delete_orphaned_deliveries`].
    async fn delete_messages(&mut self, ids: &[Uuid]) -> Result<u64, Error> {
        let deliveries = sql!(
            "DELETE FROM webhook_deliveries WHERE (webhook_id, message_id) IN (SELECT w.id, m.id FROM input \
             JOIN webhook_messages m ON m.id = input.id JOIN webhooks w ON w.account_id = m.account_id)"
        )
        .planned_each_time();
        let messages = sql!("DELETE FROM webhook_messages WHERE id IN (SELECT id FROM input)")
            .planned_each_time();
        let mut deleted = 0;
        for part in ids.chunks(FULL_BATCH) {
            let input = || Input::of(part).column("id", |id| *id);
            self.execute(deliveries, input()).await?;
            deleted += self.execute(messages, input()).await?;
        }
        Ok(deleted)
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
