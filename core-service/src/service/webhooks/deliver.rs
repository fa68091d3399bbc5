//! What is sent to a webhook, and what becomes of it.

use std::time::Duration;

use domain::{
    audit::Actor,
    event::Event,
    fact::{Fact, WebhookChange},
    ids::WebhookId,
    instant::Instant,
    job::ClaimedJob,
    person::Reach,
    registration::{Counters, Registration},
    webhook::{
        Content, DeliveryAttempt, DeliveryState, SigningKey, Subject, Webhook, WebhookMessage,
        WebhookState, WebhookType, after_failure, wait_seconds,
    },
};
use storage::JobDelivery;

use super::{Webhooks, sealing::UnopenedSecret};
use crate::service::{Context, Error, Principal, WaitingCall};

/// A message that is to be posted.
#[derive(Debug)]
pub struct Outbound {
    /// Where to.
    pub webhook: Webhook,
    /// The message.
    pub message: WebhookMessage,
    /// The event as it is now, if the webhook wants all and the plan has it.
    pub event: Option<(Event, Counters)>,
    /// The registration as it is now, likewise.
    pub registration: Option<Registration>,
    /// What signs it; none if it is only shown.
    pub keys: Vec<SigningKey>,
}

/// What a job is to do.
#[derive(Debug)]
pub enum Prepared {
    /// Nothing: the webhook or the message is gone.
    Gone,
    /// Nothing: the job is removed until the webhook is active and its account not suspended, or it was renewed and is another try's.
    Waits,
    /// Nothing until this process has the key of the webhook's secret.
    Unopened(UnopenedSecret),
    /// To post this.
    Post(Box<Outbound>),
}

/// What an attempt that failed means for the webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// It is tried again.
    Retried,
    /// It was the last one.
    ForGood,
    /// The webhook is disabled.
    Disabled,
    /// Nothing: the webhook has another URL by now, or the job is another try's or gone.
    Overtaken,
}

/// What the owners read if nothing can be signed. The log says which key is missing.
const UNREADABLE_SECRET: &str =
    "its secret cannot be read: rotate it, or ask the operator for the key that sealed it";

impl Webhooks {
    /// Reads what a job is to post.
    pub(crate) async fn prepare(&self, job: &ClaimedJob) -> Result<Prepared, Error> {
        let store = self.commands.store();
        let Some(found) = store.find_delivery(job).await? else {
            return Ok(Prepared::Gone);
        };
        if !found.is_leased {
            return Ok(Prepared::Waits);
        }
        let JobDelivery {
            webhook,
            delivery,
            is_suspended,
            ..
        } = found;
        if delivery.state != DeliveryState::Waiting {
            return Ok(Prepared::Gone);
        }
        if !webhook.is_active() || is_suspended {
            return self.park(job, webhook.id).await;
        }
        let keys = match self.open(&webhook, self.now()) {
            Ok(keys) => keys,
            Err(error) => {
                let outbound = self.outbound(webhook, delivery.message).await?;
                self.record_unposted(&outbound, UNREADABLE_SECRET).await?;
                return Ok(Prepared::Unopened(error));
            }
        };
        let outbound = self.outbound(webhook, delivery.message).await?;
        Ok(Prepared::Post(Box::new(Outbound { keys, ..outbound })))
    }

    /// Says in the delivery why it waits.
    pub(crate) async fn record_unposted(
        &self,
        outbound: &Outbound,
        why: &str,
    ) -> Result<(), Error> {
        let (webhook, message) = (outbound.webhook.id, outbound.message.id);
        let decide = async |context: &mut Context| {
            let attempt = DeliveryAttempt {
                error: Some(why.to_owned()),
                ..attempt_at(context.now, Duration::ZERO)
            };
            context
                .tx
                .record_unposted(webhook, message, &attempt)
                .await?;
            context.note_write();
            Ok(())
        };
        self.commands.run(Actor::System, decide).await
    }

    /// Removes the job of a delivery that waits until its webhook is active and its account not suspended. Under the lock of the stream, so
    /// that it is not removed just after someone made the webhook active, or ended the suspension.
    async fn park(&self, job: &ClaimedJob, id: WebhookId) -> Result<Prepared, Error> {
        let decide = async |context: &mut Context| {
            let Some(webhook) = context.tx.get_webhook(id).await? else {
                return Ok(());
            };
            context.tx.lock_webhook_stream(webhook.account_id).await?;
            let webhook = context.tx.lock_webhook(id).await?;
            let account = match &webhook {
                Some(webhook) => context.tx.find_account(webhook.account_id).await?,
                None => None,
            };
            let is_suspended = account.is_some_and(|account| account.is_suspended);
            if webhook.is_some_and(|webhook| webhook.is_active()) && !is_suspended {
                let text = "the webhook is active again";
                context
                    .tx
                    .postpone_job(job, context.now, false, text)
                    .await?;
            } else {
                let delivery = (id, job.key.subject_id);
                context.tx.insert_deliveries(&[delivery]).await?;
                context.tx.finish_jobs(&[job]).await?;
            }
            context.note_write();
            Ok(())
        };
        self.commands.run(Actor::System, decide).await?;
        Ok(Prepared::Waits)
    }

