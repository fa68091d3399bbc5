//! Another e-mail address for the person: a code goes to the new one, and a notice to the old one.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{
    FinishEmailChangeRequest, StartEmailChangeRequest,
    bindings::{FinishEmailChange, StartEmailChange},
};

use super::PATH as ACCOUNT;
use crate::{
    cookies::SIGN_IN,
    desk::{Desk, Frame, PROVE, Tab, sentence},
    field::{Field, FieldKind, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    next::with_next,
    session,
    visit::Site,
};

const PATH: &str = "/dashboard/account/email";
const CODE: &str = "/dashboard/account/email/code";

/// How long a browser remembers the address to which the code went.
const SECONDS: u64 = 15 * 60;

#[derive(Template)]
#[template(path = "dashboard/email.html")]
struct EmailPage {
    page: Page,
    frame: Frame,
    sheet: Sheet,
    /// The new address, once a code is on its way to it.
    sent_to: Option<String>,
    url: &'static str,
    mail_folder: Option<String>,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 2] {
    [
        site.own_with_form(PATH, show, take),
        site.own_with_form(CODE, show_code, take_code),
    ]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    if !desk.viewer.is_proven {
        return Ok(flash::see(&with_next(PROVE, PATH), None));
    }
    desk.answer(&EmailPage::of(&desk, address(), None))
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let email = form.value("email").unwrap_or_default().to_owned();
    let request = StartEmailChangeRequest {
        email: Some(email.clone()),
    };
    match desk.ask::<StartEmailChange>(request).await {
        Ok(_) => {
            let mut response = flash::see(CODE, None);
            session::set(&mut response, &desk.visit.site, SIGN_IN, &email, SECONDS);
            Ok(response)
        }
        Err(problem) if problem.http_status == 400 => {
            let sheet = address().filled(&form).refused(&problem.details);
            desk.answer_refused(&EmailPage::of(&desk, sheet, None), &problem)
        }
        Err(problem) => Err(problem),
    }
}

async fn show_code(desk: Desk) -> Result<Response, Problem> {
    match asked_for(&desk) {
        Some(email) => desk.answer(&EmailPage::of(&desk, code(), Some(email))),
        None => Ok(flash::see(PATH, None)),
    }
}

async fn take_code(desk: Desk, form: Form) -> Result<Response, Problem> {
    let request = FinishEmailChangeRequest {
        code: form.value("code").map(str::to_owned),
    };
    match desk.ask::<FinishEmailChange>(request).await {
        Ok(_) => {
            let mut response = flash::see(ACCOUNT, Some(Flash::EMAIL_CHANGED));
            session::set(&mut response, &desk.visit.site, SIGN_IN, "", 0);
            Ok(response)
        }
        Err(problem) if matches!(problem.http_status, 400 | 409) => {
            let sheet = code().filled(&form).refused(&problem.details);
            let sent_to = asked_for(&desk).unwrap_or_default();
            let mut page = EmailPage::of(&desk, sheet, Some(sent_to));
            page.trouble =
                (problem.http_status == 409).then(|| format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

fn asked_for(desk: &Desk) -> Option<String> {
    SIGN_IN.read(&desk.visit.parts.headers, desk.visit.site.is_secure())
}

fn address() -> Sheet {
    Sheet::of(vec![Field::email("email", "New e-mail address").required()])
}

fn code() -> Sheet {
    let field = Field::new(FieldKind::Code, "code", "Code");
    Sheet::of(vec![field.hint("8 digits, from the mail").required()])
}

impl EmailPage {
    fn of(desk: &Desk, sheet: Sheet, sent_to: Option<String>) -> Self {
        let (page, frame) = desk.frame("Your e-mail address", Tab::Account);
        Self {
            page,
            frame,
            sheet,
            url: if sent_to.is_some() { CODE } else { PATH },
            sent_to,
            mail_folder: desk.visit.site.links().mail_folder.clone(),
            trouble: None,
        }
    }
}
