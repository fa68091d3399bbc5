//! What owners and door staff see behind the QR code of a ticket: the name, and one large button.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{GetSessionRequest, bindings::GetSession},
    v1::{
        CheckInByCodeRequest, GetMyEventRequest, GetRegistrationByCodeRequest, Registration,
        RegistrationByCode,
        bindings::{CheckInByCode, GetMyEvent, GetRegistrationByCode},
    },
};

use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::dashboard::{event_head::path_of, standing::Standing},
    request_context::RequestContext,
    words::sentence,
};

#[derive(Template)]
#[template(path = "dashboard/ticket.html")]
struct StaffPage {
    page: Frame,
    /// Where the button goes.
    url: String,
    /// Below which path the pages of the event are.
    event_url: String,
    /// The IANA name of the event's time zone.
    timezone: String,
    /// When the event begins.
    start: String,
    answer: RegistrationByCode,
    guest: Registration,
    standing: Standing,
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
    match page(&caller, code).await {
        Ok(page) => Ok((Some(page), caller.context)),
        // It is of another account's event, or the plan does not let them.
        Err(problem) if matches!(problem.http_status, 403 | 404) => Ok((None, caller.context)),
        Err(problem) => Err(problem),
    }
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let code = caller.context.segment(1)?;
    let path = format!("/check-in/{}", encoded(&code));
    let request = CheckInByCodeRequest {
        code: Some(code.clone()),
        event_id: None,
        people: None,
    };
    match caller.ask::<CheckInByCode>(request).await {
        Ok(answer) => {
            // Who was quicker is said on the page.
            let done = (!answer.was_checked_in).then_some(Flash::CHECKED_IN);
            Ok(flash::see(&path, done))
        }
        Err(problem) if problem.http_status == 409 => {
            page(&caller.refused(form, problem), &code).await
        }
        Err(problem) => Err(problem),
    }
}

async fn page(caller: &Caller, code: &str) -> PageResult {
    let request = GetRegistrationByCodeRequest {
        code: code.to_owned(),
    };
    let mut answer = caller.ask::<GetRegistrationByCode>(request).await?;
    let id = answer.event_id.clone();
    let event_url = path_of(&id);
    let event = caller.ask::<GetMyEvent>(GetMyEventRequest { id }).await?;
    let guest = answer.registration.take().unwrap_or_default();
    caller.answer(&StaffPage {
        page: caller.page("Ticket", Tab::None),
        url: format!("/check-in/{}/check-in", encoded(code)),
        event_url,
        timezone: event.timezone,
        start: event.start_date,
        answer,
        standing: Standing::of(&guest),
        guest,
        trouble: caller.problem().map(sentence),
    })
}
