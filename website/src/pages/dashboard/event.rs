//! One event at a glance, and what can be done with it.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        CloneEventRequest, CreatedEvent, DeleteEventRequest, MyEventDetail,
        bindings::{CloneEvent, DeleteEvent},
    },
};

use super::event_head::{EventHead, Part, path_of, read};
use crate::{
    caller::{Caller, Frame, Tab},
    cover::Cover,
    flash::{self, Flash},
    form::{Form, fresh_key},
    layout::Page,
    markdown::{Author, html},
    place::Place,
    return_path::DASHBOARD,
};

#[derive(Template)]
#[template(path = "dashboard/event.html")]
struct EventPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    place: Place,
    cover: Cover,
    description_html: String,
    event: MyEventDetail,
    questions: Vec<String>,
    counts: Vec<Count>,
    /// Whether it can still be deleted: a draft for which nobody ever registered.
    is_deletable: bool,
}

/// A number with its words, and where its people are listed.
pub(crate) struct Count {
    pub(crate) number: String,
    pub(crate) words: &'static str,
    pub(crate) url: Option<String>,
}

#[derive(Template)]
#[template(path = "dashboard/clone.html")]
struct ClonePage {
    page: Page,
    frame: Frame,
    head: EventHead,
    /// Makes one copy, however often it is sent.
    key: String,
}

#[derive(Template)]
#[template(path = "dashboard/delete.html")]
struct DeletePage {
    page: Page,
    frame: Frame,
    head: EventHead,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let event = read(&caller).await?;
    caller.answer(&EventPage::of(&caller, event))
}

pub(in crate::pages) async fn ask_to_clone(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    let (page, frame) = caller.frame("Copy the event?", Tab::Events);
    caller.answer(&ClonePage {
        page,
        frame,
        head: EventHead::of(&event, Part::Overview),
        key: fresh_key(),
    })
}

/// Makes a draft with the same times and questions, and leads to its form.
pub(in crate::pages) async fn clone(caller: Caller, form: Form) -> Result<Response, Problem> {
    let id = caller.context.segment(2)?;
    let key = form.value("key");
    let request = CloneEventRequest { id };
    let CreatedEvent { id, .. } = caller.context.ask_once::<CloneEvent>(request, key).await?;
    let path = format!("{}/edit", path_of(&id));
    Ok(flash::see(&path, Some(Flash::EVENT_CLONED)))
}

pub(in crate::pages) async fn ask_to_delete(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    let (page, frame) = caller.frame("Delete the draft?", Tab::Events);
    caller.answer(&DeletePage {
        page,
        frame,
        head: EventHead::of(&event, Part::Overview),
    })
}

pub(in crate::pages) async fn delete(caller: Caller, _form: Form) -> Result<Response, Problem> {
    let id = caller.context.segment(2)?;
    caller.ask::<DeleteEvent>(DeleteEventRequest { id }).await?;
    Ok(flash::see(DASHBOARD, Some(Flash::EVENT_DELETED)))
}

/// The registrations of an event in numbers: always how many seats are taken, the others if there are any.
pub(crate) fn counts(event: &MyEventDetail) -> Vec<Count> {
    let list = format!("{}/registrations", path_of(&event.id));
    let url = |status: &str| Some(format!("{list}?status={status}"));
    let (confirmed, seats) = (event.registrations_confirmed, event.max_capacity);
    let mut counts = vec![Count {
        number: format!("{confirmed} of {seats}"),
        words: "seats taken",
        url: url("Confirmed"),
    }];
    let others = [
        (event.registrations_checked_in, "checked in", "Confirmed"),
        (
            event.registrations_pending,
            "waiting for your approval",
            "Pending",
        ),
        (
            event.registrations_unconfirmed,
            "address not confirmed yet",
            "Pending",
        ),
        (
            event.registrations_waitlisted,
            "on the waitlist",
            "Waitlisted",
        ),
        (
            event.registrations_total - event.registrations_active,
            "cancelled",
            "Cancelled",
        ),
    ];
    let others = others.into_iter().filter(|(number, ..)| *number > 0);
    counts.extend(others.map(|(number, words, status)| Count {
        number: number.to_string(),
        words,
        url: url(status),
    }));
    counts
}

impl EventPage {
    fn of(caller: &Caller, event: MyEventDetail) -> Self {
        let (page, frame) = caller.frame(&event.title, Tab::Events);
        let labels = event
            .custom_fields
            .iter()
            .map(|field| field.label().to_owned());
        Self {
            page,
            frame,
            head: EventHead::of(&event, Part::Overview),
            place: Place::of(&event.location, event.city.as_deref()),
            cover: Cover::of(&event.slug, &event.title, event.image_url.is_some()),
            description_html: html(&event.description, Author::Stranger),
            questions: labels.collect(),
            counts: counts(&event),
            is_deletable: !event.is_published && event.registrations_total == 0,
            event,
        }
    }
}
