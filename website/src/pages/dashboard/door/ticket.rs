//! What owners and door staff see behind the QR code of a ticket: the name, and one large button.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    internal::v1::{GetSessionRequest, bindings::GetSession},
    v1::{
        CheckInByCodeRequest, GetMyEventRequest, GetRegistrationByCodeRequest,
        bindings::{CheckInByCode, GetMyEvent, GetRegistrationByCode},
    },
};

use super::Hit;
use crate::{
    cover::encoded,
    desk::{Desk, Frame, Tab, sentence},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    moment::Moment,
    pages::dashboard::event_head::path_of,
    visit::{Site, Visit},
};

#[derive(Template)]
#[template(path = "dashboard/ticket.html")]
struct StaffPage {
    page: Page,
    frame: Frame,
    /// Where the button goes.
    url: String,
    event_title: String,
    /// The page of the event's door, also for undoing.
    door_url: String,
    registration_url: String,
    guest: Hit,
    is_event_cancelled: bool,
    /// Since when the guest is checked in.
    since: Option<Moment>,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_form("/check-in/{code}/check-in", take)]
}

/// The page for who may check in at the event of a ticket; none for all others, who see the ticket.
pub(crate) async fn ticket_for_staff(
    visit: Visit,
    code: &str,
) -> Result<(Option<Response>, Visit), Problem> {
    if !visit.has_session() {
        return Ok((None, visit));
    }
    let Ok(session) = visit.ask::<GetSession>(GetSessionRequest {}).await else {
        return Ok((None, visit));
    };
    let desk = Desk::of(visit, session);
    if !desk.viewer.checks_in() {
        return Ok((None, desk.visit));
    }
    match StaffPage::of(&desk, code).await {
        Ok(page) => Ok((Some(desk.answer(&page)?), desk.visit)),
        // It is of another account's event, or the plan does not let them.
        Err(problem) if matches!(problem.http_status, 403 | 404) => Ok((None, desk.visit)),
        Err(problem) => Err(problem),
    }
}

async fn take(desk: Desk, _form: Form) -> Result<Response, Problem> {
    let code = desk.visit.segment(1)?;
    let path = format!("/check-in/{}", encoded(&code));
    let request = CheckInByCodeRequest {
        code: Some(code.clone()),
        event_id: None,
    };
    match desk.ask::<CheckInByCode>(request).await {
        Ok(_) => Ok(flash::see(&path, Some(Flash::CHECKED_IN))),
        Err(problem) if problem.http_status == 409 => {
            let mut page = StaffPage::of(&desk, &code).await?;
            page.trouble = Some(format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

impl StaffPage {
    async fn of(desk: &Desk, code: &str) -> Result<Self, Problem> {
        let request = GetRegistrationByCodeRequest {
            code: code.to_owned(),
        };
        let answer = desk.ask::<GetRegistrationByCode>(request).await?;
        let id = answer.event_id;
        let event = path_of(&id);
        let zone = desk.ask::<GetMyEvent>(GetMyEventRequest { id }).await?;
        let zone = zone.timezone;
        let registration = answer.registration.unwrap_or_default();
        let (page, frame) = desk.frame("Ticket", Tab::None);
        Ok(Self {
            page,
            frame,
            url: format!("/check-in/{}/check-in", encoded(code)),
            event_title: answer.event_title,
            door_url: format!("{event}/check-in"),
            registration_url: format!("{event}/registrations/{}", encoded(&registration.id)),
            since: answer
                .checked_in_at
                .map(|moment| Moment::in_zone(&moment, &zone)),
            is_event_cancelled: answer.is_event_cancelled,
            guest: Hit::of(registration),
            trouble: None,
        })
    }
}
