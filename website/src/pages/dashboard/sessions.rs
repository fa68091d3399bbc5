//! Where the person is signed in, and how to end that.

use askama::Template;
use axum::response::Response;
use muster_api::internal::v1::{
    EndSessionRequest, ListSessionsRequest, ListedSession, SignOutEverywhereRequest,
    bindings::{EndSession, ListSessions, SignOutEverywhere},
};

use crate::{
    caller::{Caller, Frame, Tab},
    cookies,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/sessions";

#[derive(Template)]
#[template(path = "dashboard/sessions.html")]
struct SessionsPage {
    page: Frame,
    sessions: Vec<ListedSession>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let list = caller.ask::<ListSessions>(ListSessionsRequest {}).await?;
    caller.answer(&SessionsPage {
        page: caller.page("Where you are signed in", Tab::None),
        sessions: list.items,
    })
}

/// Ends one session, or all of them. Who ends the own one is signed out.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    if form.value("action") == Some("everywhere") {
        let request = SignOutEverywhereRequest {};
        caller.ask::<SignOutEverywhere>(request).await?;
        return Ok(signed_out(&caller, Flash::SIGNED_OUT_EVERYWHERE));
    }
    let id = form.text("id");
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
    cookies::end_session(&mut response, caller.context.site.is_secure());
    response
}
