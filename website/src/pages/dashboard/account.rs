//! The person and the account: names, address, time zone, plan, and the ways out.

pub(in crate::pages) mod email;
pub(in crate::pages) mod leave;
pub(in crate::pages) mod mails;
pub(in crate::pages) mod remove;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{
        RenamePersonRequest, UpdateAccountRequest,
        bindings::{RenamePerson, UpdateAccount},
    },
    v1::{Account, ExportAccountRequest, bindings::ExportAccount},
};

use super::{download, welcome::about};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    pages::dashboard::plan::{self, Plan},
    zones,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account";
pub(in crate::pages) const EXPORT: &str = "/dashboard/account/export.zip";

#[derive(Template)]
#[template(path = "dashboard/account.html")]
struct AccountPage {
    page: Page,
    frame: Frame,
    person: FormModel,
    /// The account's own fields, for those who may change them.
    account: Option<FormModel>,
    plan: Option<Plan>,
    /// About which registrations the person is mailed, if they are mailed at all.
    mails: Option<&'static str>,
    zones: &'static [String],
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let now = Now::read(&caller).await?;
    let account = now.account.as_ref().map(account_fields);
    caller.answer(&AccountPage::of(
        &caller,
        person_fields(&caller),
        account,
        now,
    ))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let is_person = form.value("action") == Some("person");
    let saved = if is_person {
        save_person(&caller, &form).await
    } else {
        caller.require_same_account(&form)?;
        save_account(&caller, &form).await
    };
    let problem = match saved {
        Ok(()) => return Ok(flash::see(PATH, Some(Flash::ACCOUNT_SAVED))),
        Err(problem) if problem.http_status == 400 => problem,
        Err(problem) => return Err(problem),
    };
    let now = Now::read(&caller).await?;
    let again = |model: FormModel| model.filled(&form).refused(&problem.details);
    let (mut person, mut account) = (
        person_fields(&caller),
        now.account.as_ref().map(account_fields),
    );
    if is_person {
        person = again(person);
    } else {
        account = account.map(again);
    }
    let page = AccountPage::of(&caller, person, account, now);
    caller.answer_refused(&page, &problem)
}

pub(in crate::pages) async fn export(caller: Caller) -> Result<Response, Problem> {
    download::answer::<ExportAccount>(&caller, ExportAccountRequest {}).await
}

async fn save_person(caller: &Caller, form: &Form) -> Result<(), Problem> {
    let name = form.value("person_name").map(str::to_owned);
    let renamed = caller
        .ask::<RenamePerson>(RenamePersonRequest { name })
        .await;
    renamed.map_err(|problem| about(problem, "person_name"))?;
    Ok(())
}

async fn save_account(caller: &Caller, form: &Form) -> Result<(), Problem> {
    let typed = |name| Some(form.value(name).unwrap_or_default().to_owned());
    let request = UpdateAccountRequest {
        name: typed("account_name"),
        timezone: typed("timezone"),
    };
    let updated = caller.ask::<UpdateAccount>(request).await;
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
    async fn read(caller: &Caller) -> Result<Self, Problem> {
        let (account, mails) = tokio::try_join!(plan::account(caller), mails::choice(caller))?;
        Ok(Self { account, mails })
    }
}

fn person_fields(caller: &Caller) -> FormModel {
    let name = Field::line("person_name", "Your name")
        .hint("The other members see it.")
        .autocomplete("name")
        .value(caller.viewer.name.clone())
        .required();
    FormModel::of(vec![name])
}

fn account_fields(account: &Account) -> FormModel {
    let name = Field::line("account_name", "Name of the account")
        .hint("People see it on events that name no organizer.")
        .autocomplete("organization")
        .value(account.name.clone())
        .required();
    let zone = Field::new(FieldKind::Zone, "timezone", "Time zone of new events")
        .hint("For example Europe/Berlin. The account's activity is shown in it, too.")
        .value(account.timezone.clone().unwrap_or_default());
    FormModel::of(vec![name, zone])
}

impl AccountPage {
    fn of(caller: &Caller, person: FormModel, account: Option<FormModel>, now: Now) -> Self {
        let (page, frame) = caller.frame("You and your account", Tab::Account);
        let links = caller.context.site.links();
        Self {
            page,
            frame,
            person,
            account: account.filter(|_| caller.viewer.may(Scope::AccountWrite)),
            plan: now.account.map(|account| Plan::of(&account, &links)),
            mails: now.mails,
            zones: zones::names(),
        }
    }
}
