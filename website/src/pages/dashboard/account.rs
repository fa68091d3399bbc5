//! The person and the account: names, address, time zone, plan, and the ways out.

mod email;
mod leave;
mod mails;
mod remove;

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    internal::v1::{
        RenamePersonRequest, UpdateAccountRequest,
        bindings::{RenamePerson, UpdateAccount},
    },
    v1::{Account, ExportAccountRequest, bindings::ExportAccount},
};

use super::{download, welcome::about};
use crate::{
    desk::{Desk, Frame, Tab},
    field::{Field, FieldKind, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    pages::dashboard::plan::{self, Plan},
    visit::Site,
    zones,
};

const PATH: &str = "/dashboard/account";
const EXPORT: &str = "/dashboard/account/export.zip";

#[derive(Template)]
#[template(path = "dashboard/account.html")]
struct AccountPage {
    page: Page,
    frame: Frame,
    person: Sheet,
    /// The account's own fields, for those who may change them.
    account: Option<Sheet>,
    plan: Option<Plan>,
    /// About which registrations the person is mailed, if they are mailed at all.
    mails: Option<&'static str>,
    zones: &'static [String],
}

pub(super) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = vec![
        site.own_with_form(PATH, show, take),
        site.desk(EXPORT, export),
    ];
    resources.extend(email::resources(site));
    resources.extend(leave::resources(site));
    resources.extend(mails::resources(site));
    resources.extend(remove::resources(site));
    resources
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let now = Now::read(&desk).await?;
    let account = now.account.as_ref().map(account_fields);
    desk.answer(&AccountPage::of(&desk, person_fields(&desk), account, now))
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let is_person = form.value("action") == Some("person");
    let saved = if is_person {
        save_person(&desk, &form).await
    } else {
        desk.require_same_account(&form)?;
        save_account(&desk, &form).await
    };
    let problem = match saved {
        Ok(()) => return Ok(flash::see(PATH, Some(Flash::ACCOUNT_SAVED))),
        Err(problem) if problem.http_status == 400 => problem,
        Err(problem) => return Err(problem),
    };
    let now = Now::read(&desk).await?;
    let again = |sheet: Sheet| sheet.filled(&form).refused(&problem.details);
    let (mut person, mut account) = (
        person_fields(&desk),
        now.account.as_ref().map(account_fields),
    );
    if is_person {
        person = again(person);
    } else {
        account = account.map(again);
    }
    let page = AccountPage::of(&desk, person, account, now);
    desk.answer_refused(&page, &problem)
}

async fn export(desk: Desk) -> Result<Response, Problem> {
    download::answer::<ExportAccount>(&desk, ExportAccountRequest {}).await
}

async fn save_person(desk: &Desk, form: &Form) -> Result<(), Problem> {
    let name = form.value("person_name").map(str::to_owned);
    let renamed = desk.ask::<RenamePerson>(RenamePersonRequest { name }).await;
    renamed.map_err(|problem| about(problem, "person_name"))?;
    Ok(())
}

async fn save_account(desk: &Desk, form: &Form) -> Result<(), Problem> {
    let typed = |name| Some(form.value(name).unwrap_or_default().to_owned());
    let request = UpdateAccountRequest {
        name: typed("account_name"),
        timezone: typed("timezone"),
    };
    let updated = desk.ask::<UpdateAccount>(request).await;
    updated.map_err(|problem| about(problem, "account_name"))?;
    Ok(())
}

/// What core says of the person and the account.
struct Now {
    /// With its plan, for those who may see it.
    account: Option<Account>,
    mails: Option<&'static str>,
}

impl Now {
    async fn read(desk: &Desk) -> Result<Self, Problem> {
        let (account, mails) = tokio::try_join!(plan::account(desk), mails::choice(desk))?;
        Ok(Self { account, mails })
    }
}

fn person_fields(desk: &Desk) -> Sheet {
    let name = Field::line("person_name", "Your name")
        .hint("The other members see it.")
        .autocomplete("name")
        .value(desk.viewer.name.clone())
        .required();
    Sheet::of(vec![name])
}

fn account_fields(account: &Account) -> Sheet {
    let name = Field::line("account_name", "Name of the account")
        .hint("People see it on events that name no organizer.")
        .autocomplete("organization")
        .value(account.name.clone())
        .required();
    let zone = Field::new(FieldKind::Zone, "timezone", "Time zone of new events")
        .hint("For example Europe/Berlin. The account's activity is shown in it, too.")
        .value(account.timezone.clone().unwrap_or_default());
    Sheet::of(vec![name, zone])
}

impl AccountPage {
    fn of(desk: &Desk, person: Sheet, account: Option<Sheet>, now: Now) -> Self {
        let (page, frame) = desk.frame("You and your account", Tab::Account);
        let links = desk.visit.site.links();
        Self {
            page,
            frame,
            person,
            account: account.filter(|_| desk.viewer.edits_account()),
            plan: now.account.map(|account| Plan::of(&account, &links)),
            mails: now.mails,
            zones: zones::names(),
        }
    }
}
