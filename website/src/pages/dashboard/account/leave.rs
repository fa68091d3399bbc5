//! Leaving an account: first what it means.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{LeaveAccountRequest, bindings::LeaveAccount};

use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    return_path::DASHBOARD,
    session,
    words::sentence,
};

#[derive(Template)]
#[template(path = "dashboard/leave.html")]
struct LeavePage {
    page: Page,
    frame: Frame,
    trouble: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.answer(&LeavePage::of(&caller, None))
}

/// Leaves the account that the page named, whichever is chosen by now.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let account_id = form.value("account_id").map(str::to_owned);
    let request = LeaveAccountRequest { account_id };
    match caller.ask::<LeaveAccount>(request).await {
        Ok(left) => {
            let mut response = flash::see(DASHBOARD, Some(Flash::ACCOUNT_LEFT));
            session::begin(&mut response, &caller.context.site, &left.token);
            Ok(response)
        }
        Err(problem) if problem.http_status == 409 => {
            let page = LeavePage::of(&caller, Some(sentence(&problem)));
            caller.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

impl LeavePage {
    fn of(caller: &Caller, trouble: Option<String>) -> Self {
        let (page, frame) = caller.frame("Leave the account?", Tab::Account);
        Self {
            page,
            frame,
            trouble,
        }
    }
}
