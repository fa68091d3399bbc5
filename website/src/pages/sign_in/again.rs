//! Proving again that the address is one's own, before something that a stranger at an open browser must not do.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{
    FinishStepUpRequest, StartStepUpRequest,
    bindings::{FinishStepUp, StartStepUp},
};

use super::{code, trouble};
use crate::{
    desk::{Desk, Frame, PROVE, Tab},
    field::Sheet,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    next::{NEXT, own_path, with_next},
    session,
    visit::Site,
};

/// The parameter that says that a code was mailed.
const SENT: &str = "sent";

#[derive(Template)]
#[template(path = "sign_in_again.html")]
struct AgainPage {
    page: Page,
    frame: Frame,
    sheet: Sheet,
    next: String,
    is_sent: bool,
    mail_folder: Option<String>,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.own_with_form(PROVE, show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let query = desk.visit.query();
    let next = own_path(query.value(NEXT)).to_owned();
    let is_sent = query.value(SENT).is_some();
    desk.answer(&AgainPage::of(&desk, code(), next, is_sent))
}

/// Has a code mailed, or takes it.
async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let next = own_path(form.value(NEXT)).to_owned();
    if form.value("action") == Some("send") {
        return send(&desk, next).await;
    }
    let request = FinishStepUpRequest {
        code: form.value("code").map(str::to_owned),
    };
    match desk.visit.ask::<FinishStepUp>(request).await {
        Ok(proven) => {
            let mut response = flash::see(&next, Some(Flash::PROVEN));
            session::begin(&mut response, &desk.visit.site, &proven.token);
            Ok(response)
        }
        Err(problem) if problem.http_status == 401 => Err(problem),
        Err(problem) => {
            let sheet = code().filled(&form).refused(&problem.details);
            let mut page = AgainPage::of(&desk, sheet, next, true);
            page.trouble = trouble(&problem);
            desk.answer_refused(&page, &problem)
        }
    }
}

async fn send(desk: &Desk, next: String) -> Result<Response, Problem> {
    let sent = desk.visit.ask::<StartStepUp>(StartStepUpRequest {}).await;
    match sent {
        Ok(_) => {
            let page = with_next(PROVE, &next);
            let separator = if page.contains('?') { '&' } else { '?' };
            Ok(flash::see(&format!("{page}{separator}{SENT}=1"), None))
        }
        Err(problem) if problem.http_status == 401 => Err(problem),
        Err(problem) => {
            let mut page = AgainPage::of(desk, code(), next, false);
            page.trouble = trouble(&problem);
            desk.answer_refused(&page, &problem)
        }
    }
}

impl AgainPage {
    fn of(desk: &Desk, sheet: Sheet, next: String, is_sent: bool) -> Self {
        let (page, frame) = desk.frame("Confirm that it is you", Tab::None);
        Self {
            page,
            frame,
            sheet,
            next,
            is_sent,
            mail_folder: desk.visit.site.links().mail_folder.clone(),
            trouble: None,
        }
    }
}
