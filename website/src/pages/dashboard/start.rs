//! What people see who are in no account: their invitations, and the way to an account of their own.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{CreateAccountRequest, bindings::CreateAccount};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    pages::dashboard::invitations::{Invited, invited},
    return_path::DASHBOARD,
    session,
};

#[derive(Template)]
#[template(path = "dashboard/start.html")]
struct StartPage {
    page: Page,
    frame: Frame,
    model: FormModel,
    invitations: Vec<Invited>,
    is_sign_up_open: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    if caller.viewer.account.is_some() {
        return Ok(flash::see(DASHBOARD, None));
    }
    caller.answer(&StartPage::of(&caller, fields(&caller)))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let request = CreateAccountRequest {
        name: form.value("name").map(str::to_owned),
    };
    match caller.ask::<CreateAccount>(request).await {
        Ok(created) => {
            let mut response = flash::see(DASHBOARD, Some(Flash::ACCOUNT_CREATED));
            session::begin(&mut response, &caller.context.site, &created.token);
            Ok(response)
        }
        Err(problem) => {
            let model = fields(&caller).again(&form, &problem)?;
            caller.answer_refused(&StartPage::of(&caller, model), &problem)
        }
    }
}

fn fields(caller: &Caller) -> FormModel {
    let name = Field::line("name", "Name of the account")
        .hint("Your name, or that of your group or company. People see it on your events.")
        .autocomplete("organization")
        .value(caller.viewer.name.clone())
        .required();
    FormModel::of(vec![name])
}

impl StartPage {
    fn of(caller: &Caller, model: FormModel) -> Self {
        let (page, frame) = caller.frame("Welcome", Tab::None);
        Self {
            page,
            frame,
            model,
            invitations: invited(&caller.viewer),
            is_sign_up_open: caller.context.site.links().is_sign_up_open,
        }
    }
}
