//! About which registrations the person is mailed, as a member of the account.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{
        GetMailChoiceRequest, SetMailChoiceRequest,
        bindings::{GetMailChoice, SetMailChoice},
    },
};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account/mails";

/// The choices: their names in the API, and for people.
const CHOICES: [(&str, &str, &str); 3] = [
    (
        "approvals",
        "Registrations that wait for approval",
        "You hear of those that you decide about, and when guests change their answers.",
    ),
    (
        "all",
        "Every registration",
        "Also those that get a spot at once, and when guests change their answers.",
    ),
    ("none", "Nothing", "No emails."),
];

#[derive(Template)]
#[template(path = "dashboard/account_mails.html")]
struct MailsPage {
    page: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let chosen = chosen(&caller).await?;
    caller.answer(&MailsPage {
        page: caller.page("Emails about registrations", Tab::Account),
        model: caller.model(fields(&chosen)),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require_same_account(&form)?;
    let mails = form.text("mails");
    caller
        .ask::<SetMailChoice>(SetMailChoiceRequest { mails })
        .await?;
    Ok(flash::see(super::PATH, Some(Flash::MAILS_CHOSEN)))
}

/// The choice, for those who get such mails.
pub(super) async fn choice(caller: &Caller) -> Result<Option<&'static str>, Problem> {
    if !caller.viewer.may(Scope::EventsWrite) {
        return Ok(None);
    }
    let chosen = chosen(caller).await?;
    let found = CHOICES.iter().find(|(name, ..)| *name == chosen);
    Ok(found.map(|(_, words, _)| *words))
}

async fn chosen(caller: &Caller) -> Result<String, Problem> {
    let answer = caller.ask::<GetMailChoice>(GetMailChoiceRequest {}).await?;
    Ok(answer.mails)
}

fn fields(chosen: &str) -> Vec<Field> {
    vec![Field::radio("mails", "You get an email about", &CHOICES, chosen).required()]
}
