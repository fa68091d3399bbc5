//! The person and the account: names, address, time zone, plan, and the ways out.

pub(in crate::pages) mod email;
pub(in crate::pages) mod leave;
pub(in crate::pages) mod mails;
pub(in crate::pages) mod remove;
pub(in crate::pages) mod remove_person;

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{
        RenamePersonRequest, UpdateAccountRequest,
        bindings::{RenamePerson, UpdateAccount},
    },
    v1::{Account, ExportAccountRequest, bindings::ExportAccount},
};

use super::download;
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::dashboard::plan::{self, Plan},
    zones,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account";
pub(in crate::pages) const EXPORT: &str = "/dashboard/account/export.zip";

#[derive(Template)]
#[template(path = "dashboard/account.html")]
struct AccountPage {
    page: Frame,
    person: FormModel,
    /// The account's own fields, for those who may change them.
    account: Option<FormModel>,
    /// The account's public page.
    organizer_url: Option<String>,
    plan: Option<Plan>,
    /// About which registrations the person is mailed, if they are mailed at all.
    mails: Option<&'static str>,
    zones: &'static [String],
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let (account, mails) = tokio::try_join!(plan::account(&caller), mails::choice(&caller))?;
    let changeable = account
        .as_ref()
        .filter(|_| caller.viewer.may(Scope::AccountWrite));
    let (person, fields) = (
        person_fields(&caller),
        changeable.map(|account| account_fields(&caller, account)),
    );
    let (person, fields) = match caller.form() {
        Some(form) if is_of_person(form) => (caller.model(person), fields.map(FormModel::of)),
        _ => (
            FormModel::of(person),
            fields.map(|fields| caller.model(fields)),
        ),
    };
    caller.answer(&AccountPage {
        page: caller.page("You and your account", Tab::Account),
        person,
        account: fields,
        organizer_url: account
            .as_ref()
            .and_then(|account| account.organizer_url.clone()),
        plan: account.as_ref().map(Plan::of),
        mails,
        zones: zones::names(),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    if is_of_person(&form) {
        save_person(&caller, &form).await?;
    } else {
        caller.require_same_account(&form)?;
        save_account(&caller, &form).await?;
    }
    Ok(flash::see(PATH, Some(Flash::ACCOUNT_SAVED)))
}

/// Whether it is the form about the person, not the one about the account.
fn is_of_person(form: &Form) -> bool {
    form.value("action") == Some("person")
}

pub(in crate::pages) async fn export(caller: Caller) -> PageResult {
    download::answer::<ExportAccount>(&caller, ExportAccountRequest {}).await
}

/// Saves the person's name.
pub(super) async fn save_person(caller: &Caller, form: &Form) -> Result<(), Problem> {
    let name = Some(form.text("person_name").unwrap_or_default());
    let renamed = caller
        .ask::<RenamePerson>(RenamePersonRequest { name })
        .await;
    renamed.map_err(|problem| about(problem, "person_name"))?;
    Ok(())
}

/// Saves the account's name, and what else the form has of it.
pub(super) async fn save_account(caller: &Caller, form: &Form) -> Result<(), Problem> {
    let typed = |name| Some(form.text(name).unwrap_or_default());
    let given = |name| typed(name).filter(|_| form.has(name));
    let request = UpdateAccountRequest {
        name: typed("account_name"),
        timezone: given("timezone"),
        handle: given("handle"),
        about: given("about"),
        website: given("website"),
    };
    let updated = caller.ask::<UpdateAccount>(request).await;
    updated.map_err(|problem| about(problem, "account_name"))?;
    Ok(())
}

/// Core's words about a name, beside the field that has it.
fn about(mut problem: Problem, field: &str) -> Problem {
    let names = problem.details.iter_mut().filter(|one| one.field == "name");
    names.for_each(|one| field.clone_into(&mut one.field));
    problem
}

fn person_fields(caller: &Caller) -> Vec<Field> {
    let name = Field::line("person_name", "Your name")
        .hint("The other members see it.")
        .autocomplete("name")
        .value(caller.viewer.name.clone())
        .required();
    vec![name]
}

fn account_fields(caller: &Caller, account: &Account) -> Vec<Field> {
    let name = Field::line("account_name", "Name of the account")
        .hint("People see it on events that name no organizer.")
        .autocomplete("organization")
        .value(account.name.clone())
        .required();
    let zone = Field::new(FieldKind::Zone, "timezone", "Time zone of new events")
        .hint("For example Europe/Berlin. The account's activity is shown in it, too.")
        .value(account.timezone.clone().unwrap_or_default());
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let example = caller.context.site.url("/o/rust-berlin");
    let handle = Field::line("handle", "Address of your public page")
        .hint(format!(
            "For example rust-berlin, for {example}. The page has all your public events. Empty: there is none."
        ))
        .value(text(&account.handle));
    let about = Field::paragraphs("about", "About you")
        .hint("For your public page. Markdown works.")
        .value(text(&account.about));
    let website = Field::line("website", "Your website")
        .hint("For your public page, for example https://rust.berlin.")
        .autocomplete("url")
        .value(text(&account.website));
    vec![name, handle, about, website, zone]
}
