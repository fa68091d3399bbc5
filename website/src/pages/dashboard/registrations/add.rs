//! Registering somebody oneself.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{AddRegistrationRequest, MyEventDetail, bindings::AddRegistration},
};

use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::{Form, fresh_key},
    layout::Page,
    pages::{
        dashboard::event_head::{EventHead, Part, path_of, read},
        register::form::{Input, Mistake, Question, QuestionKind, RegistrationForm},
    },
    words::sentence,
};

#[derive(Template)]
#[template(path = "dashboard/registration_add.html")]
struct AddPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    problems: Vec<Mistake>,
    name: Input,
    email: Input,
    questions: Vec<Question>,
    /// Registers once, however often the form is sent.
    key: String,
    trouble: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::RegistrationsWrite)?;
    let event = read(&caller).await?;
    let model = RegistrationForm::of(&event.custom_fields, Form::default());
    caller.answer(&AddPage::of(&caller, &event, model, fresh_key()))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let event = read(&caller).await?;
    let key = form.value("key").map_or_else(fresh_key, str::to_owned);
    let model = RegistrationForm::of(&event.custom_fields, form.clone());
    let request = AddRegistrationRequest {
        id: event.id.clone(),
        name: form.value("name").map(str::to_owned),
        email: form.value("email").map(str::to_owned),
        answers: model.answers(),
    };
    let added = caller
        .context
        .ask_once::<AddRegistration>(request, Some(&key))
        .await;
    let Err(problem) = added else {
        let list = format!("{}/registrations", path_of(&event.id));
        return Ok(flash::see(&list, Some(Flash::REGISTRATION_ADDED)));
    };
    if !matches!(problem.http_status, 400 | 409 | 422) {
        return Err(problem);
    }
    let mut page = AddPage::of(&caller, &event, model.refused(&problem.details), key);
    if problem.details.is_empty() {
        page.trouble = Some(sentence(&problem));
    }
    caller.answer_refused(&page, &problem)
}

impl AddPage {
    fn of(caller: &Caller, event: &MyEventDetail, model: RegistrationForm, key: String) -> Self {
        let (page, frame) = caller.frame("Register somebody", Tab::Events);
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Registrations),
            problems: model.mistakes,
            name: model.name,
            email: model.email,
            questions: model.questions,
            key,
            trouble: model.notice.map(str::to_owned),
        }
    }
}
