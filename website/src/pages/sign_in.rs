//! Signing in and signing up: one form for known and new people. A code comes by mail, and is typed into the browser that asked for it.

mod again;
mod link;
mod out;

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use http::{StatusCode, header::SET_COOKIE};
use muster_api::{
    internal::v1::{
        FinishSignInRequest, GetSessionRequest, SignedIn, StartSignInRequest,
        bindings::{FinishSignIn, GetSession, StartSignIn},
    },
    violation::Violation,
};

use crate::{
    browser::{Browser, device},
    cookies::SIGN_IN,
    desk::sentence,
    field::{Field, FieldKind, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::{Page, Section, private},
    next::{DASHBOARD, NEW_EVENT, NEXT, own_path, with_next},
    session,
    visit::{Site, Visit},
};

/// Where the code is typed.
const CODE: &str = "/sign-in/code";

/// Where new people are asked for their name.
const WELCOME: &str = "/dashboard/welcome";

/// How long a browser remembers the address to which a code went: a little longer than the code is valid.
const SECONDS: u64 = 15 * 60;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    page: Page,
    sheet: Sheet,
    next: String,
    flash: Option<&'static str>,
    is_sign_up_open: bool,
    /// Why no code was sent.
    trouble: Option<String>,
}

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct CodePage {
    page: Page,
    sheet: Sheet,
    next: String,
    email: String,
    mail_folder: Option<String>,
    trouble: Option<String>,
}

pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = vec![
        site.page_with_form("/sign-in", show, take),
        site.page_with_form(CODE, show_code, take_code),
    ];
    resources.extend(link::resources(site));
    resources.extend(again::resources(site));
    resources.extend(out::resources(site));
    resources
}

async fn show(visit: Visit) -> Result<Response, Problem> {
    let query = visit.query();
    let next = own_path(query.value(NEXT)).to_owned();
    if visit.has_session() && visit.ask::<GetSession>(GetSessionRequest {}).await.is_ok() {
        return Ok(flash::see(&next, None));
    }
    let flash = Flash::of(&visit.parts.headers);
    let mut response = private(&SignInPage {
        flash: flash.map(Flash::words),
        ..SignInPage::of(&visit, address(), next)
    })?;
    if flash.is_some() {
        flash::forget(&mut response, "/sign-in");
    }
    Ok(response)
}

