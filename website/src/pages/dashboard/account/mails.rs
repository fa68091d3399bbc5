//! About which registrations the person is mailed, as a member of the account.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Scope,
    internal::v1::{
        GetMailChoiceRequest, SetMailChoiceRequest,
        bindings::{GetMailChoice, SetMailChoice},
    },
};

use crate::{
    desk::{Desk, Frame, Tab},
    field::{Choice, Field, FieldKind, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    visit::Site,
};

const PATH: &str = "/dashboard/account/mails";

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
    sheet: Sheet,
    account_id: String,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form(PATH, show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.require(Scope::EventsWrite)?;
    let chosen = chosen(&desk).await?;
    desk.answer(&MailsPage::of(&desk, fields(&chosen)))
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    desk.require_same_account(&form)?;
    let mails = form.value("mails").map(str::to_owned);
    match desk
        .ask::<SetMailChoice>(SetMailChoiceRequest { mails })
        .await
    {
        Ok(_) => Ok(flash::see(super::PATH, Some(Flash::MAILS_CHOSEN))),
        Err(problem) if problem.http_status == 400 => {
            let sheet = fields("").filled(&form).refused(&problem.details);
            desk.answer_refused(&MailsPage::of(&desk, sheet), &problem)
        }
        Err(problem) => Err(problem),
    }
}

/// The choice, for those who get such mails.
pub(super) async fn choice(desk: &Desk) -> Result<Option<&'static str>, Problem> {
    if !desk.viewer.edits_events() {
        return Ok(None);
    }
    let chosen = chosen(desk).await?;
    let found = CHOICES.iter().find(|(name, ..)| *name == chosen);
    Ok(found.map(|(_, words, _)| *words))
}

async fn chosen(desk: &Desk) -> Result<String, Problem> {
    let answer = desk.ask::<GetMailChoice>(GetMailChoiceRequest {}).await?;
    Ok(answer.mails)
}

fn fields(chosen: &str) -> Sheet {
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
    Sheet::of(vec![mails])
}

impl MailsPage {
    fn of(desk: &Desk, sheet: Sheet) -> Self {
        let (page, frame) = desk.frame("E-mails about registrations", Tab::Account);
        Self {
            page,
            frame,
            sheet,
            account_id: desk.viewer.account_id().to_owned(),
        }
    }
}
