//! What people see who are in no account: their invitations, and the way to an account of their own.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{CreateAccountRequest, bindings::CreateAccount};

use crate::{
    desk::{Desk, Frame, START, Tab, sentence},
    field::{Field, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    next::DASHBOARD,
    pages::dashboard::invitations::{Invited, invited},
    session,
    visit::Site,
};

#[derive(Template)]
#[template(path = "dashboard/start.html")]
struct StartPage {
    page: Page,
    frame: Frame,
    sheet: Sheet,
    invitations: Vec<Invited>,
    is_sign_up_open: bool,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.own_with_form(START, show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    if desk.viewer.account.is_some() {
        return Ok(flash::see(DASHBOARD, None));
    }
    desk.answer(&StartPage::of(&desk, fields(&desk)))
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let request = CreateAccountRequest {
        name: form.value("name").map(str::to_owned),
    };
    match desk.ask::<CreateAccount>(request).await {
        Ok(created) => {
            let mut response = flash::see(DASHBOARD, Some(Flash::ACCOUNT_CREATED));
            session::begin(&mut response, &desk.visit.site, &created.token);
            Ok(response)
        }
        Err(problem) if matches!(problem.http_status, 400 | 409) => {
            let sheet = fields(&desk).filled(&form).refused(&problem.details);
            let mut page = StartPage::of(&desk, sheet);
            page.trouble =
                (problem.http_status == 409).then(|| format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

fn fields(desk: &Desk) -> Sheet {
    let name = Field::line("name", "Name of the account")
        .hint("Your name, or that of your group or company. People see it on your events.")
        .autocomplete("organization")
        .value(desk.viewer.name.clone())
        .required();
    Sheet::of(vec![name])
}

impl StartPage {
    fn of(desk: &Desk, sheet: Sheet) -> Self {
        let (page, frame) = desk.frame("Welcome", Tab::None);
        Self {
            page,
            frame,
            sheet,
            invitations: invited(&desk.viewer),
            is_sign_up_open: desk.visit.site.links().is_sign_up_open,
            trouble: None,
        }
    }
}
