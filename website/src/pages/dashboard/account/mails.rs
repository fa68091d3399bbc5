//! About which registrations the person is mailed, as a member of the account.

use askama::Template;
use axum::response::Response;
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
    field::{Choice, Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
};

pub(in crate::pages) const PATH: &str = "/dashboard/account/mails";

/// The choices: their names in the API, and for people.
const CHOICES: [(&str, &str, &str); 3] = [
    (
        "approvals",
        "Registrations that wait for approval",
        "You hear of those that you decide about.",
    ),
    (
        "all",
        "Every registration",
        "Also those that get a seat at once.",
    ),
    ("none", "Nothing", "You look into the dashboard yourself."),
];

#[derive(Template)]
#[template(path = "dashboard/account_mails.html")]
struct MailsPage {
    page: Page,
    frame: Frame,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    let chosen = chosen(&caller).await?;
    caller.answer(&MailsPage::of(&caller, fields(&chosen)))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require_same_account(&form)?;
    let mails = form.value("mails").map(str::to_owned);
    match caller
        .ask::<SetMailChoice>(SetMailChoiceRequest { mails })
        .await
    {
        Ok(_) => Ok(flash::see(super::PATH, Some(Flash::MAILS_CHOSEN))),
        Err(problem) => {
            let model = fields("").again(&form, &problem)?;
            caller.answer_refused(&MailsPage::of(&caller, model), &problem)
        }
    }
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

fn fields(chosen: &str) -> FormModel {
    let mut mails = Field::new(FieldKind::Radio, "mails", "You get an e-mail about").required();
    mails.options = CHOICES
        .iter()
        .map(|&(name, label, hint)| Choice {
            value: name.to_owned(),
            label: label.to_owned(),
            hint: Some(hint.to_owned()),
            is_chosen: name == chosen,
        })
        .collect();
    FormModel::of(vec![mails])
}

impl MailsPage {
    fn of(caller: &Caller, model: FormModel) -> Self {
        let (page, frame) = caller.frame("E-mails about registrations", Tab::Account);
        Self { page, frame, model }
    }
}
