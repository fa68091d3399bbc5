//! Where the person is signed in, and how to end that.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{
    EndSessionRequest, ListSessionsRequest, ListedSession, SignOutEverywhereRequest,
    bindings::{EndSession, ListSessions, SignOutEverywhere},
};

use crate::{
    desk::{Desk, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    moment::Moment,
    session,
    visit::Site,
};

const PATH: &str = "/dashboard/sessions";

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
    begun: Moment,
    last_used: Moment,
    is_current: bool,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.own_with_form(PATH, show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let list = desk.ask::<ListSessions>(ListSessionsRequest {}).await?;
    let (page, frame) = desk.frame("Where you are signed in", Tab::None);
    desk.answer(&SessionsPage {
        page,
        frame,
        sessions: list.items.into_iter().map(shown).collect(),
    })
}

/// Ends one session, or all of them. Who ends the own one is signed out.
async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    if form.value("action") == Some("everywhere") {
        let request = SignOutEverywhereRequest {};
        desk.ask::<SignOutEverywhere>(request).await?;
        return Ok(signed_out(&desk, Flash::SIGNED_OUT_EVERYWHERE));
    }
    let id = form.value("id").map(str::to_owned);
    let ended = desk.ask::<EndSession>(EndSessionRequest { id }).await;
    match ended {
        // It may have ended by itself.
        Err(problem) if problem.http_status != 404 => Err(problem),
        _ if form.is_ticked("is_current") => Ok(signed_out(&desk, Flash::SIGNED_OUT)),
        _ => Ok(flash::see(PATH, Some(Flash::SESSION_ENDED))),
    }
}

fn signed_out(desk: &Desk, done: Flash) -> Response {
    let mut response = flash::see("/sign-in", Some(done));
    session::forget(&mut response, &desk.visit.site);
    response
}

fn shown(session: ListedSession) -> ShownSession {
    ShownSession {
        id: session.id,
        device: match &*session.device {
            "" => "A browser".to_owned(),
            device => device.to_owned(),
        },
        begun: Moment::new(&session.created_at),
        last_used: Moment::new(&session.last_used_at),
        is_current: session.is_current,
    }
}
