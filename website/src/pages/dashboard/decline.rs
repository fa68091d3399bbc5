//! Declining registrations, one or many: whom, and why, before anybody is mailed.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Scope,
    v1::{
        DeclineRegistrationRequest, GetRegistrationRequest, MyEventDetail, Registration,
        bindings::{DeclineRegistration, GetRegistration},
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

/// The most registrations at a time: those of a page of the list.
const MOST: usize = 50;

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
    let event = read(&desk).await?;
    let chosen = chosen(&desk, &event, &desk.visit.query()).await?;
    if chosen.is_empty() {
        let list = format!("{}/registrations", path_of(&event.id));
        return Ok(flash::see(&list, Some(Flash::NOTHING_CHOSEN)));
    }
    desk.answer(&DeclinePage::of(&desk, &event, fields(), chosen))
}

/// Declines one after the other. If one cannot be declined any more, the page says so and keeps the others that remain.
async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    desk.require(Scope::RegistrationsWrite)?;
    let event = read(&desk).await?;
    let reason = form.text("reason");
    let (mut left, mut refusal) = (Vec::new(), None);
    for one in chosen(&desk, &event, &form).await? {
        let request = DeclineRegistrationRequest {
            id: event.id.clone(),
            registration_id: one.id.clone(),
            reason: reason.clone(),
        };
        match desk.ask::<DeclineRegistration>(request).await {
            Ok(_) => {}
            Err(problem) if matches!(problem.http_status, 400 | 409) => {
                left.push(one);
                refusal = Some(problem);
            }
            Err(problem) => return Err(problem),
        }
    }
    let Some(problem) = refusal else {
        let list = format!("{}/registrations", path_of(&event.id));
        return Ok(flash::see(&list, Some(Flash::DECLINED)));
    };
    let sheet = fields().filled(&form).refused(&problem.details);
    let mut page = DeclinePage::of(&desk, &event, sheet, left);
    if problem.details.is_empty() {
        page.trouble = Some(format!("These are not declined: {}.", problem.message));
    }
    desk.answer_refused(&page, &problem)
}

/// The registrations that are named, as they are now.
async fn chosen(
    desk: &Desk,
    event: &MyEventDetail,
    named: &Form,
) -> Result<Vec<Registration>, Problem> {
    let mut chosen = Vec::new();
    for id in named.values("registration_ids").take(MOST) {
        let request = GetRegistrationRequest {
            id: event.id.clone(),
            registration_id: id.to_owned(),
        };
        chosen.push(desk.ask::<GetRegistration>(request).await?);
    }
    Ok(chosen)
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
