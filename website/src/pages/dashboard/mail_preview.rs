//! The mail that a change would send: who gets it, and what they read. Core makes it as it makes the mail itself.

use http_kit::Problem;
use muster_api::v1::{
    EventMailPreview, MessagePreview, PreviewEventMailRequest, bindings::PreviewEventMail,
};

use super::series;
use crate::{caller::Caller, form::Form};

/// A mail before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailPreview {
    /// `12 people`.
    pub(crate) who: String,
    /// The name of the one who would read it, if it is for somebody.
    pub(crate) reader: Option<String>,
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: Option<String>,
}

impl MailPreview {
    /// The mail of a message.
    pub(super) fn of_message(preview: &MessagePreview) -> Self {
        Self {
            who: people(preview.recipients),
            reader: Some(preview.recipient_name.clone()),
            subject: preview.subject.clone(),
            text: preview.text.clone(),
            html: Some(in_frame(&preview.html)),
        }
    }
}

/// The mail about the cancellation of an event; `None` if nobody is mailed. With it, how many people whom an organizer added are not.
///
/// # Errors
/// Core's refusal, also of a reason that it would not take.
pub(super) async fn of_cancel(
    caller: &Caller,
    id: &str,
    reason: Option<String>,
    scope: Option<String>,
) -> Result<(Option<MailPreview>, i32), Problem> {
    let request = PreviewEventMailRequest {
        id: id.to_owned(),
        change: Some("cancel".to_owned()),
        reason,
        scope,
        ..PreviewEventMailRequest::default()
    };
    let answer = caller.ask::<PreviewEventMail>(request).await?;
    let untold = answer.added_not_notified;
    Ok((shown(answer), untold))
}

/// The mail about a new time or place, of the fields that are changed; `None` if nobody is mailed.
///
/// # Errors
/// Core's refusal, also of a time or place that it would not take.
pub(super) async fn of_update(
    caller: &Caller,
    id: &str,
    typed: &Form,
    changed: &[&str],
) -> Result<Option<MailPreview>, Problem> {
    let given = |name| {
        let is_changed = changed.contains(&name);
        is_changed.then(|| typed.text(name).unwrap_or_default())
    };
    let request = PreviewEventMailRequest {
        id: id.to_owned(),
        change: Some("update".to_owned()),
        reason: None,
        scope: series::scope(typed),
        title: given("title"),
        is_location_private: changed
            .contains(&"is_location_private")
            .then(|| typed.is_ticked("is_location_private")),
        location: given("location"),
        city: given("city"),
        attendee_info: given("attendee_info"),
        start_date: given("start_date"),
        end_date: given("end_date"),
        timezone: given("timezone"),
    };
    Ok(shown(caller.ask::<PreviewEventMail>(request).await?))
}

/// The mail of an event's reminder, also if nobody has a spot yet.
///
/// # Errors
/// Core's refusal.
pub(super) async fn of_reminder(caller: &Caller, id: &str) -> Result<MailPreview, Problem> {
    let request = PreviewEventMailRequest {
        id: id.to_owned(),
        change: Some("remind".to_owned()),
        ..PreviewEventMailRequest::default()
    };
    Ok(mail(caller.ask::<PreviewEventMail>(request).await?))
}

fn shown(answer: EventMailPreview) -> Option<MailPreview> {
    (answer.recipients > 0).then(|| mail(answer))
}

fn mail(answer: EventMailPreview) -> MailPreview {
    MailPreview {
        who: people(answer.recipients),
        reader: None,
        subject: answer.subject.unwrap_or_default(),
        text: answer.text.unwrap_or_default(),
        html: answer.html.as_deref().map(in_frame),
    }
}

/// A mail's HTML for a frame of the page. Links open in new tabs. Without its style sheet, which the page's policy refuses, only the
/// bright looks of its attributes are left.
fn in_frame(html: &str) -> String {
    let split = html.split_once("<meta name=\"color-scheme\"");
    let split = split.and_then(|(before, rest)| Some((before, rest.split_once("</style>")?.1)));
    let (before, after) = split.unwrap_or(("", html));
    format!("{before}<base target=\"_blank\">{after}")
}

/// `1 person`, `12 people`.
pub(crate) fn people(count: i32) -> String {
    match count {
        1 => "1 person".to_owned(),
        _ => format!("{count} people"),
    }
}
