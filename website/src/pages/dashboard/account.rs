//! The person and the account: name, address, plan, and the way out.

mod email;
mod leave;

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    internal::v1::{RenamePersonRequest, bindings::RenamePerson},
    v1::{GetAccountRequest, bindings::GetAccount},
};

use super::{plan::Plan, welcome::about};
use crate::{
    desk::{Desk, Frame, Tab},
    field::{Field, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    visit::Site,
};

const PATH: &str = "/dashboard/account";

#[derive(Template)]
#[template(path = "dashboard/account.html")]
struct AccountPage {
    page: Page,
    frame: Frame,
    sheet: Sheet,
    plan: Option<Plan>,
}

pub(super) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = vec![site.own_with_form(PATH, show, take)];
    resources.extend(email::resources(site));
    resources.extend(leave::resources(site));
    resources
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let page = AccountPage::of(&desk, fields(&desk)).await?;
    desk.answer(&page)
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    match save(&desk, &form).await {
        Ok(()) => Ok(flash::see(PATH, Some(Flash::ACCOUNT_SAVED))),
        Err(problem) if problem.http_status == 400 => {
            let sheet = fields(&desk).filled(&form).refused(&problem.details);
            let page = AccountPage::of(&desk, sheet).await?;
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

async fn save(desk: &Desk, form: &Form) -> Result<(), Problem> {
    let name = form.value("person_name").map(str::to_owned);
    let renamed = desk.ask::<RenamePerson>(RenamePersonRequest { name }).await;
    renamed.map_err(|problem| about(problem, "person_name"))?;
    Ok(())
}

/// The plan, for those who may see it.
async fn plan(desk: &Desk) -> Result<Option<Plan>, Problem> {
    if !desk.viewer.reads_account() {
        return Ok(None);
    }
    let account = desk.ask::<GetAccount>(GetAccountRequest {}).await?;
    Ok(Some(Plan::of(&account, &desk.visit.site.links())))
}

fn fields(desk: &Desk) -> Sheet {
    let name = Field::line("person_name", "Your name")
        .hint("The other members see it.")
        .autocomplete("name")
        .value(desk.viewer.name.clone())
        .required();
    Sheet::of(vec![name])
}

impl AccountPage {
    async fn of(desk: &Desk, sheet: Sheet) -> Result<Self, Problem> {
        let plan = plan(desk).await?;
        let (page, frame) = desk.frame("You and your account", Tab::Account);
        Ok(Self {
            page,
            frame,
            sheet,
            plan,
        })
    }
}