    /// A message with what the webhook wants to know, as it is now. It is not signed yet.
    pub(super) async fn outbound(
        &self,
        webhook: Webhook,
        message: WebhookMessage,
    ) -> Result<Outbound, Error> {
        let store = self.commands.store();
        let (mut event, mut registration) = (None, None);
        if webhook.content == Content::Full {
            let account = store.find_account(webhook.account_id).await?;
            if account.is_some_and(|account| account.plan.is_paid()) {
                let Subject {
                    event_id,
                    registration_id,
                    ..
                } = message.subject;
                if let Some(id) = event_id {
                    event = store
                        .find_account_event(webhook.account_id, Reach::Account, id)
                        .await?;
                    if let Some(guest) = registration_id {
                        registration = store.find_registration(id, guest).await?;
                    }
                }
            }
        }
        Ok(Outbound {
            webhook,
            message,
            event,
            registration,
            keys: Vec::new(),
        })
    }

    /// A ping of a webhook, signed, which is no stored message, and the guard of the call that waits for the answer to it.
    pub(crate) async fn ping(
        &self,
        caller: &Principal,
        id: WebhookId,
    ) -> Result<(Outbound, WaitingCall), Error> {
        let webhook = self.get(caller, id).await?;
        if webhook.url.is_none() {
            return Err(Error::Conflict(
                "the webhook has no url to post to: set one first".to_owned(),
            ));
        }
        let waiting = self.commands.waiting_calls().join(caller.account)?;
        self.limiters.count_ping(caller.account)?;
        let now = self.now();
        let outbound = Outbound {
            keys: self.open(&webhook, now).map_err(|_unopened| {
                Error::Conflict(format!("nothing can be signed: {UNREADABLE_SECRET}"))
            })?,
            message: WebhookMessage {
                id: self.entropy().uuid_v7(now),
                account_id: webhook.account_id,
                seq: 0,
                kind: WebhookType::WebhookPing,
                at: now,
                subject: Subject::default(),
                actor: caller.actor.name().to_owned(),
            },
            webhook,
            event: None,
            registration: None,
        };
        Ok((outbound, waiting))
    }

    /// Records an attempt that failed, and decides what becomes of the delivery and of the webhook: nothing more if the job is another
    /// try's by now, or gone since someone paused or deleted the webhook.
    pub(crate) async fn failed(
        &self,
        job: &ClaimedJob,
        outbound: &Outbound,
        attempt: &DeliveryAttempt,
        retry_after: Option<Duration>,
    ) -> Result<Failed, Error> {
        let (id, message) = (outbound.webhook.id, outbound.message.id);
        let decide = async |context: &mut Context| {
            let Some(before) = context.tx.lock_webhook(id).await? else {
                return Ok(Failed::Overtaken);
            };
            let now = context.renew_time();
            let is_claimed = context.tx.lock_delivery_job(job).await?;
            if !is_claimed || before.url != outbound.webhook.url {
                context
                    .tx
                    .record_failed_attempt(id, message, attempt, None)
                    .await?;
                context.note_write();
                if is_claimed {
                    // What the former URL said is no reason to wait at the new one.
                    let text = "the webhook has another url";
                    context.tx.postpone_job(job, now, false, text).await?;
                }
                return Ok(Failed::Overtaken);
            }
            let wait = wait_seconds(job.tries, message);
            let state = match wait {
                Some(_) => DeliveryState::Waiting,
                None => DeliveryState::Failed,
            };
            context
                .tx
                .record_failed_attempt(id, message, attempt, Some(state))
                .await?;
            context.note_write();
            let after = after_failure(&before, attempt.status, now);
            if after != before {
                context.tx.update_webhook(&after).await?;
            }
            if let Some(change) = change_of(&before, &after) {
                let fact = Fact::WebhookChanged {
                    webhook: &after,
                    change,
                };
                context.record(fact).await?;
            }
            if after.state == WebhookState::Disabled {
                context.tx.park_deliveries(&after).await?;
                return Ok(Failed::Disabled);
            }
            let Some(wait) = wait else {
                context.tx.finish_jobs(&[job]).await?;
                return Ok(Failed::ForGood);
            };
            let asked =
                retry_after.map_or(0, |wait| i64::try_from(wait.as_secs()).unwrap_or(i64::MAX));
            let due_at = now.plus_seconds(wait.max(asked));
            let text = attempt.error.as_deref().unwrap_or_default();
            context.tx.postpone_job(job, due_at, true, text).await?;
            Ok(Failed::Retried)
        };
        self.commands.run(Actor::System, decide).await
    }
}

/// What became of a webhook that fails, if something did.
pub(super) fn change_of(before: &Webhook, after: &Webhook) -> Option<WebhookChange> {
    if after.state != before.state {
        return Some(WebhookChange::Disabled);
    }
    (after.warned_at != before.warned_at).then_some(WebhookChange::Failing)
}

/// The error text of an answer that is no success, for the attempt.
pub(crate) fn refused_with(status: u16) -> String {
    match status {
        300..=399 => format!("the receiver answered {status}: redirects are not followed"),
        _ => format!("the receiver answered {status}"),
    }
}

/// The time of an attempt and how long it took so far.
pub(crate) fn attempt_at(at: Instant, took: Duration) -> DeliveryAttempt {
    DeliveryAttempt {
        at,
        took_ms: i32::try_from(took.as_millis()).unwrap_or(i32::MAX),
        status: None,
        answer: None,
        error: None,
    }
}