/// Has a code mailed, and leads to the page where it is typed: the same for known and unknown addresses.
async fn take(visit: Visit, form: Form) -> Result<Response, Problem> {
    let next = own_path(form.value(NEXT)).to_owned();
    let browser = Browser::of(&visit.parts.headers, &visit.site);
    let email = form.value("email").unwrap_or_default().to_owned();
    let request = StartSignInRequest {
        email: Some(email.clone()),
        browser: Some(browser.secret().to_owned()),
    };
    if let Err(problem) = visit.ask::<StartSignIn>(request).await {
        let sheet = address().filled(&form).refused(email_only(&problem));
        let page = SignInPage::of(&visit, sheet, next);
        let trouble = trouble(&problem);
        return refused(&SignInPage { trouble, ..page }, &problem);
    }
    let mut response = flash::see(&with_next(CODE, &next), None);
    session::set(&mut response, &visit.site, SIGN_IN, &email, SECONDS);
    if let Some(cookie) = browser.cookie(&visit.site) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

async fn show_code(visit: Visit) -> Result<Response, Problem> {
    let next = own_path(visit.query().value(NEXT)).to_owned();
    match asked_for(&visit) {
        Some(email) => private(&CodePage::of(&visit, code(), next, email)),
        None => Ok(flash::see(&with_next("/sign-in", &next), None)),
    }
}

async fn take_code(visit: Visit, form: Form) -> Result<Response, Problem> {
    let next = own_path(form.value(NEXT)).to_owned();
    let headers = &visit.parts.headers;
    let browser = Browser::known(headers, &visit.site);
    let (Some(email), Some(browser)) = (asked_for(&visit), browser) else {
        return Ok(flash::see(&with_next("/sign-in", &next), None));
    };
    let request = FinishSignInRequest {
        browser: Some(browser.secret().to_owned()),
        code: form.value("code").map(str::to_owned),
        device: device(headers),
    };
    match visit.ask::<FinishSignIn>(request).await {
        Ok(signed_in) => Ok(welcome(&visit.site, &signed_in, &next)),
        Err(problem) => {
            let sheet = code().filled(&form).refused(&problem.details);
            let page = CodePage::of(&visit, sheet, next, email);
            let trouble = trouble(&problem);
            refused(&CodePage { trouble, ..page }, &problem)
        }
    }
}

/// The way in: to the page that was asked for, and new people who come for events first to the one that asks for their name.
fn welcome(site: &Site, signed_in: &SignedIn, next: &str) -> Response {
    let next = if signed_in.is_new_person && [DASHBOARD, NEW_EVENT].contains(&next) {
        WELCOME
    } else {
        next
    };
    let mut response = flash::see(next, Some(Flash::WELCOME));
    session::begin(&mut response, site, &signed_in.token);
    session::set(&mut response, site, SIGN_IN, "", 0);
    response
}

/// The address to which this browser asked for a code.
fn asked_for(visit: &Visit) -> Option<String> {
    SIGN_IN.read(&visit.parts.headers, visit.site.is_secure())
}

fn address() -> Sheet {
    Sheet::of(vec![
        Field::email("email", "Your e-mail address").required(),
    ])
}

/// The field for a code from a mail.
fn code() -> Sheet {
    let field = Field::new(FieldKind::Code, "code", "Code");
    Sheet::of(vec![field.hint("8 digits, from the mail").required()])
}

/// What is wrong with the address. The browser's secret is nothing that a person can correct.
fn email_only(problem: &Problem) -> &[Violation] {
    let is_email = problem.details.iter().any(|one| one.field == "email");
    if is_email { &problem.details } else { &[] }
}

/// What to say above the form, where nothing can be said beside a field.
fn trouble(problem: &Problem) -> Option<String> {
    if problem.http_status == 400 && !problem.details.is_empty() {
        return None;
    }
    Some(match (problem.http_status, problem.retry_after_seconds) {
        (429, Some(seconds)) if seconds > 90 => format!(
            "There were too many tries. Please wait {} minutes.",
            seconds.div_ceil(60)
        ),
        (429, _) => "There were too many tries. Please wait a moment.".to_owned(),
        (409, _) => {
            "This code can no longer be used: it is too old, or there were too many tries. Have a new one sent."
                .to_owned()
        }
        (500.., _) => {
            "Something does not answer. Please try again in a moment; nothing is lost.".to_owned()
        }
        _ => format!("{}.", sentence(&problem.message)),
    })
}

/// A form that core refused, with the refusal's status.
fn refused(template: &impl Template, problem: &Problem) -> Result<Response, Problem> {
    let mut response = private(template)?;
    let status = StatusCode::from_u16(problem.http_status);
    *response.status_mut() = status.unwrap_or(StatusCode::BAD_REQUEST);
    if let Some(seconds) = problem.retry_after_seconds {
        let headers = response.headers_mut();
        headers.insert(http::header::RETRY_AFTER, seconds.into());
    }
    Ok(response)
}

fn head(site: &Site, title: &str) -> Page {
    let description = "Sign in to publish events and to see who comes.";
    Page::unlisted(site.links(), title, description, Section::Dashboard)
}

impl SignInPage {
    fn of(visit: &Visit, sheet: Sheet, next: String) -> Self {
        let links = visit.site.links();
        Self {
            page: head(&visit.site, "Sign in"),
            sheet,
            next,
            flash: None,
            // Before core was asked the usual setting is assumed.
            is_sign_up_open: links.is_sign_up_open || links.sign_up_plan.is_empty(),
            trouble: None,
        }
    }
}

impl CodePage {
    fn of(visit: &Visit, sheet: Sheet, next: String, email: String) -> Self {
        Self {
            page: head(&visit.site, "Enter the code"),
            sheet,
            next,
            email,
            mail_folder: visit.site.links().mail_folder.clone(),
            trouble: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use muster_api::Reason;

    use super::*;

    #[test]
    fn trouble_is_told_where_no_field_can_tell_it() {
        let wrong = Problem::invalid(&[Violation {
            field: "code".to_owned(),
            message: "is wrong".to_owned(),
        }]);
        assert_eq!(trouble(&wrong), None);
        let limited = Problem {
            retry_after_seconds: Some(3_601),
            ..Problem::new(Reason::RateLimited, "too many mails")
        };
        let told = trouble(&limited).unwrap();
        assert!(told.contains("wait 61 minutes"), "{told}");
        let used_up = Problem::new(Reason::Conflict, "there is no code");
        assert!(trouble(&used_up).unwrap().contains("new one"));
    }
}
