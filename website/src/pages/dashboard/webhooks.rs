//! The webhooks of an account: where messages about its events go, and whether they arrive.

pub(in crate::pages) mod change;
pub(in crate::pages) mod delivery;
mod fields;
pub(in crate::pages) mod new;
pub(in crate::pages) mod webhook;

use askama::Template;
use http_kit::Problem;
use muster_api::v1::{
    GetWebhookRequest, ListWebhooksRequest, Webhook,
    bindings::{GetWebhook, ListWebhooks},
};

use super::event_head::Badge;
use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/webhooks";

/// What a page is called that is about a webhook with neither a description nor a URL.
const UNNAMED: &str = "Messages to pull";

#[derive(Template)]
#[template(path = "dashboard/webhooks.html")]
struct WebhooksPage {
    page: Frame,
    rows: Vec<Row>,
    quota: i32,
}

/// A secret or a public key, shown after it was made.
#[derive(Template)]
#[template(path = "dashboard/webhook_made.html")]
struct MadePage {
    page: Frame,
    row: Row,
    /// Whether the webhook is new; else its secret is.
    is_new: bool,
}

/// A webhook with its state in words.
struct Row {
    one: Webhook,
    badge: Badge,
    url: String,
    title: String,
}

impl Row {
    fn of(one: Webhook) -> Self {
        let badge = match &*one.state {
            "active" if one.failing_since.is_some() => Badge::new("warn", "Active"),
            "active" => Badge::new("good", "Active"),
            "paused" => Badge::new("", "Paused"),
            _ => Badge::new("bad", "Disabled"),
        };
        let host = one.url.as_deref().and_then(host);
        let title = one.description.clone().or(host);
        Self {
            badge,
            url: path_of(&one.id),
            title: title.unwrap_or_else(|| UNNAMED.to_owned()),
            one,
        }
    }

    fn is_active(&self) -> bool {
        self.one.state == "active"
    }

    fn is_paused(&self) -> bool {
        self.one.state == "paused"
    }

    /// Why it was disabled, as a sentence.
    fn disabled(&self) -> Option<&'static str> {
        Some(match self.one.disabled_reason.as_deref()? {
            "failing" => "Nothing got through for five days, so it was disabled.",
            "gone" => "The receiver said that it is gone (410), so it was disabled.",
            "revoked" => {
                "The key or the app that set it up was revoked or has expired, or the member left. So it was disabled."
            }
            _ => "It was disabled.",
        })
    }
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let list = caller.ask::<ListWebhooks>(ListWebhooksRequest {}).await?;
    caller.answer(&WebhooksPage {
        page: caller.page("Webhooks", Tab::Webhooks),
        rows: list.items.into_iter().map(Row::of).collect(),
        quota: list.quota,
    })
}

/// Answers with a new secret, since it can be shown only now.
fn show_made(caller: &Caller, made: Webhook, is_new: bool) -> PageResult {
    let title = if is_new {
        "Your new webhook"
    } else {
        "The new secret"
    };
    caller.answer(&MadePage {
        page: caller.page(title, Tab::Webhooks),
        row: Row::of(made),
        is_new,
    })
}

/// Reads the webhook of the path `/dashboard/webhooks/{id}/…`.
async fn read(caller: &Caller) -> Result<Webhook, Problem> {
    let webhook_id = caller.context.segment(2)?;
    caller
        .ask::<GetWebhook>(GetWebhookRequest { webhook_id })
        .await
}

/// The path of a webhook.
fn path_of(id: &str) -> String {
    format!("{PATH}/{}", encoded(id))
}

/// The host of a URL, with its port.
fn host(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).ok()?;
    let host = parsed.host_str()?;
    Some(match parsed.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(url: Option<&str>, description: Option<&str>) -> Row {
        Row::of(Webhook {
            url: url.map(str::to_owned),
            description: description.map(str::to_owned),
            ..Webhook::default()
        })
    }

    #[test]
    fn a_webhook_is_called_by_its_description_or_its_host() {
        let url = Some("https://hooks.example.org:8443/muster?token=1");
        assert_eq!(row(url, Some("Our CRM")).title, "Our CRM");
        assert_eq!(row(url, None).title, "hooks.example.org:8443");
        assert_eq!(row(None, None).title, UNNAMED);
    }
}
