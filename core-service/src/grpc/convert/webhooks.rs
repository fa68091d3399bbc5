//! Webhooks: messages and domain values.

use bytes::Bytes;
use domain::{
    date_time::WrittenTime,
    instant::Instant,
    violation::{Checked, FieldViolation, Violations},
    webhook::{Content, Delivery, DeliveryAttempt, Scheme, Subject, Webhook, WebhookMessage},
};
use muster_api::{internal::v1::DependentWebhook, v1};
use uuid::Uuid;

use super::mask::Mask;
use crate::service::{
    DeliveryPage, Error, Links, MadeWebhook, NewWebhook, Outbound, OwnWebhooks, PullFrom,
    PulledMessages, Replayed, WebhookPatch, WhichMessages,
};

/// The body of a delivery.
fn webhook_body(outbound: &Outbound, links: &Links, now: Instant) -> v1::WebhookMessage {
    let mut body = thin(&outbound.message);
    if let Some(data) = &mut body.data {
        data.event = outbound
            .event
            .clone()
            .map(|event| super::my_event_detail(event, links, now));
        data.registration = outbound.registration.clone().map(super::registration);
    }
    body
}

/// A message without what must be read again.
fn thin(message: &WebhookMessage) -> v1::WebhookMessage {
    let Subject {
        event_id,
        registration_id,
        message_id,
        status,
        changed,
    } = &message.subject;
    v1::WebhookMessage {
        r#type: message.kind.name().to_owned(),
        timestamp: message.at.to_string(),
        data: Some(v1::WebhookData {
            event_id: event_id.map(|id| id.to_string()),
            registration_id: registration_id.map(|id| id.to_string()),
            message_id: message_id.map(|id| id.to_string()),
            status: status.clone(),
            version: message.seq,
            actor: message.actor.clone(),
            changed: changed.split_whitespace().map(str::to_owned).collect(),
            event: None,
            registration: None,
        }),
    }
}

/// A request to create a webhook.
pub(in crate::grpc) fn new_webhook(
    Checked {
        message: request,
        mistakes,
    }: Checked<v1::CreateWebhookRequest>,
) -> Result<Checked<NewWebhook>, Error> {
    let content = content(request.content());
    let scheme = request.signature().parse().unwrap_or(Scheme::V1);
    let event = request
        .event_id
        .map(|id| super::super::request::event_id(&id));
    let message = NewWebhook {
        event: event.transpose()?,
        url: request.url,
        description: request.description,
        types: request.types,
        content,
        scheme,
    };
    Ok(Checked { message, mistakes })
}

fn content(name: &str) -> Content {
    name.parse().unwrap_or(Content::Thin)
}

/// A request to change a webhook.
pub(in crate::grpc) fn webhook_patch(
    Checked {
        message: request,
        mistakes,
    }: Checked<v1::UpdateWebhookRequest>,
) -> WebhookPatch {
    let mut mask = Mask::read(request.update_mask);
    let types = Some(request.types).filter(|types| !types.is_empty());
    WebhookPatch {
        url: mask.change("url", request.url),
        description: mask.change("description", request.description),
        types: mask.change("types", types),
        content: mask.change("content", request.content.as_deref().map(content)),
        is_paused: mask.change("is_paused", request.is_paused),
        mistakes: mask.with_unknown(mistakes),
    }
}

/// The webhooks of an account.
pub(in crate::grpc) fn webhook_list(own: OwnWebhooks) -> v1::WebhookList {
    v1::WebhookList {
        items: own.webhooks.into_iter().map(webhook).collect(),
        quota: own.quota.try_into().unwrap_or(i32::MAX),
    }
}

/// A webhook.
pub(in crate::grpc) fn webhook(webhook: Webhook) -> v1::Webhook {
    let time = |at: Option<Instant>| at.map(|at| at.to_string());
    v1::Webhook {
        id: webhook.id.to_string(),
        types: webhook.types.names().map(str::to_owned).collect(),
        event_id: webhook.event_id.map(|id| id.to_string()),
        content: webhook.content.name().to_owned(),
        signature: webhook.scheme.name().to_owned(),
        state: webhook.state.name().to_owned(),
        disabled_reason: webhook.disabled_reason.map(|why| why.name().to_owned()),
        last_success_at: time(webhook.last_success_at),
        failing_since: time(webhook.failing_since),
        former_secret_until: time(webhook.former_until),
        created_at: webhook.created_at.to_string(),
        updated_at: webhook.updated_at.to_string(),
        url: webhook.url,
        description: webhook.description,
        public_key: webhook.public_key,
        secret: None,
    }
}

/// A webhook with its secret.
pub(in crate::grpc) fn made_webhook(made: MadeWebhook) -> v1::Webhook {
    v1::Webhook {
        secret: made.secret,
        ..webhook(made.webhook)
    }
}

/// An attempt.
pub(in crate::grpc) fn webhook_attempt(attempt: DeliveryAttempt) -> v1::WebhookAttempt {
    v1::WebhookAttempt {
        at: attempt.at.to_string(),
        took_ms: attempt.took_ms,
        status: attempt.status,
        answer: attempt.answer,
        error: attempt.error,
    }
}

/// A page of deliveries.
pub(in crate::grpc) fn delivery_page(page: &DeliveryPage) -> v1::WebhookDeliveryList {
    v1::WebhookDeliveryList {
        items: page.deliveries.iter().map(delivery).collect(),
        next_cursor: page.next.map(|message| message.to_string()),
    }
}

