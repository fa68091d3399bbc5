//! Webhooks: messages about changes for programs (rule 57 of docs/rules.md).

mod change;
mod create;
mod deliver;
mod ending;
mod pull;
mod replay;
mod sealing;

use std::sync::Arc;

use domain::{
    entropy::Entropy,
    ids::WebhookId,
    instant::Instant,
    violation::FieldViolation,
    webhook::{Content, Delivery, DeliveryAttempt, DeliveryState, SigningKey, Webhook, quota},
};
use egress::Egress;
use seal::SecretKeys;
use server::CancellationToken;
use url::Url;
use uuid::Uuid;

use super::{Commands, Context, Error, Principal, limits::Limiters};

pub use change::WebhookPatch;
pub(in crate::service) use change::resume_webhooks;
pub use create::{MadeWebhook, NewWebhook};
pub use deliver::{Failed, Outbound, Prepared};
pub(crate) use deliver::{attempt_at, refused_with};
pub(crate) use ending::{end_expired_webhooks, judge_failing_webhooks};
pub(in crate::service) use ending::{
    end_webhooks_of, end_webhooks_of_member, end_webhooks_since, not_disabled,
};
pub use pull::{PullFrom, PulledMessages, Wait};
pub use replay::{Replayed, WhichMessages};
pub use sealing::SealedSecrets;

/// More than any plan has.
pub(in crate::service) const MAX_WEBHOOKS: i64 = 100;

/// Attempts that are shown of one delivery.
const MAX_ATTEMPTS_SHOWN: i64 = 50;

const NO_WEBHOOK: Error = Error::NotFound { what: "webhook" };
const NO_DELIVERY: Error = Error::NotFound { what: "delivery" };

/// What sending to webhooks needs.
#[derive(Debug, Clone)]
pub struct WebhookPolicy {
    /// What seals secrets at rest.
    pub keys: Arc<SecretKeys>,
    /// The way out, which knows which targets are admitted. Without one, nothing is posted.
    pub egress: Option<Egress>,
}

impl Default for WebhookPolicy {
    /// Seals with a key of this process, and posts nothing.
    fn default() -> Self {
        Self {
            keys: Arc::new(SecretKeys::from(seal::SecretKey::generate())),
            egress: None,
        }
    }
}

/// Use cases about webhooks.
#[derive(Debug, Clone)]
pub struct Webhooks {
    commands: Commands,
    limiters: Arc<Limiters>,
    policy: WebhookPolicy,
    /// Cancelled when core stops, so that no call waits for a message any more.
    stop_waiting: CancellationToken,
}

/// The webhooks of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnWebhooks {
    /// The webhooks, the oldest first.
    pub webhooks: Vec<Webhook>,
    /// How many the plan has.
    pub quota: i64,
}

/// A page of deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries, the latest first.
    pub deliveries: Vec<Delivery>,
    /// The message before which the next page begins.
    pub next: Option<Uuid>,
}

impl Webhooks {
    /// Webhooks of accounts.
    pub(super) fn new(commands: Commands, limiters: Arc<Limiters>, policy: WebhookPolicy) -> Self {
        Self {
            commands,
            limiters,
            policy,
            stop_waiting: CancellationToken::new(),
        }
    }

    /// Answers calls that wait for a message, since a stop would wait for them.
    pub(crate) fn stop_waiting(&self) {
        self.stop_waiting.cancel();
    }

    /// The present.
    pub(crate) fn now(&self) -> Instant {
        self.commands.now()
    }

    /// The source of randomness.
    pub(crate) const fn entropy(&self) -> &Entropy {
        self.commands.entropy()
    }

    /// The way out.
    pub(crate) const fn egress(&self) -> Option<&Egress> {
        self.policy.egress.as_ref()
    }

