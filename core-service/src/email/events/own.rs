//! Muster's own form, for mail servers and scripts of operators.

use domain::mail::{MailReport, ReportedEvent};
use serde::Deserialize;
use serde_json::Value;

use super::{MailEvents, bounced, form, reported};

#[derive(Debug, Deserialize)]
struct Body {
    events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    kind: Kind,
    message_id: Option<String>,
    address: Option<String>,
    status: Option<String>,
    words: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Bounced,
    Complained,
}

pub(super) fn read(value: &Value) -> Result<MailEvents, serde_json::Error> {
    let body: Body = form(value)?;
    let report = |event: &Event| MailReport {
        mail: reported(event.message_id.as_deref(), event.address.as_deref()),
        event: match event.kind {
            Kind::Bounced => bounced(event.status.as_deref(), event.words.as_deref()),
            Kind::Complained => ReportedEvent::Complained,
        },
    };
    // A failure that may pass is none.
    let (permanent, passing): (Vec<_>, Vec<_>) = body
        .events
        .iter()
        .partition(|event| !event.status.as_deref().unwrap_or_default().starts_with('4'));
    Ok(MailEvents {
        reports: permanent.into_iter().map(report).collect(),
        ignored: passing.len(),
    })
}
