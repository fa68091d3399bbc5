//! What new people are asked once: how they and their events are called. Everything is filled in already.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    internal::v1::{
        RenamePersonRequest, UpdateAccountRequest,
        bindings::{RenamePerson, UpdateAccount},
    },
    violation::Violation,
};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash,
    form::Form,
    layout::Page,
    return_path::NEW_EVENT,
};

#[derive(Template)]
#[template(path = "dashboard/welcome.html")]
struct WelcomePage {
    page: Page,
    frame: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.answer(&WelcomePage::of(&caller, fields(&caller)))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    match save(&caller, &form).await {
        Ok(()) => Ok(flash::see(NEW_EVENT, None)),
        Err(problem) => {
            let model = fields(&caller).again(&form, &problem)?;
            caller.answer_refused(&WelcomePage::of(&caller, model), &problem)
        }
    }
}

async fn save(caller: &Caller, form: &Form) -> Result<(), Problem> {
    let named = |name| form.value(name).unwrap_or_default().to_owned();
    let person = RenamePersonRequest {
        name: Some(named("person_name")),
    };
    let renamed = caller.ask::<RenamePerson>(person).await;
    renamed.map_err(|problem| about(problem, "person_name"))?;
    let account = UpdateAccountRequest {
        name: Some(named("account_name")),
        timezone: None,
    };
    let updated = caller.ask::<UpdateAccount>(account).await;
    updated.map_err(|problem| about(problem, "account_name"))?;
    Ok(())
}

/// Core's words about a name, beside the field that has it.
pub(super) fn about(mut problem: Problem, field: &str) -> Problem {
    problem.details = problem
        .details
        .into_iter()
        .map(|one| match &*one.field {
            "name" => Violation {
                field: field.to_owned(),
                ..one
            },
            _ => one,
        })
        .collect();
    problem
}

fn fields(caller: &Caller) -> FormModel {
    let person = Field::line("person_name", "Your name")
        .autocomplete("name")
        .value(caller.viewer.name.clone())
        .required();
    let account = Field::line("account_name", "Who organizes your events?")
        .hint("Your own name, or that of your group or company. People see it on your events.")
        .autocomplete("organization")
        .value(caller.viewer.account_name())
        .required();
    FormModel::of(vec![person, account])
}

impl WelcomePage {
    fn of(caller: &Caller, model: FormModel) -> Self {
        let (page, frame) = caller.frame("Welcome", Tab::None);
        Self { page, frame, model }
    }
}
