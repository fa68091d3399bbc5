//! Publishing an event, and making it a draft again: first what it means, then the button.

use askama::Template;
use muster_api::{
    Scope,
    v1::{
        MyEventDetail, PublishEventRequest, UnpublishEventRequest,
        bindings::{PreviewUnpublishing, PublishEvent, UnpublishEvent},
    },
};

use super::{
    event_form::reminders,
    event_head::{EventHead, Part, path_of, read},
};
use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

#[derive(Template)]
#[template(path = "dashboard/publish.html")]
struct PublishPage {
    page: Frame,
    head: EventHead,
    /// Whether the button publishes; else it makes the event a draft again.
    publishes: bool,
    /// How many messages to guests the button stops for good.
    stopped_messages: i32,
    event: MyEventDetail,
}

pub(in crate::pages) async fn ask_to_publish(caller: Caller) -> PageResult {
    show(&caller, "Publish the event?", true).await
}

pub(in crate::pages) async fn ask_to_unpublish(caller: Caller) -> PageResult {
    show(&caller, "Unpublish?", false).await
}

/// What the button does. An event that is in this state already needs no button.
async fn show(caller: &Caller, title: &str, publishes: bool) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let event = read(caller).await?;
    if event.is_published == publishes || event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let stopped_messages = if publishes {
        0
    } else {
        let id = event.id.clone();
        let request = UnpublishEventRequest { id };
        caller.ask::<PreviewUnpublishing>(request).await?.messages
    };
    caller.answer(&PublishPage {
        page: caller.page(title, Tab::Events),
        head: EventHead::of(&event, Part::Overview),
        publishes,
        stopped_messages,
        event,
    })
}

pub(in crate::pages) async fn publish(caller: Caller, _form: Form) -> PageResult {
    let id = caller.context.segment(2)?;
    let path = path_of(&id);
    caller
        .ask::<PublishEvent>(PublishEventRequest { id })
        .await?;
    Ok(flash::see(&path, Some(Flash::EVENT_PUBLISHED)))
}

pub(in crate::pages) async fn unpublish(caller: Caller, _form: Form) -> PageResult {
    let id = caller.context.segment(2)?;
    let path = path_of(&id);
    let request = UnpublishEventRequest { id };
    caller.ask::<UnpublishEvent>(request).await?;
    Ok(flash::see(&path, Some(Flash::EVENT_UNPUBLISHED)))
}
