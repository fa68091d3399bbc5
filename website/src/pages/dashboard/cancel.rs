//! Cancelling an event: the reason first, then who will be mailed and what they will read, then the button.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{CancelRequest, MyEventDetail, bindings::CancelEvent},
};

use super::{
    event_head::{EventHead, Part, path_of, read},
    mail_preview::{MailPreview, of_cancel},
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
};

#[derive(Template)]
#[template(path = "dashboard/cancel.html")]
struct CancelPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    model: FormModel,
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

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::EventsCancel)?;
    let event = read(&caller).await?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let page = CancelPage::of(&caller, &event, fields()).await?;
    caller.answer(&page)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require(Scope::EventsCancel)?;
    let event = read(&caller).await?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let request = CancelRequest {
        id: event.id.clone(),
        reason: form.text("reason"),
    };
    let done = match form.value("action") {
        Some("back") => {
            let page = CancelPage::of(&caller, &event, fields().filled(&form)).await?;
            return caller.answer(&page);
        }
        Some("cancel") => cancel(&caller, request).await,
        _ => review(&caller, &event, request.reason).await,
    };
    match done {
        Err(problem) => {
            let model = fields().again(&form, &problem)?;
            let page = CancelPage::of(&caller, &event, model).await?;
            caller.answer_refused(&page, &problem)
        }
        done => done,
    }
}

async fn review(
    caller: &Caller,
    event: &MyEventDetail,
    reason: Option<String>,
) -> Result<Response, Problem> {
    let mail = of_cancel(caller, &event.id, reason.clone()).await?;
    let (page, frame) = caller.frame("Cancel the event?", Tab::Events);
    caller.answer(&ReviewPage {
        page,
        frame,
        head: EventHead::of(event, Part::Overview),
        reason: reason.unwrap_or_default(),
        mail,
    })
}

async fn cancel(caller: &Caller, request: CancelRequest) -> Result<Response, Problem> {
    let path = path_of(&request.id);
    caller.ask::<CancelEvent>(request).await?;
    Ok(flash::see(&path, Some(Flash::EVENT_CANCELLED)))
}

fn fields() -> FormModel {
    let reason = Field::paragraphs("reason", "Why is it cancelled?")
        .hint("It stands in the e-mail to everybody who is registered.");
    FormModel::of(vec![reason])
}

impl CancelPage {
    async fn of(caller: &Caller, event: &MyEventDetail, model: FormModel) -> Result<Self, Problem> {
        let mail = of_cancel(caller, &event.id, None).await?;
        let (page, frame) = caller.frame("Cancel the event?", Tab::Events);
        Ok(Self {
            page,
            frame,
            head: EventHead::of(event, Part::Overview),
            model,
            who: mail.map(|mail| mail.who),
        })
    }
}
