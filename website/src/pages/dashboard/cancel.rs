//! Cancelling an event: the reason first, then who will be mailed and what they will read, then the button.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Scope,
    v1::{CancelRequest, MyEventDetail, bindings::CancelEvent},
};

use super::{
    event_head::{EventHead, Part, path_of, read},
    mail_preview::{MailPreview, of_cancel},
};
use crate::{
    desk::{Desk, Frame, Tab},
    field::{Field, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    visit::Site,
};

#[derive(Template)]
#[template(path = "dashboard/cancel.html")]
struct CancelPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    sheet: Sheet,
    /// Who will be mailed.
    who: Option<String>,
}

#[derive(Template)]
#[template(path = "dashboard/cancel_review.html")]
struct ReviewPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    reason: String,
    /// `None` if nobody is mailed.
    mail: Option<MailPreview>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/events/{id}/cancel", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.require(Scope::EventsCancel)?;
    let event = read(&desk).await?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let page = CancelPage::of(&desk, &event, fields()).await?;
    desk.answer(&page)
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    desk.require(Scope::EventsCancel)?;
    let event = read(&desk).await?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let request = CancelRequest {
        id: event.id.clone(),
        reason: form.text("reason"),
    };
    let done = match form.value("action") {
        Some("back") => {
            let page = CancelPage::of(&desk, &event, fields().filled(&form)).await?;
            return desk.answer(&page);
        }
        Some("cancel") => cancel(&desk, request).await,
        _ => review(&desk, &event, request.reason).await,
    };
    match done {
        Err(problem) if problem.http_status == 400 => {
            let sheet = fields().filled(&form).refused(&problem.details);
            let page = CancelPage::of(&desk, &event, sheet).await?;
            desk.answer_refused(&page, &problem)
        }
        done => done,
    }
}

async fn review(
    desk: &Desk,
    event: &MyEventDetail,
    reason: Option<String>,
) -> Result<Response, Problem> {
    let mail = of_cancel(desk, &event.id, reason.clone()).await?;
    let (page, frame) = desk.frame("Cancel the event?", Tab::Events);
    desk.answer(&ReviewPage {
        page,
        frame,
        head: EventHead::of(event, Part::Overview),
        reason: reason.unwrap_or_default(),
        mail,
    })
}

async fn cancel(desk: &Desk, request: CancelRequest) -> Result<Response, Problem> {
    let path = path_of(&request.id);
    desk.ask::<CancelEvent>(request).await?;
    Ok(flash::see(&path, Some(Flash::EVENT_CANCELLED)))
}

fn fields() -> Sheet {
    let reason = Field::paragraphs("reason", "Why is it cancelled?")
        .hint("It stands in the e-mail to everybody who is registered.");
    Sheet::of(vec![reason])
}

impl CancelPage {
    async fn of(desk: &Desk, event: &MyEventDetail, sheet: Sheet) -> Result<Self, Problem> {
        let mail = of_cancel(desk, &event.id, None).await?;
        let (page, frame) = desk.frame("Cancel the event?", Tab::Events);
        Ok(Self {
            page,
            frame,
            head: EventHead::of(event, Part::Overview),
            sheet,
            who: mail.map(|mail| mail.who),
        })
    }
}
