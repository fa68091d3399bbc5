//! Registering someone oneself.

use askama::Template;
use muster_api::{
    Scope,
    v1::{AddRegistrationRequest, bindings::AddRegistration},
};

use super::path;
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::{
        dashboard::event_head::{EventHead, Part, read},
        register::form::{answers, model},
    },
};

#[derive(Template)]
#[template(path = "dashboard/registration_add.html")]
struct AddPage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    /// Registers once, however often the form is sent.
    key: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::RegistrationsWrite)?;
    let event = read(&caller).await?;
    let name = Field::line("name", "Name").required();
    let email = Field::email("email", "Email").autocomplete("off");
    let model = model(vec![name, email.required()], &event.custom_fields);
    caller.answer(&AddPage {
        page: caller.page("Add a guest", Tab::Events),
        head: EventHead::of(&event, Part::Registrations),
        model: caller.again(model),
        key: caller.key(),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let event = read(&caller).await?;
    let list = path(&event.id);
    let request = AddRegistrationRequest {
        id: event.id,
        name: form.text("name"),
        email: form.text("email"),
        answers: answers(&event.custom_fields, &form),
    };
    caller
        .context
        .ask_once::<AddRegistration>(request, form.key())
        .await?;
    Ok(flash::see(&list, Some(Flash::REGISTRATION_ADDED)))
}