    /// The webhooks of the caller's account.
    pub async fn list(&self, caller: &Principal) -> Result<OwnWebhooks, Error> {
        let store = self.commands.store();
        let account = store.find_account(caller.account).await?;
        let account = account.ok_or(Error::Unauthorized)?;
        Ok(OwnWebhooks {
            webhooks: store.list_webhooks(caller.account, MAX_WEBHOOKS).await?,
            quota: quota(account.plan),
        })
    }

    /// A webhook of the caller's account.
    pub async fn get(&self, caller: &Principal, id: WebhookId) -> Result<Webhook, Error> {
        let found = self.commands.store().find_webhook(caller.account, id);
        found.await?.ok_or(NO_WEBHOOK)
    }

    /// What became of the messages of a webhook, the latest first, before one.
    pub async fn deliveries(
        &self,
        caller: &Principal,
        id: WebhookId,
        state: Option<DeliveryState>,
        before: Option<Uuid>,
        limit: i32,
    ) -> Result<DeliveryPage, Error> {
        let webhook = self.get(caller, id).await?;
        let store = self.commands.store();
        let found = store.list_deliveries(&webhook, state, before, i64::from(limit) + 1);
        let mut deliveries = found.await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = deliveries.len() > limit;
        deliveries.truncate(limit);
        let last = deliveries.last().filter(|_| has_more);
        Ok(DeliveryPage {
            next: last.map(|last| last.message.id),
            deliveries,
        })
    }

    /// A delivery with its attempts, the latest first, and what would be sent now. Callers who must not see registrations get the thin content, and
    /// no answers, which may repeat what was sent.
    pub async fn delivery(
        &self,
        caller: &Principal,
        id: WebhookId,
        message: Uuid,
    ) -> Result<(Delivery, Vec<DeliveryAttempt>, Outbound), Error> {
        let webhook = self.get(caller, id).await?;
        let store = self.commands.store();
        let delivery = store.get_delivery(webhook.id, message).await?;
        let delivery = delivery.ok_or(NO_DELIVERY)?;
        let mut attempts = store
            .list_delivery_attempts(webhook.id, message, MAX_ATTEMPTS_SHOWN)
            .await?;
        let webhook = if create::sees_registrations(caller) {
            webhook
        } else {
            for attempt in &mut attempts {
                attempt.answer = None;
            }
            Webhook {
                content: Content::Thin,
                ..webhook
            }
        };
        let outbound = self.outbound(webhook, delivery.message.clone()).await?;
        Ok((delivery, attempts, outbound))
    }

    /// The key of a webhook, sealed.
    fn seal(&self, id: WebhookId, key: &SigningKey) -> Vec<u8> {
        self.policy.keys.seal(&context_of(id), key.bytes())
    }

    /// A URL in its usual form. Refuses one to which nothing could be posted. The name's addresses are checked when a connection is made.
    fn checked_url(&self, url: &str) -> Result<String, Vec<FieldViolation>> {
        let violation = |message: String| {
            vec![FieldViolation {
                field: "url".to_owned(),
                message,
            }]
        };
        let parsed = Url::parse(url)
            .map_err(|_| violation("must be a URL such as https://example.org/hook".to_owned()))?;
        let Some(egress) = self.egress() else {
            return Err(violation(
                "must be left out: this site posts nothing".to_owned(),
            ));
        };
        egress
            .allows(&parsed)
            .map_err(|fault| violation(format!("cannot be used: {fault}")))?;
        Ok(parsed.into())
    }
}

/// What a sealed secret is bound to, so that it opens in its own row alone.
fn context_of(id: WebhookId) -> Vec<u8> {
    format!("webhook:{id}").into_bytes()
}

/// Locks the stream of the caller's account and one of its webhooks.
async fn lock(context: &mut Context, caller: &Principal, id: WebhookId) -> Result<Webhook, Error> {
    context
        .tx
        .find_webhook(caller.account, id)
        .await?
        .ok_or(NO_WEBHOOK)?;
    context.tx.lock_webhook_stream(caller.account).await?;
    let found = context.tx.lock_webhook(id).await?;
    context.renew_time();
    found.ok_or(NO_WEBHOOK)
}