fn delivery(one: &Delivery) -> v1::WebhookDelivery {
    v1::WebhookDelivery {
        message_id: one.message.id.to_string(),
        r#type: one.message.kind.name().to_owned(),
        timestamp: one.message.at.to_string(),
        event_id: one.message.subject.event_id.map(|id| id.to_string()),
        state: one.state.name().to_owned(),
        attempts: one.attempts,
        last_status: one.last_status,
        last_attempt_at: one.last_at.map(|at| at.to_string()),
        next_attempt_at: one.next_at.map(|at| at.to_string()),
    }
}

/// The body of a message.
pub(crate) fn webhook_json(outbound: &Outbound, links: &Links, now: Instant) -> Option<Bytes> {
    let body = serde_json::to_vec(&webhook_body(outbound, links, now));
    body.ok().map(Bytes::from)
}

/// A delivery with its attempts and its body.
pub(in crate::grpc) fn delivery_detail(
    (one, attempts, outbound): (Delivery, Vec<DeliveryAttempt>, Outbound),
    links: &Links,
    now: Instant,
) -> v1::WebhookDeliveryDetail {
    v1::WebhookDeliveryDetail {
        delivery: Some(delivery(&one)),
        attempts: attempts.into_iter().map(webhook_attempt).collect(),
        body: Some(webhook_body(&outbound, links, now)),
    }
}

/// Those of these webhooks that end with a credential.
pub(in crate::grpc) fn dependent_webhooks(
    webhooks: &[Webhook],
    credential: Uuid,
) -> Vec<DependentWebhook> {
    let of_it = webhooks
        .iter()
        .filter(|one| one.created_by == Some(credential));
    let shown = of_it.map(|one| DependentWebhook {
        id: one.id.to_string(),
        description: one.description.clone(),
        host: one.host(),
    });
    shown.collect()
}

/// Which messages a request asks to send again.
pub(in crate::grpc) fn which_messages(
    request: &v1::ReplayWebhookRequest,
) -> Result<WhichMessages, Error> {
    let violation = |field: &str, message: &str| {
        Error::Invalid(vec![FieldViolation {
            field: field.to_owned(),
            message: message.to_owned(),
        }])
    };
    match (&*request.message_ids, &request.failed_since) {
        ([], None) if request.failed_until.is_some() => {
            Err(violation("failed_since", "is required with failed_until"))
        }
        ([], None) => Err(violation(
            "message_ids",
            "must name messages, or send failed_since",
        )),
        ([], Some(since)) => {
            let time = |field, text: &str| {
                let time = text.parse::<WrittenTime>().ok();
                let time = time.and_then(|time| time.instant()?.ok());
                time.ok_or_else(|| {
                    violation(
                        field,
                        "must be a date-time with an offset, for example 2030-05-09T00:00:00Z",
                    )
                })
            };
            let since = time("failed_since", since)?;
            let until = request.failed_until.as_deref();
            let until = until.map(|until| time("failed_until", until)).transpose()?;
            if until.is_some_and(|until| until <= since) {
                return Err(violation("failed_until", "must be after failed_since"));
            }
            Ok(WhichMessages::Failed { since, until })
        }
        (ids, None) if request.failed_until.is_none() => {
            let (mut named, mut violations) = (Vec::new(), Violations::default());
            for (index, id) in ids.iter().enumerate() {
                match id.parse::<Uuid>() {
                    Ok(id) => named.push(id),
                    Err(_) => violations.add(
                        format!("message_ids[{index}]"),
                        "must be the id of a message",
                    ),
                }
            }
            let named = violations.unless_any(Some(named)).map_err(Error::Invalid)?;
            Ok(WhichMessages::Named(named))
        }
        (_, since) => {
            let field = match since {
                Some(_) => "failed_since",
                None => "failed_until",
            };
            let text = "must be left out when message_ids names messages";
            Err(violation(field, text))
        }
    }
}

/// How many messages are sent again.
pub(in crate::grpc) fn replay(replayed: Replayed) -> v1::WebhookReplay {
    v1::WebhookReplay {
        replayed: replayed.count,
        has_more: replayed.has_more,
    }
}

/// How many would be.
pub(in crate::grpc) fn replay_preview(
    (webhook, replayed): (Webhook, Replayed),
) -> v1::WebhookReplayPreview {
    let messages = match replayed.count {
        1 => "1 message".to_owned(),
        count => format!("{count} messages"),
    };
    v1::WebhookReplayPreview {
        messages,
        url: webhook.url.unwrap_or_default(),
    }
}

/// Messages that were pulled.
pub(in crate::grpc) fn pulled(pulled: &PulledMessages) -> v1::WebhookMessageList {
    let items = pulled
        .messages
        .iter()
        .map(|message| v1::PulledWebhookMessage {
            id: message.id.to_string(),
            body: Some(thin(message)),
        });
    v1::WebhookMessageList {
        items: items.collect(),
        next_cursor: pulled.next.to_string(),
    }
}

/// Where a pull begins.
pub(in crate::grpc) fn pull_cursor(cursor: Option<&str>) -> Result<PullFrom, Error> {
    match cursor {
        None => Ok(PullFrom::Oldest),
        Some("latest") => Ok(PullFrom::Latest),
        Some(number) => number.parse().map(PullFrom::After).map_err(|_| {
            let message = "must be the next_cursor of another answer, or latest";
            Error::Invalid(super::violation("cursor", message))
        }),
    }
}

/// The message before which a page of deliveries begins.
pub(in crate::grpc) fn delivery_cursor(cursor: Option<&str>) -> Result<Option<Uuid>, Error> {
    let message = cursor.map(str::parse::<Uuid>).transpose();
    message.map_err(|_| {
        let message = "must be the next_cursor of another page";
        Error::Invalid(super::violation("cursor", message))
    })
}
