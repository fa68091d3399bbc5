//! Where the person is signed in, and how to end that.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{
    EndSessionRequest, ListSessionsRequest, ListedSession, SignOutEverywhereRequest,
    bindings::{EndSession, ListSessions, SignOutEverywhere},
};

use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    session,
    timestamp::Timestamp,
};

pub(in crate::pages) const PATH: &str = "/dashboard/sessions";

#[derive(Template)]
#[template(path = "dashboard/sessions.html")]
struct SessionsPage {
    page: Page,
    frame: Frame,
    sessions: Vec<ShownSession>,
}

struct ShownSession {
    id: String,
    device: String,
    begun: Timestamp,
    last_used: Timestamp,
    is_current: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let list = caller.ask::<ListSessions>(ListSessionsRequest {}).await?;
    let (page, frame) = caller.frame("Where you are signed in", Tab::None);
    caller.answer(&SessionsPage {
        page,
        frame,
        sessions: list.items.into_iter().map(shown).collect(),
    })
}

/// Ends one session, or all of them. Who ends the own one is signed out.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    if form.value("action") == Some("everywhere") {
        let request = SignOutEverywhereRequest {};
        caller.ask::<SignOutEverywhere>(request).await?;
        return Ok(signed_out(&caller, Flash::SIGNED_OUT_EVERYWHERE));
    }
    let id = form.value("id").map(str::to_owned);
    let ended = caller.ask::<EndSession>(EndSessionRequest { id }).await;
    match ended {
        // It may have ended by itself.
        Err(problem) if problem.http_status != 404 => Err(problem),
        _ if form.is_ticked("is_current") => Ok(signed_out(&caller, Flash::SIGNED_OUT)),
        _ => Ok(flash::see(PATH, Some(Flash::SESSION_ENDED))),
    }
}

fn signed_out(caller: &Caller, done: Flash) -> Response {
    let mut response = flash::see("/sign-in", Some(done));
    session::forget(&mut response, &caller.context.site);
    response
}

fn shown(session: ListedSession) -> ShownSession {
    ShownSession {
        id: session.id,
        device: match &*session.device {
            "" => "A browser".to_owned(),
            device => device.to_owned(),
        },
        begun: Timestamp::new(&session.created_at),
        last_used: Timestamp::new(&session.last_used_at),
        is_current: session.is_current,
    }
}
