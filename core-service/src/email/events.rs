//! What mail providers report by HTTP: that a mail came back for good, or that someone called it spam. Each provider has a form of its own,
//! which is known by the fields that it has; everything else they report is ignored.

mod mailgun;
mod own;
mod postmark;
mod ses;

use domain::{
    job::JobKey,
    mail::{MailReport, PermanentStatus, ReportedEvent, ReportedMail},
};
use serde::Deserialize;
use serde_json::Value;

/// Events in one body, and recipients of one event.
pub const MAX_EVENTS: usize = 100;

/// The body is no report of a known form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownEvents(String);

/// The reports in a body, and how many events in it say nothing of interest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailEvents {
    /// The reports.
    pub reports: Vec<MailReport>,
    /// Events that are ignored.
    pub ignored: usize,
}

/// Reads the reports in a body.
///
/// # Errors
/// When it is no JSON of a known form, or has too many events.
pub fn read_events(body: &str) -> Result<MailEvents, UnknownEvents> {
    let value: Value = serde_json::from_str(body)
        .map_err(|error| UnknownEvents(format!("must be JSON: {error}")))?;
    let has = |name: &str| value.get(name).is_some();
    let events = if has("events") {
        own::read(&value)
    } else if has("event-data") {
        mailgun::read(&value)
    } else if has("RecordType") {
        postmark::read(&value)
    } else if let Some(detail) = value.get("detail") {
        ses::read(detail)
    } else if has("eventType") || has("notificationType") {
        ses::read(&value)
    } else {
        let known = "must be events of Muster's own form, Amazon SES, Mailgun or Postmark";
        return Err(UnknownEvents(known.to_owned()));
    };
    let events = events.map_err(|error| UnknownEvents(error.to_string()))?;
    if events.reports.len() > MAX_EVENTS {
        let text = format!("must have at most {MAX_EVENTS} events");
        return Err(UnknownEvents(text));
    }
    Ok(events)
}

impl MailEvents {
    /// Without a report.
    const IGNORED: Self = Self {
        reports: Vec::new(),
        ignored: 1,
    };

    fn one(mail: ReportedMail, event: ReportedEvent) -> Self {
        Self {
            reports: vec![MailReport { mail, event }],
            ignored: 0,
        }
    }
}

/// Reads a form, whose further fields do not matter.
fn form<'v, F: Deserialize<'v>>(value: &'v Value) -> Result<F, serde_json::Error> {
    F::deserialize(value)
}

/// The mail with this Message-ID of Muster; without one, some mail to this address.
fn reported(message_id: Option<&str>, address: Option<&str>) -> ReportedMail {
    reported_by_key(message_id.and_then(key), address)
}

/// The mail with this key; without one, some mail to this address.
fn reported_by_key(key: Option<JobKey>, address: Option<&str>) -> ReportedMail {
    ReportedMail::Trusted {
        key,
        address: address
            .map(|address| address.trim().to_owned())
            .filter(|address| address.contains('@')),
    }
}

/// The key with which a Message-ID of Muster begins.
fn key(message_id: &str) -> Option<JobKey> {
    let id = message_id
        .trim()
        .trim_start_matches('<')
        .trim_end_matches('>');
    let (key, _) = id.rsplit_once('@')?;
    key.parse().ok()
}

/// A failure with the status that the provider gives, or else the one in the server's words.
fn bounced(status: Option<&str>, words: Option<&str>) -> ReportedEvent {
    let given = status.and_then(|status| status.parse().ok());
    let status = given.unwrap_or_else(|| PermanentStatus::of_words(words.unwrap_or_default()));
    ReportedEvent::Bounced {
        status,
        words: words.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_id_of_muster_names_its_mail() {
        let id = "<registered_mail.00000000-0000-0000-0000-000000000007.0@muster.example>";
        assert!(key(id).is_some());
        assert!(key(id.trim_matches(['<', '>'])).is_some());
        for other in [
            "",
            "<abc@example.org>",
            "d12c2f1c-60f3-4258-b163-d17052546ae4",
        ] {
            assert_eq!(key(other), None, "{other}");
        }
    }

    #[test]
    fn what_has_no_known_form_is_refused_in_words() {
        for (body, problem) in [
            ("", "must be JSON"),
            ("[]", "must be events of"),
            ("{}", "must be events of"),
            (r#"{"events": 1}"#, "invalid type"),
            (r#"{"eventType": "Bounce"}"#, "missing field"),
        ] {
            let error = read_events(body).unwrap_err().to_string();
            assert!(error.contains(problem), "{body}: {error}");
        }
    }
}
