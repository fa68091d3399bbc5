//! One delivery: its attempts, the body as it would be sent now, and sending it again.

use askama::Template;
use muster_api::{
    Scope,
    v1::{
        GetWebhookDeliveryRequest, ReplayWebhookRequest, WebhookAttempt, WebhookDelivery,
        bindings::{GetWebhookDelivery, ReplayWebhook},
    },
};

use super::{Row, fields::pretty, path_of, read};
use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::dashboard::event_head::Badge,
};

#[derive(Template)]
#[template(path = "dashboard/webhook_delivery.html")]
struct DeliveryPage {
    page: Frame,
    row: Row,
    line: Line,
    attempts: Vec<WebhookAttempt>,
    body: String,
    trouble: Option<String>,
}

/// A delivery with its state in words.
pub(super) struct Line {
    pub(super) one: WebhookDelivery,
    pub(super) badge: Badge,
}

impl Line {
    pub(super) fn of(one: WebhookDelivery) -> Self {
        let badge = match &*one.state {
            "delivered" => Badge::new("good", "Delivered"),
            "failed" => Badge::new("bad", "Failed"),
            _ if one.attempts > 0 => Badge::new("warn", "Waiting"),
            _ => Badge::new("", "Waiting"),
        };
        Self { one, badge }
    }

    pub(super) fn url(&self, webhook: &Row) -> String {
        path(&webhook.one.id, &self.one.message_id)
    }

    pub(super) fn waits(&self) -> bool {
        self.one.state == "waiting"
    }
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let request = GetWebhookDeliveryRequest {
        webhook_id: caller.context.segment(2)?,
        message_id: caller.context.segment(4)?,
    };
    let (webhook, found) = tokio::join!(read(&caller), caller.ask::<GetWebhookDelivery>(request));
    let (webhook, found) = (webhook?, found?);
    let line = Line::of(found.delivery.unwrap_or_default());
    caller.answer(&DeliveryPage {
        page: caller.page(&line.one.r#type, Tab::Webhooks),
        row: Row::of(webhook),
        line,
        attempts: found.attempts,
        body: found.body.as_ref().map(pretty).unwrap_or_default(),
        trouble: caller.trouble(),
    })
}

/// Sends it again.
pub(in crate::pages) async fn take(caller: Caller, _form: Form) -> PageResult {
    caller.require(Scope::WebhooksWrite)?;
    let webhook = read(&caller).await?;
    let message_id = caller.context.segment(4)?;
    let request = ReplayWebhookRequest {
        webhook_id: webhook.id.clone(),
        message_ids: vec![message_id.clone()],
        failed_since: None,
        failed_until: None,
    };
    let replay = caller.ask::<ReplayWebhook>(request).await?;
    let done = match replay.replayed {
        0 => Flash::MESSAGE_WAITS,
        _ => Flash::MESSAGE_REPLAYED,
    };
    Ok(flash::see(&path(&webhook.id, &message_id), Some(done)))
}

fn path(webhook: &str, message: &str) -> String {
    format!("{}/deliveries/{}", path_of(webhook), encoded(message))
}
