//! One message: what was written, to whom, and what became of it.

use askama::Template;
use muster_api::{
    Scope,
    v1::{CancelMessageRequest, Message, bindings::CancelMessage},
};

use super::{Row, path, write::both};
use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    markdown::Author,
    pages::dashboard::event_head::{EventHead, Part},
};

#[derive(Template)]
#[template(path = "dashboard/message.html")]
struct MessagePage {
    page: Frame,
    head: EventHead,
    url: String,
    row: Row,
    /// Whether it can be changed.
    is_open: bool,
    /// Whether some of it can still be stopped.
    can_cancel: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let (event, message) = both(&caller).await?;
    let is_scheduled = message.state == "scheduled";
    let may_write = caller.viewer.may(Scope::MessagesWrite);
    caller.answer(&MessagePage {
        page: caller.page(&message.subject, Tab::Events),
        head: EventHead::of(&event, Part::Messages),
        url: path_of_message(&event.id, &message),
        is_open: is_scheduled && may_write,
        can_cancel: may_write && (is_scheduled || message.state == "sending"),
        row: Row::of(message),
    })
}

/// Cancels what has not left.
pub(in crate::pages) async fn take(caller: Caller, _form: Form) -> PageResult {
    let request = CancelMessageRequest {
        id: caller.context.segment(2)?,
        message_id: caller.context.segment(4)?,
    };
    let event = request.id.clone();
    let message = caller.ask::<CancelMessage>(request).await?;
    let done = match (&*message.state, message.recipients) {
        ("cancelled", 0) => Flash::MESSAGE_CANCELLED,
        ("cancelled", _) => Flash::MESSAGE_CUT_SHORT,
        _ => Flash::MESSAGE_WAS_SENT,
    };
    Ok(flash::see(&path_of_message(&event, &message), Some(done)))
}

/// The path of a message of an event.
pub(super) fn path_of_message(event: &str, message: &Message) -> String {
    let id = message.id.as_deref().unwrap_or_default();
    format!("{}/{}", path(event), encoded(id))
}
