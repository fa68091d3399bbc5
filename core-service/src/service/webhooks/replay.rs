//! Sending messages again.

use domain::{fact::WebhookChange, ids::WebhookId, instant::Instant, webhook::Webhook};
use storage::Reads;
use uuid::Uuid;

use super::{Webhooks, create::record, lock};
use crate::service::{Context, Error, Invocation, Principal, catalogue::saturated};

/// Messages that one call sends again.
const MAX_REPLAYED: i64 = 1_000;

/// The end of a time that has none.
const LAST: Instant = Instant::from_micros(i64::MAX);

/// Which messages to send again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichMessages {
    /// These, whatever became of them. Those that wait are due at once.
    Named(Vec<Uuid>),
    /// Those of a time that failed.
    Failed {
        /// When it begins.
        since: Instant,
        /// Before when it ends, if it ends.
        until: Option<Instant>,
    },
}

/// Messages that are, or would be, sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    /// How many.
    pub count: i32,
    /// Whether there are more.
    pub has_more: bool,
}

impl Webhooks {
    /// Sends messages of a webhook again, with the same ids.
    pub async fn replay(
        &self,
        by: impl Into<Invocation<'_, Replayed>>,
        id: WebhookId,
        which: WhichMessages,
    ) -> Result<Replayed, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let webhook = lock(context, caller, id).await?;
            let (messages, replayed) = found(&context.tx, &webhook, &which).await?;
            if messages.is_empty() {
                return Ok(replayed);
            }
            context
                .tx
                .renew_deliveries(&webhook, &messages, context.now)
                .await?;
            context.wake_runner();
            record(context, &webhook, WebhookChange::Replayed(replayed.count)).await?;
            Ok(replayed)
        };
        self.commands.run_for(by, decide).await
    }

    /// What [`replay`](Self::replay) would send, and to which webhook.
    pub async fn planned_replay(
        &self,
        caller: &Principal,
        id: WebhookId,
        which: &WhichMessages,
    ) -> Result<(Webhook, Replayed), Error> {
        let webhook = self.get(caller, id).await?;
        let (_, replayed) = found(self.commands.store(), &webhook, which).await?;
        Ok((webhook, replayed))
    }
}

async fn found(
    reads: &Reads,
    webhook: &Webhook,
    which: &WhichMessages,
) -> Result<(Vec<Uuid>, Replayed), Error> {
    if webhook.url.is_none() {
        return Err(Error::Conflict(
            "the webhook has no url to post to: set one first".to_owned(),
        ));
    }
    let (messages, has_more) = match which {
        WhichMessages::Named(messages) => {
            let found = reads.list_deliveries_of(webhook.id, messages).await?;
            (found, false)
        }
        WhichMessages::Failed { since, until } => {
            let until = until.unwrap_or(LAST);
            let failed = reads.list_failed_deliveries(webhook.id, *since, until, MAX_REPLAYED + 1);
            let mut failed = failed.await?;
            let limit = usize::try_from(MAX_REPLAYED).unwrap_or(usize::MAX);
            let has_more = failed.len() > limit;
            failed.truncate(limit);
            (failed, has_more)
        }
    };
    let count = saturated(i64::try_from(messages.len()).unwrap_or(i64::MAX));
    Ok((messages, Replayed { count, has_more }))
}
