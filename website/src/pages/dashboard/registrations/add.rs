//! Registering somebody oneself.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Scope,
    v1::{AddRegistrationRequest, MyEventDetail, bindings::AddRegistration},
};

use crate::{
    desk::{Desk, Frame, Tab, sentence},
    flash::{self, Flash},
    form::{Form, fresh_key},
    layout::Page,
    pages::{
        dashboard::event_head::{EventHead, Part, path_of, read},
        register::sheet::{Input, Mistake, Question, QuestionKind, Sheet},
    },
    visit::Site,
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

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/events/{id}/registrations/new", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.require(Scope::RegistrationsWrite)?;
    let event = read(&desk).await?;
    let sheet = Sheet::of(&event.custom_fields, Form::default());
    desk.answer(&AddPage::of(&desk, &event, sheet, fresh_key()))
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let event = read(&desk).await?;
    let key = form.value("key").map_or_else(fresh_key, str::to_owned);
    let sheet = Sheet::of(&event.custom_fields, form.clone());
    let request = AddRegistrationRequest {
        id: event.id.clone(),
        name: form.value("name").map(str::to_owned),
        email: form.value("email").map(str::to_owned),
        answers: sheet.answers(),
    };
    let added = desk
        .visit
        .ask_once::<AddRegistration>(request, Some(&key))
        .await;
    let Err(problem) = added else {
        let list = format!("{}/registrations", path_of(&event.id));
        return Ok(flash::see(&list, Some(Flash::REGISTRATION_ADDED)));
    };
    if !matches!(problem.http_status, 400 | 409 | 422) {
        return Err(problem);
    }
    let mut page = AddPage::of(&desk, &event, sheet.refused(&problem.details), key);
    if problem.details.is_empty() {
        page.trouble = Some(format!("{}.", sentence(&problem.message)));
    }
    desk.answer_refused(&page, &problem)
}

impl AddPage {
    fn of(desk: &Desk, event: &MyEventDetail, sheet: Sheet, key: String) -> Self {
        let (page, frame) = desk.frame("Register somebody", Tab::Events);
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Registrations),
            problems: sheet.mistakes,
            name: sheet.name,
            email: sheet.email,
            questions: sheet.questions,
            key,
            trouble: sheet.notice.map(str::to_owned),
        }
    }
}
