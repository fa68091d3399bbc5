//! Webhooks of Mailgun for permanent failures and spam complaints:
//! <https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads>.

use domain::mail::ReportedEvent;
use serde::Deserialize;
use serde_json::Value;

use super::{MailEvents, bounced, form, reported};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Body {
    event_data: Webhook,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Webhook {
    event: String,
    severity: Option<String>,
    recipient: Option<String>,
    message: Option<Message>,
    delivery_status: Option<Status>,
}

#[derive(Debug, Deserialize)]
struct Message {
    headers: Headers,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Headers {
    message_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Status {
    enhanced_code: Option<String>,
    message: Option<String>,
    description: Option<String>,
}

pub(super) fn read(value: &Value) -> Result<MailEvents, serde_json::Error> {
    let Body { event_data: event } = form(value)?;
    let id = event.message.as_ref();
    let id = id.and_then(|message| message.headers.message_id.as_deref());
    let mail = reported(id, event.recipient.as_deref());
    let reported = match (&*event.event, event.severity.as_deref()) {
        ("complained", _) => ReportedEvent::Complained,
        ("failed", Some("permanent")) => {
            let status = event.delivery_status.as_ref();
            let words = status.and_then(|status| {
                let texts = [&status.message, &status.description];
                let mut texts = texts.into_iter().flatten();
                texts.find(|text| !text.is_empty())
            });
            let code = status.and_then(|status| status.enhanced_code.as_deref());
            bounced(code, words.map(String::as_str))
        }
        _ => return Ok(MailEvents::IGNORED),
    };
    Ok(MailEvents::one(mail, reported))
}
