//! What owners and door staff see behind the QR code of a ticket: the name, and one large button.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{GetSessionRequest, bindings::GetSession},
    v1::{
        CheckInByCodeRequest, GetMyEventRequest, GetRegistrationByCodeRequest,
        bindings::{CheckInByCode, GetMyEvent, GetRegistrationByCode},
    },
};

use super::Hit;
use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    pages::dashboard::event_head::path_of,
    request_context::RequestContext,
    timestamp::Timestamp,
    words::sentence,
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
    since: Option<Timestamp>,
    trouble: Option<String>,
}

/// The page for who may check in at the event of a ticket; none for all others, who see the ticket.
pub(crate) async fn ticket_for_staff(
    context: RequestContext,
    code: &str,
) -> Result<(Option<Response>, RequestContext), Problem> {
    if !context.has_session() {
        return Ok((None, context));
    }
    let Ok(session) = context.ask::<GetSession>(GetSessionRequest {}).await else {
        return Ok((None, context));
    };
    let caller = Caller::of(context, session);
    if !caller.viewer.may(Scope::RegistrationsCheckIn) {
        return Ok((None, caller.context));
    }
    match StaffPage::of(&caller, code).await {
        Ok(page) => Ok((Some(caller.answer(&page)?), caller.context)),
        // It is of another account's event, or the plan does not let them.
        Err(problem) if matches!(problem.http_status, 403 | 404) => Ok((None, caller.context)),
        Err(problem) => Err(problem),
    }
}

pub(in crate::pages) async fn take(caller: Caller, _form: Form) -> Result<Response, Problem> {
    let code = caller.context.segment(1)?;
    let path = format!("/check-in/{}", encoded(&code));
    let request = CheckInByCodeRequest {
        code: Some(code.clone()),
        event_id: None,
    };
    match caller.ask::<CheckInByCode>(request).await {
        Ok(_) => Ok(flash::see(&path, Some(Flash::CHECKED_IN))),
        Err(problem) if problem.http_status == 409 => {
            let mut page = StaffPage::of(&caller, &code).await?;
            page.trouble = Some(sentence(&problem));
            caller.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

impl StaffPage {
    async fn of(caller: &Caller, code: &str) -> Result<Self, Problem> {
        let request = GetRegistrationByCodeRequest {
            code: code.to_owned(),
        };
        let answer = caller.ask::<GetRegistrationByCode>(request).await?;
        let id = answer.event_id;
        let event = path_of(&id);
        let zone = caller.ask::<GetMyEvent>(GetMyEventRequest { id }).await?;
        let zone = zone.timezone;
        let registration = answer.registration.unwrap_or_default();
        let (page, frame) = caller.frame("Ticket", Tab::None);
        Ok(Self {
            page,
            frame,
            url: format!("/check-in/{}/check-in", encoded(code)),
            event_title: answer.event_title,
            door_url: format!("{event}/check-in"),
            registration_url: format!("{event}/registrations/{}", encoded(&registration.id)),
            since: answer
                .checked_in_at
                .map(|timestamp| Timestamp::in_zone(&timestamp, &zone)),
            is_event_cancelled: answer.is_event_cancelled,
            guest: Hit::of(registration),
            trouble: None,
        })
    }
}
