//! Events of Amazon SES, as `EventBridge` delivers them (`detail`), or as they are in notifications:
//! <https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html>.

use domain::mail::{MailReport, ReportedEvent};
use serde::Deserialize;
use serde_json::Value;

use super::{MailEvents, bounced, form, reported};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    #[serde(alias = "notificationType")]
    event_type: String,
    mail: Mail,
    bounce: Option<Bounce>,
    complaint: Option<Complaint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mail {
    #[serde(default)]
    headers: Vec<Header>,
    common_headers: Option<CommonHeaders>,
}

#[derive(Debug, Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommonHeaders {
    message_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bounce {
    bounce_type: String,
    bounced_recipients: Vec<Recipient>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Complaint {
    complained_recipients: Vec<Recipient>,
    complaint_feedback_type: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recipient {
    email_address: String,
    status: Option<String>,
    diagnostic_code: Option<String>,
}

pub(super) fn read(value: &Value) -> Result<MailEvents, serde_json::Error> {
    let event: Detail = form(value)?;
    let id = event.mail.message_id();
    match (&*event.event_type, &event.bounce, &event.complaint) {
        ("Bounce", Some(bounce), _) if bounce.bounce_type == "Permanent" => {
            let reports = bounce.bounced_recipients.iter().map(|one| {
                let words = one.diagnostic_code.as_deref();
                let words = words.map(|code| code.split_once(';').map_or(code, |(_, words)| words));
                report(id, one, bounced(one.status.as_deref(), words))
            });
            Ok(of(reports.collect()))
        }
        ("Complaint", _, Some(complaint)) if !complaint.is_taken_back() => {
            let complained = complaint.complained_recipients.iter();
            let reports = complained.map(|one| report(id, one, ReportedEvent::Complained));
            Ok(of(reports.collect()))
        }
        _ => Ok(MailEvents::IGNORED),
    }
}

fn of(reports: Vec<MailReport>) -> MailEvents {
    MailEvents {
        reports,
        ignored: 0,
    }
}

fn report(id: Option<&str>, recipient: &Recipient, event: ReportedEvent) -> MailReport {
    MailReport {
        mail: reported(id, Some(&recipient.email_address)),
        event,
    }
}

impl Mail {
    /// The Message-ID that Muster gave; SES sends the mail with one of its own.
    fn message_id(&self) -> Option<&str> {
        let mut headers = self.headers.iter();
        let given = headers.find(|one| one.name.eq_ignore_ascii_case("Message-ID"));
        given.map(|one| &*one.value).or_else(|| {
            let common = self.common_headers.as_ref()?;
            common.message_id.as_deref()
        })
    }
}

impl Complaint {
    fn is_taken_back(&self) -> bool {
        self.complaint_feedback_type.as_deref() == Some("not-spam")
    }
}
