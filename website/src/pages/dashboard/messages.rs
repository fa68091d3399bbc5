//! The messages of an event to its guests: what was written, and what became of it.

pub(in crate::pages) mod form;
pub(in crate::pages) mod message;
pub(in crate::pages) mod write;

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{ListMessagesRequest, Message, MessageList, MyEventDetail, bindings::ListMessages},
};

use super::event_head::{Badge, EventHead, Part, path_of, read};
use crate::{
    caller::{Caller, Frame, Tab},
    form::link,
    layout::PageResult,
    pages::dashboard::list_filter::ListFilter,
};

/// Messages on a page.
const PAGE_SIZE: i32 = 20;

#[derive(Template)]
#[template(path = "dashboard/messages.html")]
struct MessagesPage {
    page: Frame,
    head: EventHead,
    rows: Vec<Row>,
    next_url: Option<String>,
    /// Why none can be written now.
    obstacle: Option<&'static str>,
    /// The way to thank those who came, if the event is over and no message went out since.
    thanks_url: Option<String>,
}

/// A message with its state in words.
pub(super) struct Row {
    pub(super) one: Message,
    pub(super) badge: Badge,
    /// What became of it: `38 of 40 sent`.
    pub(super) progress: String,
}

impl Row {
    pub(super) fn of(one: Message) -> Self {
        let badge = match &*one.state {
            "scheduled" => Badge::new("", "Scheduled"),
            "sending" => Badge::new("warn", "Sending"),
            "sent" => Badge::new("good", "Sent"),
            "cancelled" => Badge::new("bad", "Cancelled"),
            _ => Badge::new("bad", "Stopped"),
        };
        let progress = match (one.recipients, one.waiting) {
            (0, _) => String::new(),
            (all, 0) => format!("{} of {all} sent", one.left),
            (all, waiting) => format!("{} of {all} sent, {waiting} waiting", one.left),
        };
        Self {
            one,
            badge,
            progress,
        }
    }

    /// Why it was stopped, as a sentence.
    pub(super) fn stopped(&self) -> Option<&'static str> {
        Some(match self.one.stop_reason.as_deref()? {
            "event_cancelled" => "The event was cancelled before it was sent.",
            "event_unpublished" => "The event was unpublished before it was sent.",
            "event_hidden" => "The operator of this site took the event down before it was sent.",
            "event_started" => "The event started before it could be sent.",
            "account_suspended" => "The account was suspended before it was sent.",
            "plan" => "Your plan no longer includes messages.",
            _ => "This site no longer sends messages.",
        })
    }
}

/// Why no message can be written, by the name of the reason in the API.
fn unavailable(reason: &str) -> &'static str {
    match reason {
        "event_cancelled" => "The event is cancelled, so its guests get no more messages.",
        "event_unpublished" => "Messages can be sent once the event is published.",
        "event_hidden" => "The operator of this site took the event down, so it sends no messages.",
        "account_suspended" => "The account is suspended, so it sends no messages.",
        "plan" => "Messages are part of the paid plan.",
        _ => "This site sends no messages of organizers.",
    }
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let filter: ListFilter = caller.context.query().read()?;
    let id = caller.context.segment(2)?;
    let request = ListMessagesRequest {
        id,
        limit: Some(PAGE_SIZE),
        cursor: filter.cursor.clone(),
    };
    let (event, listed) = tokio::join!(read(&caller), caller.ask::<ListMessages>(request));
    let (event, (caller, list)) = (event?, caller.listed(listed)?);
    let path = path(&event.id);
    let obstacle = obstacle(&caller, &list);
    let is_first = filter.cursor.is_none();
    let thanks_url = thanks_url(&caller, &event, &list).filter(|_| is_first);
    caller.answer(&MessagesPage {
        page: caller.page("Messages", Tab::Events),
        head: EventHead::of(&event, Part::Messages),
        next_url: list
            .next_cursor
            .map(|cursor| filter.page(&path, Some(cursor))),
        thanks_url,
        obstacle,
        rows: list.items.into_iter().map(Row::of).collect(),
    })
}

/// The way to thank those who came to an event; `None` while it is not over, if nobody came, or if this person cannot write or need not: a
/// message went out since.
pub(super) async fn thanks(
    caller: &Caller,
    event: &MyEventDetail,
) -> Result<Option<String>, Problem> {
    if !calls_for_thanks(event) || !caller.viewer.may(Scope::MessagesWrite) {
        return Ok(None);
    }
    let request = ListMessagesRequest {
        id: event.id.clone(),
        limit: Some(PAGE_SIZE),
        cursor: None,
    };
    let list = caller.ask::<ListMessages>(request).await?;
    Ok(thanks_url(caller, event, &list))
}

/// The same by the event's latest messages.
fn thanks_url(caller: &Caller, event: &MyEventDetail, list: &MessageList) -> Option<String> {
    let is_thanked = list.items.iter().any(|one| follows(one, event));
    let is_due = calls_for_thanks(event) && !is_thanked && obstacle(caller, list).is_none();
    let new = format!("{}/new", path(&event.id));
    is_due.then(|| link(&new, &[("for", form::THANKS)]))
}

const fn calls_for_thanks(event: &MyEventDetail) -> bool {
    event.is_ended && event.registrations_checked_in > 0
}

/// Why this person cannot write a message about an event, whose messages these are.
pub(super) fn obstacle(caller: &Caller, list: &MessageList) -> Option<&'static str> {
    if !caller.viewer.may(Scope::MessagesWrite) {
        return Some("Your role does not include writing messages.");
    }
    list.unavailable_reason.as_deref().map(unavailable)
}

/// Whether a message goes out after the end of an event, or after the start of one without an end.
fn follows(message: &Message, event: &MyEventDetail) -> bool {
    let end = event.end_date.as_deref().unwrap_or(&event.start_date);
    let sent = message.send_at.parse::<jiff::Timestamp>().ok();
    let is_off = matches!(&*message.state, "cancelled" | "stopped");
    !is_off && sent >= end.parse().ok()
}

/// The path of an event's messages.
pub(super) fn path(id: &str) -> String {
    format!("{}/messages", path_of(id))
}
