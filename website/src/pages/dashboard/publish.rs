//! Publishing an event, and making it a draft again: first what it means, then the button.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        PublishEventRequest, UnpublishEventRequest,
        bindings::{PublishEvent, UnpublishEvent},
    },
};

use super::event_head::{EventHead, Part, path_of, read};
use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::Page,
};

#[derive(Template)]
#[template(path = "dashboard/publish.html")]
struct PublishPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    /// Whether the button publishes; else it makes the event a draft again.
    publishes: bool,
    is_listed: bool,
    requires_approval: bool,
    registrations: i32,
    link: String,
}

pub(in crate::pages) async fn ask_to_publish(caller: Caller) -> Result<Response, Problem> {
    show(&caller, true).await
}

pub(in crate::pages) async fn ask_to_unpublish(caller: Caller) -> Result<Response, Problem> {
    show(&caller, false).await
}

/// What the button does. An event that is in this state already needs no button.
async fn show(caller: &Caller, publishes: bool) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    let event = read(caller).await?;
    if event.is_published == publishes || event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let title = if publishes {
        "Publish the event?"
    } else {
        "Make it a draft again?"
    };
    let (page, frame) = caller.frame(title, Tab::Events);
    caller.answer(&PublishPage {
        page,
        frame,
        head: EventHead::of(&event, Part::Overview),
        publishes,
        is_listed: event.is_listed,
        requires_approval: event.requires_approval,
        registrations: event.registrations_active,
        link: event.event_url,
    })
}

pub(in crate::pages) async fn publish(caller: Caller, _form: Form) -> Result<Response, Problem> {
    let id = caller.context.segment(2)?;
    let request = PublishEventRequest { id: id.clone() };
    caller.ask::<PublishEvent>(request).await?;
    Ok(flash::see(&path_of(&id), Some(Flash::EVENT_PUBLISHED)))
}

pub(in crate::pages) async fn unpublish(caller: Caller, _form: Form) -> Result<Response, Problem> {
    let id = caller.context.segment(2)?;
    let request = UnpublishEventRequest { id: id.clone() };
    caller.ask::<UnpublishEvent>(request).await?;
    Ok(flash::see(&path_of(&id), Some(Flash::EVENT_UNPUBLISHED)))
}
