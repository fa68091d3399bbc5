//! Another email address for the person: a code goes to the new one, and a notice to the old one.

use askama::Template;
use muster_api::internal::v1::{
    FinishEmailChangeRequest, StartEmailChangeRequest,
    bindings::{FinishEmailChange, StartEmailChange},
};

use super::PATH as ACCOUNT;
use crate::{
    caller::{Caller, Frame, Tab},
    cookies,
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::sign_in,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account/email";
pub(in crate::pages) const CODE: &str = "/dashboard/account/email/code";

const TITLE: &str = "Your email address";

#[derive(Template)]
#[template(path = "dashboard/email.html")]
struct EmailPage {
    page: Frame,
    model: FormModel,
    /// The new address, once a code is on its way to it.
    sent_to: Option<String>,
    url: &'static str,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require_proof()?;
    let address = Field::email("email", "New email address").required();
    caller.answer(&EmailPage {
        page: caller.page(TITLE, Tab::Account),
        model: caller.model(vec![address]),
        sent_to: None,
        url: PATH,
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let email = form.text("email").unwrap_or_default();
    let request = StartEmailChangeRequest {
        email: Some(email.clone()),
    };
    caller.ask::<StartEmailChange>(request).await?;
    let mut response = flash::see(CODE, None);
    cookies::begin_sign_in(&mut response, caller.context.site.is_secure(), &email);
    Ok(response)
}

pub(in crate::pages) async fn show_code(caller: Caller) -> PageResult {
    let sent_to = sign_in::asked_for(&caller.context);
    if sent_to.is_none() && caller.problem().is_none() {
        return Ok(flash::see(PATH, None));
    }
    caller.answer(&EmailPage {
        page: caller.page(TITLE, Tab::Account),
        model: caller.model(sign_in::code()),
        sent_to: Some(sent_to.unwrap_or_default()),
        url: CODE,
    })
}

pub(in crate::pages) async fn take_code(caller: Caller, form: Form) -> PageResult {
    let code = form.text("code");
    let request = FinishEmailChangeRequest {
        code,
        disconnect_apps: form.is_ticked("disconnect_apps"),
    };
    caller.ask::<FinishEmailChange>(request).await?;
    let mut response = flash::see(ACCOUNT, Some(Flash::EMAIL_CHANGED));
    cookies::end_sign_in(&mut response, caller.context.site.is_secure());
    Ok(response)
}
