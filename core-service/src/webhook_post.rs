//! Posting messages to webhooks: the body, its signature, and what came back.

use std::time::Duration;

use bytes::Bytes;
use domain::{
    instant::Instant,
    webhook::{DeliveryAttempt, MAX_RETRY_AFTER_SECONDS, SigningKey},
};
use egress::{Answer, Egress, Fault, PostLimits};
use http::{HeaderMap, HeaderValue, header::CONTENT_TYPE};
use url::Url;

use crate::service::{Links, Outbound, Webhooks, attempt_at, refused_with};

/// How much one attempt may cost.
pub const LIMITS: PostLimits = PostLimits {
    time: Duration::from_secs(15),
    answer_bytes: 2_000,
};

/// Statuses by which a receiver says that it has too much to do, or is not there.
const BUSY: [u16; 4] = [429, 502, 503, 504];

/// What a message is as JSON, with links, at this moment. None if it cannot be written as such.
pub type BodyOf = fn(&Outbound, &Links, Instant) -> Option<Bytes>;

/// Posts messages. Clones share connections.
#[derive(Debug, Clone)]
pub struct WebhookPost {
    webhooks: Webhooks,
    links: Links,
    body: BodyOf,
}

/// An attempt, and what follows from it for the receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    /// The attempt. It succeeded if it has no error.
    pub attempt: DeliveryAttempt,
    /// Whether the receiver is busy or not there, so that other messages wait, too.
    pub is_unreachable: bool,
    /// How long it asked to wait.
    pub retry_after: Option<Duration>,
}

/// Why a message could not even be posted. Its receiver is not to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unpostable {
    /// This process posts nothing.
    #[error("this site posts nothing")]
    NoEgress,
    /// The request cannot be written, although all of it was checked when it was set.
    #[error("the request cannot be written")]
    Unwritable,
}

impl Attempted {
    /// How it came out, for the metrics.
    pub const fn outcome(&self) -> &'static str {
        match (&self.attempt.error, self.attempt.status) {
            (None, _) => "delivered",
            (Some(_), None) => "unreachable",
            (Some(_), Some(_)) if self.is_unreachable => "busy",
            (Some(_), Some(_)) => "refused",
        }
    }
}

impl WebhookPost {
    /// Posts messages of these webhooks.
    pub const fn new(webhooks: Webhooks, links: Links, body: BodyOf) -> Self {
        Self {
            webhooks,
            links,
            body,
        }
    }

    /// The webhooks.
    pub(crate) const fn webhooks(&self) -> &Webhooks {
        &self.webhooks
    }

    /// Links in bodies.
    pub(crate) const fn links(&self) -> &Links {
        &self.links
    }

    /// Posts a message once.
    ///
    /// # Errors
    /// When it cannot even be posted.
    pub async fn attempt(&self, outbound: &Outbound) -> Result<Attempted, Unpostable> {
        let (began, at) = (tokio::time::Instant::now(), self.webhooks.now());
        let egress = self.webhooks.egress().ok_or(Unpostable::NoEgress)?;
        let prepared = self.request(outbound, at);
        let (url, headers, body) = prepared.ok_or(Unpostable::Unwritable)?;
        let posted = Egress::post(egress, &url, headers, body, LIMITS).await;
        let attempt = attempt_at(at, began.elapsed());
        Ok(match posted {
            Ok(answer) => answered(&attempt, &answer, self.webhooks.now()),
            Err(error) if error.is_private => {
                failed(attempt, &"its server could not be reached", true)
            }
            Err(error) => failed(attempt, &error.fault, error.fault != Fault::Url),
        })
    }

    /// Where to post, with which headers, what.
    fn request(&self, outbound: &Outbound, now: Instant) -> Option<(Url, HeaderMap, Bytes)> {
        let url = Url::parse(outbound.webhook.url.as_deref()?).ok()?;
        let body = (self.body)(outbound, &self.links, now)?;
        let headers = signed(&outbound.keys, &outbound.message.id.to_string(), now, &body)?;
        Some((url, headers, body))
    }
}

/// The headers of a message that is posted now: its id, the time, and a signature by each key. None if the id is not for a header.
pub fn signed(keys: &[SigningKey], id: &str, now: Instant, body: &[u8]) -> Option<HeaderMap> {
    let timestamp = now.micros() / 1_000_000;
    let signatures = keys.iter().map(|key| key.sign(id, timestamp, body));
    let signatures: Vec<_> = signatures.collect();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("webhook-id", id.parse().ok()?);
    headers.insert("webhook-timestamp", HeaderValue::from(timestamp));
    headers.insert("webhook-signature", signatures.join(" ").parse().ok()?);
    Some(headers)
}

fn answered(attempt: &DeliveryAttempt, answer: &Answer, now: Instant) -> Attempted {
    let is_success = (200..300).contains(&answer.status);
    let limit = Duration::from_secs(MAX_RETRY_AFTER_SECONDS.into());
    let wait = answer
        .retry_after
        .map(|after| after.delay(now.into()).min(limit));
    // What a machine of a private network says is nobody's business.
    let text = (!answer.is_private).then(|| readable(&answer.body));
    Attempted {
        attempt: DeliveryAttempt {
            status: Some(i32::from(answer.status)),
            answer: text.filter(|text| !text.is_empty()),
            error: (!is_success).then(|| refused_with(answer.status)),
            ..attempt.clone()
        },
        is_unreachable: BUSY.contains(&answer.status) || (!is_success && wait.is_some()),
        retry_after: wait.filter(|_| !is_success),
    }
}

fn failed(
    attempt: DeliveryAttempt,
    why: &dyn std::fmt::Display,
    is_unreachable: bool,
) -> Attempted {
    Attempted {
        attempt: DeliveryAttempt {
            error: Some(why.to_string()),
            ..attempt
        },
        is_unreachable,
        retry_after: None,
    }
}

/// The text of an answer. PostgreSQL stores no NUL; other control characters are for no terminal.
pub fn readable(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.chars()
        .map(|character| {
            let is_break = matches!(character, '\n' | '\t');
            if character.is_control() && !is_break {
                '\u{fffd}'
            } else {
                character
            }
        })
        .collect()
}
