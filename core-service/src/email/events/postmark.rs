//! Webhooks of Postmark for bounces and spam complaints: <https://postmarkapp.com/developer/webhooks/bounce-webhook>. Its `MessageID` is
//! its own, so mails have their keys in a header `X-PM-Metadata-muster`, which comes back as metadata.

use domain::mail::ReportedEvent;
use serde::Deserialize;
use serde_json::Value;

use super::{MailEvents, bounced, form, reported_by_key};

/// The status of a hard bounce whose words have none: the address does not exist.
const HARD: &str = "5.1.1";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    record_type: String,
    r#type: Option<String>,
    email: Option<String>,
    details: Option<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    muster: Option<String>,
}

pub(super) fn read(value: &Value) -> Result<MailEvents, serde_json::Error> {
    let event: Event = form(value)?;
    let key = event.metadata.muster.and_then(|key| key.parse().ok());
    let mail = reported_by_key(key, event.email.as_deref());
    let reported = match (&*event.record_type, event.r#type.as_deref()) {
        ("SpamComplaint", _) | ("Bounce", Some("SpamComplaint")) => ReportedEvent::Complained,
        ("Bounce", Some("HardBounce" | "BadEmailAddress")) => {
            let words = event.details.as_deref();
            let words = words.map(|text| text.strip_prefix("smtp;").unwrap_or(text));
            let mut statuses = words.unwrap_or_default().split_whitespace();
            let has_status = statuses.any(|word| word.starts_with("5."));
            bounced((!has_status).then_some(HARD), words)
        }
        _ => return Ok(MailEvents::IGNORED),
    };
    Ok(MailEvents::one(mail, reported))
}
