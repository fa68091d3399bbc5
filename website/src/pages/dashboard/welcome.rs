//! What new people are asked once: how they and their events are called. Everything is filled in already.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    internal::v1::{
        RenamePersonRequest, UpdateAccountRequest,
        bindings::{RenamePerson, UpdateAccount},
    },
    violation::Violation,
};

use crate::{
    desk::{Desk, Frame, Tab},
    field::{Field, Sheet},
    flash,
    form::Form,
    layout::Page,
    next::NEW_EVENT,
    visit::Site,
};

#[derive(Template)]
#[template(path = "dashboard/welcome.html")]
struct WelcomePage {
    page: Page,
    frame: Frame,
    sheet: Sheet,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/welcome", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.answer(&WelcomePage::of(&desk, fields(&desk)))
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    match save(&desk, &form).await {
        Ok(()) => Ok(flash::see(NEW_EVENT, None)),
        Err(problem) if problem.http_status == 400 => {
            let sheet = fields(&desk).filled(&form).refused(&problem.details);
            desk.answer_refused(&WelcomePage::of(&desk, sheet), &problem)
        }
        Err(problem) => Err(problem),
    }
}

async fn save(desk: &Desk, form: &Form) -> Result<(), Problem> {
    let named = |name| form.value(name).unwrap_or_default().to_owned();
    let person = RenamePersonRequest {
        name: Some(named("person_name")),
    };
    let renamed = desk.ask::<RenamePerson>(person).await;
    renamed.map_err(|problem| about(problem, "person_name"))?;
    let account = UpdateAccountRequest {
        name: Some(named("account_name")),
        timezone: None,
    };
    let updated = desk.ask::<UpdateAccount>(account).await;
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

fn fields(desk: &Desk) -> Sheet {
    let person = Field::line("person_name", "Your name")
        .autocomplete("name")
        .value(desk.viewer.name.clone())
        .required();
    let account = Field::line("account_name", "Who organizes your events?")
        .hint("Your own name, or that of your group or company. People see it on your events.")
        .autocomplete("organization")
        .value(desk.viewer.account_name())
        .required();
    Sheet::of(vec![person, account])
}

impl WelcomePage {
    fn of(desk: &Desk, sheet: Sheet) -> Self {
        let (page, frame) = desk.frame("Welcome", Tab::None);
        Self { page, frame, sheet }
    }
}
