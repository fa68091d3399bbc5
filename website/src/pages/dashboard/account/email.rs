//! Another e-mail address for the person: a code goes to the new one, and a notice to the old one.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{
    FinishEmailChangeRequest, StartEmailChangeRequest,
    bindings::{FinishEmailChange, StartEmailChange},
};

use super::PATH as ACCOUNT;
use crate::{
    caller::{Caller, Frame, PROVE, Tab},
    cookies::SIGN_IN,
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    return_path::with_return_path,
    session,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account/email";
pub(in crate::pages) const CODE: &str = "/dashboard/account/email/code";

/// How long a browser remembers the address to which the code went.
const SECONDS: u64 = 15 * 60;

#[derive(Template)]
#[template(path = "dashboard/email.html")]
struct EmailPage {
    page: Page,
    frame: Frame,
    model: FormModel,
    /// The new address, once a code is on its way to it.
    sent_to: Option<String>,
    url: &'static str,
    mail_folder: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    if !caller.viewer.is_proven {
        return Ok(flash::see(&with_return_path(PROVE, PATH), None));
    }
    caller.answer(&EmailPage::of(&caller, address(), None))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let email = form.value("email").unwrap_or_default().to_owned();
    let request = StartEmailChangeRequest {
        email: Some(email.clone()),
    };
    match caller.ask::<StartEmailChange>(request).await {
        Ok(_) => {
            let mut response = flash::see(CODE, None);
            session::set(
                &mut response,
                &caller.context.site,
                SIGN_IN,
                &email,
                SECONDS,
            );
            Ok(response)
        }
        Err(problem) => {
            let model = address().again(&form, &problem)?;
            caller.answer_refused(&EmailPage::of(&caller, model, None), &problem)
        }
    }
}

pub(in crate::pages) async fn show_code(caller: Caller) -> Result<Response, Problem> {
    match asked_for(&caller) {
        Some(email) => caller.answer(&EmailPage::of(&caller, code(), Some(email))),
        None => Ok(flash::see(PATH, None)),
    }
}

pub(in crate::pages) async fn take_code(caller: Caller, form: Form) -> Result<Response, Problem> {
    let request = FinishEmailChangeRequest {
        code: form.value("code").map(str::to_owned),
    };
    match caller.ask::<FinishEmailChange>(request).await {
        Ok(_) => {
            let mut response = flash::see(ACCOUNT, Some(Flash::EMAIL_CHANGED));
            session::set(&mut response, &caller.context.site, SIGN_IN, "", 0);
            Ok(response)
        }
        Err(problem) => {
            let model = code().again(&form, &problem)?;
            let sent_to = asked_for(&caller).unwrap_or_default();
            caller.answer_refused(&EmailPage::of(&caller, model, Some(sent_to)), &problem)
        }
    }
}

fn asked_for(caller: &Caller) -> Option<String> {
    SIGN_IN.read(
        &caller.context.parts.headers,
        caller.context.site.is_secure(),
    )
}

fn address() -> FormModel {
    FormModel::of(vec![Field::email("email", "New e-mail address").required()])
}

fn code() -> FormModel {
    let field = Field::new(FieldKind::Code, "code", "Code");
    FormModel::of(vec![field.hint("8 digits, from the mail").required()])
}

impl EmailPage {
    fn of(caller: &Caller, model: FormModel, sent_to: Option<String>) -> Self {
        let (page, frame) = caller.frame("Your e-mail address", Tab::Account);
        Self {
            page,
            frame,
            model,
            url: if sent_to.is_some() { CODE } else { PATH },
            sent_to,
            mail_folder: caller.context.site.links().mail_folder.clone(),
        }
    }
}
