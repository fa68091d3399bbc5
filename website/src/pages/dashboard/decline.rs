//! Declining registrations, one or many: whom, and why, before anybody is mailed.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    v1::{
        DeclineRegistrationsRequest, GetRegistrationsRequest, MyEventDetail, Registration,
        bindings::{DeclineRegistrations, GetRegistrations},
    },
};

use super::{
    event_head::{EventHead, Part, path_of, read},
    mail_preview::people,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
};

/// Why some are left: they were approved, or took their seats, since the page was opened.
const SEATED: &str = "they have seats by now, so each can only be cancelled";

#[derive(Template)]
#[template(path = "dashboard/decline.html")]
struct DeclinePage {
    page: Page,
    frame: Frame,
    head: EventHead,
    model: FormModel,
    chosen: Vec<Registration>,
    who: String,
    trouble: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::RegistrationsWrite)?;
    let (event, chosen) =
        tokio::try_join!(read(&caller), named(&caller, ids(&caller.context.query())))?;
    if chosen.is_empty() {
        return Ok(back(&event, Flash::NOTHING_CHOSEN));
    }
    caller.answer(&DeclinePage::of(&caller, &event, fields(), chosen))
}

/// Declines those that are named. If some cannot be declined any more, the page says so and keeps them.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require(Scope::RegistrationsWrite)?;
    let event = read(&caller).await?;
    let ids = ids(&form);
    if ids.is_empty() {
        return Ok(back(&event, Flash::NOTHING_CHOSEN));
    }
    let request = DeclineRegistrationsRequest {
        id: event.id.clone(),
        registration_ids: ids.clone(),
        reason: form.text("reason"),
    };
    let (problem, left) = match caller.ask::<DeclineRegistrations>(request).await {
        Ok(answer) => {
            let left = answer.items.into_iter();
            let left = left.filter(|one| one.status != "Cancelled");
            (
                Problem::new(Reason::Conflict, SEATED),
                left.map(|one| one.id).collect(),
            )
        }
        Err(problem) if matches!(problem.http_status, 400 | 409) => (problem, ids),
        Err(problem) => return Err(problem),
    };
    let left = named(&caller, left).await?;
    if left.is_empty() {
        return Ok(back(&event, Flash::DECLINED));
    }
    let model = fields().filled(&form).refused(&problem.details);
    let mut page = DeclinePage::of(&caller, &event, model, left);
    if problem.details.is_empty() {
        page.trouble = Some(format!("These are not declined: {}.", problem.message));
    }
    caller.answer_refused(&page, &problem)
}

/// To the list of registrations.
fn back(event: &MyEventDetail, done: Flash) -> Response {
    let list = format!("{}/registrations", path_of(&event.id));
    flash::see(&list, Some(done))
}

fn ids(form: &Form) -> Vec<String> {
    let ids = form.values("registration_ids");
    ids.map(str::to_owned).collect()
}

/// The registrations with these ids, as they are now.
async fn named(caller: &Caller, ids: Vec<String>) -> Result<Vec<Registration>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let request = GetRegistrationsRequest {
        id: caller.context.segment(2)?,
        registration_ids: ids,
    };
    Ok(caller.ask::<GetRegistrations>(request).await?.items)
}

fn fields() -> FormModel {
    let reason = Field::paragraphs("reason", "Why?")
        .hint("It stands in the e-mail that they get. Without a reason it only says that they have no seat.");
    FormModel::of(vec![reason])
}

impl DeclinePage {
    fn of(
        caller: &Caller,
        event: &MyEventDetail,
        model: FormModel,
        chosen: Vec<Registration>,
    ) -> Self {
        let (page, frame) = caller.frame("Decline", Tab::Events);
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Registrations),
            model,
            who: people(i32::try_from(chosen.len()).unwrap_or(i32::MAX)),
            chosen,
            trouble: None,
        }
    }
}
