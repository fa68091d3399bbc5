//! One webhook: its state, what can be done with it, and what became of its messages.

use askama::Template;
use http_kit::Problem;
use jiff::SignedDuration;
use muster_api::{
    Scope,
    v1::{
        ListWebhookDeliveriesRequest, PingWebhookRequest, ReplayWebhookRequest,
        RotateWebhookSecretRequest, UpdateWebhookRequest, Webhook, WebhookAttempt,
        bindings::{
            ListWebhookDeliveries, PingWebhook, ReplayWebhook, RotateWebhookSecret, UpdateWebhook,
        },
    },
};

use super::{Row, delivery::Line, path_of, read, show_made};
use crate::{
    caller::{Caller, Frame, Tab},
    date::now,
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::dashboard::list_filter::{Chip, ListFilter},
};

/// Deliveries on a page.
const PAGE_SIZE: i32 = 20;

const A_DAY: SignedDuration = SignedDuration::from_hours(24);

/// States of deliveries, by their names in the API and for people.
const STATES: [(Option<&str>, &str); 4] = [
    (None, "All"),
    (Some("waiting"), "Waiting"),
    (Some("delivered"), "Delivered"),
    (Some("failed"), "Failed"),
];

#[derive(Template)]
#[template(path = "dashboard/webhook.html")]
struct WebhookPage {
    page: Frame,
    row: Row,
    /// What came of a ping, after one.
    ping: Option<WebhookAttempt>,
    lines: Vec<Line>,
    chips: Vec<Chip>,
    filter: ListFilter,
    next_url: Option<String>,
    /// Of which time messages that failed are sent again.
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let webhook = read(&caller).await?;
    page(caller, webhook, None).await
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::WebhooksWrite)?;
    let webhook = read(&caller).await?;
    let done = match form.value("action") {
        Some("pause") => pause(&caller, &webhook, true).await?,
        Some("enable") => pause(&caller, &webhook, false).await?,
        Some("ping") => {
            let webhook_id = webhook.id.clone();
            let ping = caller.ask::<PingWebhook>(PingWebhookRequest { webhook_id });
            let ping = ping.await?;
            return page(caller, webhook, Some(ping)).await;
        }
        Some("rotate") => {
            let webhook_id = webhook.id.clone();
            let rotate =
                caller.ask::<RotateWebhookSecret>(RotateWebhookSecretRequest { webhook_id });
            return show_made(&caller, rotate.await?, false);
        }
        Some("replay_day") => {
            let since = (now() - A_DAY).to_string();
            replay(&caller, &webhook, since, None).await?
        }
        _ => {
            // Its fields have a date and a time of UTC.
            let time = |name| form.text(name).map(|text| format!("{text}Z"));
            let (since, until) = (time("failed_since"), time("failed_until"));
            replay(&caller, &webhook, since.unwrap_or_default(), until).await?
        }
    };
    Ok(flash::see(&path_of(&webhook.id), Some(done)))
}

async fn page(caller: Caller, webhook: Webhook, ping: Option<WebhookAttempt>) -> PageResult {
    let filter: ListFilter = caller.context.query().read()?;
    let request = ListWebhookDeliveriesRequest {
        webhook_id: webhook.id.clone(),
        state: filter.status.clone(),
        limit: Some(PAGE_SIZE),
        cursor: filter.cursor.clone(),
    };
    let listed = caller.ask::<ListWebhookDeliveries>(request).await;
    let (caller, list) = caller.listed(listed)?;
    let row = Row::of(webhook);
    let since = Field::new(FieldKind::WallTime, "failed_since", "Failed since")
        .hint("In UTC.")
        .required();
    let until = Field::new(FieldKind::WallTime, "failed_until", "And before")
        .hint("In UTC. Empty: until now.");
    caller.answer(&WebhookPage {
        page: caller.page(&row.title, Tab::Webhooks),
        ping,
        lines: list.items.into_iter().map(Line::of).collect(),
        chips: filter.chips(&row.url, &STATES),
        next_url: list
            .next_cursor
            .map(|cursor| filter.page(&row.url, Some(cursor))),
        model: caller.model(vec![since, until]),
        filter,
        row,
    })
}

/// Pauses a webhook, or makes it active.
async fn pause(caller: &Caller, webhook: &Webhook, is_paused: bool) -> Result<Flash, Problem> {
    let request = UpdateWebhookRequest {
        webhook_id: webhook.id.clone(),
        is_paused: Some(is_paused),
        ..UpdateWebhookRequest::default()
    };
    caller.ask::<UpdateWebhook>(request).await?;
    Ok(if is_paused {
        Flash::WEBHOOK_PAUSED
    } else {
        Flash::WEBHOOK_ENABLED
    })
}

/// Sends what failed since then, and before a time if there is one, again.
async fn replay(
    caller: &Caller,
    webhook: &Webhook,
    since: String,
    until: Option<String>,
) -> Result<Flash, Problem> {
    let request = ReplayWebhookRequest {
        webhook_id: webhook.id.clone(),
        message_ids: Vec::new(),
        failed_since: Some(since),
        failed_until: until,
    };
    let replay = caller.ask::<ReplayWebhook>(request).await?;
    Ok(match (replay.replayed, replay.has_more) {
        (0, _) => Flash::NOTHING_FAILED,
        (_, false) => Flash::MESSAGES_REPLAYED,
        (_, true) => Flash::MESSAGES_REPLAYED_IN_PART,
    })
}
