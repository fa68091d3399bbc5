//! Publishing an event, and making it a draft again: first what it means, then the button.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Scope,
    v1::{
        PublishEventRequest, UnpublishEventRequest,
        bindings::{PublishEvent, UnpublishEvent},
    },
};

use super::event_head::{EventHead, Part, path_of, read};
use crate::{
    desk::{Desk, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    visit::Site,
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

pub(super) fn resources(site: &Site) -> [Resource; 2] {
    [
        site.desk_with_form("/dashboard/events/{id}/publish", ask_to_publish, publish),
        site.desk_with_form(
            "/dashboard/events/{id}/unpublish",
            ask_to_unpublish,
            unpublish,
        ),
    ]
}

async fn ask_to_publish(desk: Desk) -> Result<Response, Problem> {
    show(&desk, true).await
}

async fn ask_to_unpublish(desk: Desk) -> Result<Response, Problem> {
    show(&desk, false).await
}

/// What the button does. An event that is in this state already needs no button.
async fn show(desk: &Desk, publishes: bool) -> Result<Response, Problem> {
    desk.require(Scope::EventsWrite)?;
    let event = read(desk).await?;
    if event.is_published == publishes || event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let title = if publishes {
        "Publish the event?"
    } else {
        "Make it a draft again?"
    };
    let (page, frame) = desk.frame(title, Tab::Events);
    desk.answer(&PublishPage {
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

async fn publish(desk: Desk, _form: Form) -> Result<Response, Problem> {
    let id = desk.visit.segment(2)?;
    let request = PublishEventRequest { id: id.clone() };
    desk.ask::<PublishEvent>(request).await?;
    Ok(flash::see(&path_of(&id), Some(Flash::EVENT_PUBLISHED)))
}

async fn unpublish(desk: Desk, _form: Form) -> Result<Response, Problem> {
    let id = desk.visit.segment(2)?;
    let request = UnpublishEventRequest { id: id.clone() };
    desk.ask::<UnpublishEvent>(request).await?;
    Ok(flash::see(&path_of(&id), Some(Flash::EVENT_UNPUBLISHED)))
}
