//! Removing oneself, for good: after a new code, and after one's address was typed.

use askama::Template;
use muster_api::internal::v1::{RemovePersonRequest, bindings::RemovePerson};

use crate::{
    caller::{Caller, Frame, Tab},
    cookies,
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account/remove-me";

#[derive(Template)]
#[template(path = "dashboard/remove_person.html")]
struct RemovePage {
    page: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require_proof()?;
    let email = Field::email("email", "Type your email address").required();
    caller.answer(&RemovePage {
        page: caller.page("Remove yourself?", Tab::Account),
        model: caller.model(vec![email]),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let email = form.text("email");
    caller
        .ask::<RemovePerson>(RemovePersonRequest { email })
        .await?;
    let mut response = flash::see("/sign-in", Some(Flash::PERSON_REMOVED));
    cookies::end_session(&mut response, caller.context.site.is_secure());
    Ok(response)
}
