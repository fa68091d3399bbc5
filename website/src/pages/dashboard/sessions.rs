//! Where the person is signed in, and how to end that.

use askama::Template;
use axum::response::Response;
use muster_api::internal::v1::{
    EndSessionRequest, ListOwnTrailRequest, ListSessionsRequest, ListedSession,
    SignOutEverywhereRequest, TrailEntry,
    bindings::{EndSession, ListOwnTrail, ListSessions, SignOutEverywhere},
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
    /// What happened to the person, the latest first.
    trail: Vec<TrailEntry>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let list = caller.ask::<ListSessions>(ListSessionsRequest {}).await?;
    let trail = caller.ask::<ListOwnTrail>(ListOwnTrailRequest {}).await?;
    caller.answer(&SessionsPage {
        page: caller.page("Where you are signed in", Tab::None),
        sessions: list.items,
        trail: trail.items,
    })
}

/// Ends one session, or all of them. Who ends the own one is signed out.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    if form.value("action") == Some("everywhere") {
        let request = SignOutEverywhereRequest {
            disconnect_apps: form.is_ticked("disconnect_apps"),
        };
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
