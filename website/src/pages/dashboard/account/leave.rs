//! Leaving an account: first what it means.

use askama::Template;
use muster_api::internal::v1::{LeaveAccountRequest, bindings::LeaveAccount};

use crate::{
    caller::{Caller, Frame, Tab},
    flash::Flash,
    form::Form,
    layout::PageResult,
    return_path::DASHBOARD,
    words::sentence,
};

#[derive(Template)]
#[template(path = "dashboard/leave.html")]
struct LeavePage {
    page: Frame,
    trouble: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.answer(&LeavePage {
        page: caller.page("Leave the account?", Tab::Account),
        trouble: caller.problem().map(sentence),
    })
}

/// Leaves the account that the page named, whichever is chosen by now.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let account_id = form.text("account_id");
    let request = LeaveAccountRequest { account_id };
    let left = caller.ask::<LeaveAccount>(request).await?;
    Ok(caller.begin_session(&left.token, DASHBOARD, Flash::ACCOUNT_LEFT))
}
