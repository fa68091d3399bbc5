//! Webhooks: messages about changes for programs (rule 57 of docs/rules.md).

mod message;
mod retry;
mod signature;
mod subscription;

pub use message::{Subject, WebhookMessage};
pub use muster_api::WebhookType;
pub use retry::{
    DISABLED_AFTER_SECONDS, MAX_ATTEMPTS, MAX_RETRY_AFTER_SECONDS, WARNED_AFTER_SECONDS,
    after_failure, still_failing, wait_seconds,
};
pub use signature::{InvalidSecret, Scheme, SigningKey, UnknownScheme};
pub use subscription::WebhookTypes;
use url::Url;
use uuid::Uuid;

use super::{
    ids::{AccountId, EventId, WebhookId},
    instant::Instant,
    job::{Destination, Job, Task},
    names::names,
    plan::Plan,
};

/// For how long messages are signed with the former secret, too.
pub const OVERLAP_SECONDS: i64 = 24 * 60 * 60;

/// A subscription of an account to messages, which are posted to its URL or only recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its identifier.
    pub id: WebhookId,
    /// The account.
    pub account_id: AccountId,
    /// Its number within the account, from 1, which is never given again. The occasion of its jobs.
    pub number: i32,
    /// The only event that it is about.
    pub event_id: Option<EventId>,
    /// Where messages are posted; `None` if they are only pulled.
    pub url: Option<String>,
    /// What it is for, in its owner's words.
    pub description: Option<String>,
    /// The types that it gets.
    pub types: WebhookTypes,
    /// How much a message says.
    pub content: Content,
    /// How messages are signed.
    pub scheme: Scheme,
    /// The secret, sealed.
    pub secret: Vec<u8>,
    /// The secret before it, sealed.
    pub former_secret: Option<Vec<u8>>,
    /// Until when the former one signs as well.
    pub former_until: Option<Instant>,
    /// The key that verifies its signatures, if it is public.
    pub public_key: Option<String>,
    /// Whether its messages are sent.
    pub state: WebhookState,
    /// Why it is disabled.
    pub disabled_reason: Option<DisabledReason>,
    /// When a message last got through.
    pub last_success_at: Option<Instant>,
    /// Since when every attempt has failed.
    pub failing_since: Option<Instant>,
    /// When its owners were mailed about that.
    pub warned_at: Option<Instant>,
    /// The key, the grant or the person that decided last where its messages go and what they say: that created it, gave it another URL, made it
    /// `full` or enabled it after it was disabled.
    pub created_by: Option<Uuid>,
    /// When it was created.
    pub created_at: Instant,
    /// When it was last changed.
    pub updated_at: Instant,
}

impl Webhook {
    /// Where its jobs go. Each webhook has slots and a pause of its own.
    pub fn destination(&self) -> Destination {
        Destination::webhook(self.id)
    }

    /// Whether messages to it are sent now.
    pub fn is_active(&self) -> bool {
        self.state == WebhookState::Active && self.url.is_some()
    }

    /// Whether a message of its account is to be posted to it, now or once it is active.
    pub fn wants(&self, message: &WebhookMessage) -> bool {
        let is_of_event = self.event_id.is_none() || self.event_id == message.subject.event_id;
        self.url.is_some() && is_of_event && self.types.contain(message.kind)
    }

    /// The job that posts a message to it.
    pub fn job(&self, message: &WebhookMessage) -> Job {
        Job {
            task: Task::WebhookDelivery,
            subject_id: message.id,
            occasion: self.number,
            destination: self.destination(),
            trace_parent: None,
        }
    }

    /// The former secret, sealed, while it signs as well.
    pub fn former_secret_at(&self, now: Instant) -> Option<&[u8]> {
        let is_valid = self.former_until.is_some_and(|until| now < until);
        self.former_secret.as_deref().filter(|_| is_valid)
    }

    /// The host that messages are posted to. The rest of a URL may hold a secret.
    pub fn host(&self) -> Option<String> {
        let url = Url::parse(self.url.as_deref()?).ok()?;
        url.host_str().map(str::to_owned)
    }

    /// The same webhook, whose messages wait from now on.
    #[must_use]
    pub fn disabled(self, why: DisabledReason, now: Instant) -> Self {
        Self {
            state: WebhookState::Disabled,
            disabled_reason: Some(why),
            updated_at: now,
            ..self
        }
    }

    /// The same webhook, whose messages are sent from now on.
    #[must_use]
    pub fn enabled(self, now: Instant) -> Self {
        Self {
            state: WebhookState::Active,
            disabled_reason: None,
            failing_since: None,
            warned_at: None,
            updated_at: now,
            ..self
        }
    }
}

/// How many webhooks a plan has.
pub const fn quota(plan: Plan) -> i64 {
    if plan.is_paid() { 10 } else { 2 }
}

names! {
    /// How much a message says.
    Content / UnknownContent: "is none of the names" {
        /// Ids, the status and the names of changed fields.
        Thin = "thin",
        /// The event and the registration as well.
        Full = "full",
    }

    /// Whether messages are sent.
    WebhookState / UnknownWebhookState: "is none of the names" {
        /// They are sent.
        Active = "active",
        /// They wait, since its owner wants that.
        Paused = "paused",
        /// They wait, since something is wrong with it.
        Disabled = "disabled",
    }

    /// Why a webhook is disabled.
    DisabledReason / UnknownDisabledReason: "is none of the names" {
        /// Nothing got through for days.
        Failing = "failing",
        /// The receiver answered that it is gone.
        Gone = "gone",
        /// The key or the app of [`Webhook::created_by`] was revoked or has expired, or the member left or may have no webhooks any more.
        Revoked = "revoked",
    }

    /// What became of a message to a webhook.
    DeliveryState / UnknownDeliveryState: "is none of the names" {
        /// It is to be sent, now or once the webhook is active.
        Waiting = "waiting",
        /// The receiver took it.
        Delivered = "delivered",
        /// No attempt succeeded.
        Failed = "failed",
    }
}

/// One attempt to deliver a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// When it began.
    pub at: Instant,
    /// How long it took, in milliseconds.
    pub took_ms: i32,
    /// The HTTP status of the answer.
    pub status: Option<i32>,
    /// The beginning of the answer.
    pub answer: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}

/// What became of a message to one webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The message.
    pub message: WebhookMessage,
    /// Its state.
    pub state: DeliveryState,
    /// How many attempts there were since it was last scheduled.
    pub attempts: i32,
    /// The HTTP status of the last answer.
    pub last_status: Option<i32>,
    /// When the last attempt was.
    pub last_at: Option<Instant>,
    /// When the next one is due; `None` if none is scheduled.
    pub next_at: Option<Instant>,
}
