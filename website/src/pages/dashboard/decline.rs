//! Declining registrations, one or many: whom, and why, before anybody is mailed.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
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
    desk::{Desk, Frame, Tab},
    field::{Field, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    visit::Site,
};

/// Why some are left: they were approved, or took their seats, since the page was opened.
const SEATED: &str = "they have seats by now, so each can only be cancelled";

#[derive(Template)]
#[template(path = "dashboard/decline.html")]
struct DeclinePage {
    page: Page,
    frame: Frame,
    head: EventHead,
    sheet: Sheet,
    chosen: Vec<Registration>,
    who: String,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/events/{id}/registrations/decline", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.require(Scope::RegistrationsWrite)?;
    let (event, chosen) = tokio::try_join!(read(&desk), named(&desk, ids(&desk.visit.query())))?;
    if chosen.is_empty() {
        return Ok(back(&event, Flash::NOTHING_CHOSEN));
    }
    desk.answer(&DeclinePage::of(&desk, &event, fields(), chosen))
}

/// Declines those that are named. If some cannot be declined any more, the page says so and keeps them.
async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    desk.require(Scope::RegistrationsWrite)?;
    let event = read(&desk).await?;
    let ids = ids(&form);
    if ids.is_empty() {
        return Ok(back(&event, Flash::NOTHING_CHOSEN));
    }
    let request = DeclineRegistrationsRequest {
        id: event.id.clone(),
        registration_ids: ids.clone(),
        reason: form.text("reason"),
    };
    let (problem, left) = match desk.ask::<DeclineRegistrations>(request).await {
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
    let left = named(&desk, left).await?;
    if left.is_empty() {
        return Ok(back(&event, Flash::DECLINED));
    }
    let sheet = fields().filled(&form).refused(&problem.details);
    let mut page = DeclinePage::of(&desk, &event, sheet, left);
    if problem.details.is_empty() {
        page.trouble = Some(format!("These are not declined: {}.", problem.message));
    }
    desk.answer_refused(&page, &problem)
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
async fn named(desk: &Desk, ids: Vec<String>) -> Result<Vec<Registration>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let request = GetRegistrationsRequest {
        id: desk.visit.segment(2)?,
        registration_ids: ids,
    };
    Ok(desk.ask::<GetRegistrations>(request).await?.items)
}

fn fields() -> Sheet {
    let reason = Field::paragraphs("reason", "Why?")
        .hint("It stands in the e-mail that they get. Without a reason it only says that they have no seat.");
    Sheet::of(vec![reason])
}

impl DeclinePage {
    fn of(desk: &Desk, event: &MyEventDetail, sheet: Sheet, chosen: Vec<Registration>) -> Self {
        let (page, frame) = desk.frame("Decline", Tab::Events);
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Registrations),
            sheet,
            who: people(i32::try_from(chosen.len()).unwrap_or(i32::MAX)),
            chosen,
            trouble: None,
        }
    }
}
