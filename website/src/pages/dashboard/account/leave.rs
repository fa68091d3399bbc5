//! Leaving an account: first what it means.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{LeaveAccountRequest, bindings::LeaveAccount};

use crate::{
    desk::{Desk, Frame, Tab, sentence},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    next::DASHBOARD,
    session,
    visit::Site,
};

#[derive(Template)]
#[template(path = "dashboard/leave.html")]
struct LeavePage {
    page: Page,
    frame: Frame,
    account_id: String,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/account/leave", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.answer(&LeavePage::of(&desk, None))
}

/// Leaves the account that the page named, whichever is chosen by now.
async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let account_id = form.value("account_id").map(str::to_owned);
    let request = LeaveAccountRequest { account_id };
    match desk.ask::<LeaveAccount>(request).await {
        Ok(left) => {
            let mut response = flash::see(DASHBOARD, Some(Flash::ACCOUNT_LEFT));
            session::begin(&mut response, &desk.visit.site, &left.token);
            Ok(response)
        }
        Err(problem) if problem.http_status == 409 => {
            let trouble = format!("{}.", sentence(&problem.message));
            let page = LeavePage::of(&desk, Some(trouble));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

impl LeavePage {
    fn of(desk: &Desk, trouble: Option<String>) -> Self {
        let (page, frame) = desk.frame("Leave the account?", Tab::Account);
        Self {
            page,
            frame,
            account_id: desk.viewer.account_id().to_owned(),
            trouble,
        }
    }
}
