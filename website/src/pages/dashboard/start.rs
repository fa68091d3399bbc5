//! What people see who are in no account: their invitations, and the way to an account of their own.

use askama::Template;
use muster_api::internal::v1::{CreateAccountRequest, bindings::CreateAccount};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    return_path::DASHBOARD,
};

#[derive(Template)]
#[template(path = "dashboard/start.html")]
struct StartPage {
    page: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    if caller.viewer.account.is_some() {
        return Ok(flash::see(DASHBOARD, None));
    }
    let name = Field::line("name", "Name of the account")
        .hint("Your name, or that of your group or company. People see it on your events.")
        .autocomplete("organization")
        .value(caller.viewer.name.clone())
        .required();
    caller.answer(&StartPage {
        page: caller.page("Welcome", Tab::None),
        model: caller.model(vec![name]),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let name = form.text("name");
    let request = CreateAccountRequest {
        name,
        timezone: form.text("timezone").unwrap_or_default(),
    };
    let created = caller.ask::<CreateAccount>(request).await?;
    Ok(caller.begin_session(&created.token, DASHBOARD, Flash::ACCOUNT_CREATED))
}
