//! What follows from a fact for programs: messages of webhooks.

use std::collections::BTreeMap;

use domain::{
    audit::Actor, fact::Fact, ids::AccountId, instant::Instant, job::Job, webhook::WebhookMessage,
};
use server::traces;
use storage::Tx;

use super::Context;
use crate::service::webhooks::MAX_WEBHOOKS;

impl Context {
    /// Notes the messages of a fact. They are numbered and written last, and only for accounts that have webhooks.
    pub(super) fn announce_to_programs(&mut self, actor: Actor, fact: &Fact<'_>) {
        for one in fact.outgoing() {
            let message = WebhookMessage {
                id: self.new_id(),
                account_id: one.account,
                seq: 0,
                kind: one.kind,
                at: self.now,
                subject: one.subject,
                actor: actor.name().to_owned(),
            };
            let outgoing = &mut self.consequences.outgoing;
            outgoing.entry(one.account).or_default().push(message);
        }
    }
}

/// Writes the messages of accounts that have webhooks, with the jobs that deliver them; returns those accounts.
pub(super) async fn write(
    tx: &mut Tx,
    outgoing: BTreeMap<AccountId, Vec<WebhookMessage>>,
    now: Instant,
) -> Result<Vec<AccountId>, storage::Error> {
    let mut recorded = Vec::new();
    for (account, mut messages) in outgoing {
        let count = i32::try_from(messages.len()).unwrap_or(i32::MAX);
        let Some(last) = tx.advance_webhook_stream(account, count).await? else {
            continue;
        };
        for (seq, message) in (last - count + 1..).zip(&mut messages) {
            message.seq = seq;
        }
        // Owners change no webhook meanwhile, since the stream is locked. One that is disabled by a failure has its job parked at its try.
        let webhooks = tx.list_webhooks(account, MAX_WEBHOOKS).await?;
        let trace_parent = traces::named(&traces::current());
        let (mut jobs, mut waiting) = (Vec::new(), Vec::new());
        for message in &messages {
            for webhook in webhooks.iter().filter(|webhook| webhook.wants(message)) {
                if webhook.is_active() {
                    jobs.push(Job {
                        trace_parent: trace_parent.clone(),
                        ..webhook.job(message)
                    });
                } else {
                    waiting.push((webhook.id, message.id));
                }
            }
        }
        tx.insert_webhook_messages(&messages).await?;
        tx.insert_jobs(&jobs, now).await?;
        tx.insert_deliveries(&waiting).await?;
        recorded.push(account);
    }
    Ok(recorded)
}
