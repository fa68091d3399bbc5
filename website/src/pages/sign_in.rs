//! Signing in and signing up: one form for known and new people. A code comes by mail, and is typed into the browser that asked for it.

pub(in crate::pages) mod again;
pub(in crate::pages) mod link;
pub(in crate::pages) mod out;
mod purpose;
pub(in crate::pages) mod take_back;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    internal::v1::{
        FinishSignInRequest, GetSessionRequest, SignedIn, StartSignInRequest,
        bindings::{FinishSignIn, GetSession, StartSignIn},
    },
    violation::Violation,
};

use crate::{
    browser::{Browser, device},
    cookies::{self, SIGN_IN},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::{Page, PageResult, Section, private, refused},
    mistyped::asked,
    policies::AUTHORIZE,
    request_context::{RequestContext, Site},
    return_path::{DASHBOARD, NEW_EVENT, RETURN_PATH, own_path, with_return_path},
    words::sentence,
};
use purpose::Purpose;

/// Where the code is typed.
pub(in crate::pages) const CODE: &str = "/sign-in/code";

/// Where new people are asked for their name.
const WELCOME: &str = "/dashboard/welcome";

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    page: Page,
    model: FormModel,
    return_path: String,
    purpose: Purpose,
    flash: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct CodePage {
    page: Page,
    model: FormModel,
    return_path: String,
    email: String,
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let query = context.query();
    let return_path = own_path(query.value(RETURN_PATH)).to_owned();
    if context.has_session() {
        let session = context.ask::<GetSession>(GetSessionRequest {}).await;
        if session.is_ok() {
            return Ok(flash::see(&return_path, None));
        }
    }
    let flash = Flash::of(&context.parts.headers);
    let mut response = private(&SignInPage {
        flash: flash.map(Flash::words),
        ..SignInPage::read(&context, address(), return_path).await
    })?;
    if flash.is_some() {
        flash::clear(&mut response, "/sign-in");
    }
    Ok(response)
}

/// Has a code mailed, and leads to the page where it is typed: the same for known and unknown addresses.
pub(in crate::pages) async fn take(context: RequestContext, form: Form) -> PageResult {
    let return_path = own_path(form.value(RETURN_PATH)).to_owned();
    if asked(&form).is_some() {
        let model = address().asking(&form);
        return private(&SignInPage::read(&context, model, return_path).await);
    }
    let browser = Browser::of(&context.parts.headers, &context.site);
    let email = form.text("email").unwrap_or_default();
    let request = StartSignInRequest {
        email: Some(email.clone()),
        browser: Some(browser.secret().to_owned()),
    };
    if let Err(problem) = context.ask::<StartSignIn>(request).await {
        let model = address().filled(&form).refused(email_only(&problem));
        let model = with_trouble(model, &problem);
        let page = SignInPage::read(&context, model, return_path).await;
        return refused(&page, &problem);
    }
    let mut response = flash::see(&with_return_path(CODE, &return_path), None);
    cookies::begin_sign_in(&mut response, context.site.is_secure(), &email);
    browser.remember(&mut response, &context.site);
    Ok(response)
}

pub(in crate::pages) async fn show_code(context: RequestContext) -> PageResult {
    let return_path = own_path(context.query().value(RETURN_PATH)).to_owned();
    match asked_for(&context) {
        Some(email) => private(&CodePage::of(
            &context,
            FormModel::of(code()),
            return_path,
            email,
        )),
        None => Ok(to_sign_in(&return_path)),
    }
}

pub(in crate::pages) async fn take_code(context: RequestContext, form: Form) -> PageResult {
    let return_path = own_path(form.value(RETURN_PATH)).to_owned();
    let headers = &context.parts.headers;
    let browser = Browser::known(headers, &context.site);
    let (Some(email), Some(browser)) = (asked_for(&context), browser) else {
        return Ok(to_sign_in(&return_path));
    };
    let request = FinishSignInRequest {
        browser: Some(browser.secret().to_owned()),
        code: form.text("code"),
        device: device(headers),
        timezone: form.text("timezone").unwrap_or_default(),
    };
    match context.ask::<FinishSignIn>(request).await {
        Ok(signed_in) => Ok(welcome(&context.site, &signed_in, &return_path)),
        Err(problem) => {
            let model = FormModel::of(code()).filled(&form);
            let model = with_trouble(model.refused(&problem.details), &problem);
            refused(&CodePage::of(&context, model, return_path, email), &problem)
        }
    }
}

/// Where a form goes. If the way on leads to an app, the address has it, too: by that, the answer is connected with the app's window.
fn action(path: &str, return_path: &str) -> String {
    if return_path.starts_with(AUTHORIZE) {
        with_return_path(path, return_path)
    } else {
        path.to_owned()
    }
}

fn to_sign_in(return_path: &str) -> Response {
    flash::see(&with_return_path("/sign-in", return_path), None)
}

/// The way in: to the page that was asked for, and new people who come for events first to the one that asks for their name.
fn welcome(site: &Site, signed_in: &SignedIn, return_path: &str) -> Response {
    let return_path = if signed_in.is_new_person && [DASHBOARD, NEW_EVENT].contains(&return_path) {
        WELCOME
    } else {
        return_path
    };
    let mut response = flash::see(return_path, Some(Flash::WELCOME));
    cookies::begin_session(&mut response, site.is_secure(), &signed_in.token);
    cookies::end_sign_in(&mut response, site.is_secure());
    response
}

/// The address to which this browser asked for a code.
pub(in crate::pages) fn asked_for(context: &RequestContext) -> Option<String> {
    SIGN_IN.read(&context.parts.headers, context.site.is_secure())
}

fn address() -> FormModel {
    FormModel::of(vec![Field::email("email", "Your email address").required()])
}

/// The field for a code from a mail.
pub(in crate::pages) fn code() -> Vec<Field> {
    let field = Field::new(FieldKind::Code, "code", "Code");
    vec![field.hint("8 digits, from the email").required()]
}

/// What is wrong with the address. The browser's secret is nothing that a person can correct.
fn email_only(problem: &Problem) -> &[Violation] {
    let is_email = problem.details.iter().any(|one| one.field == "email");
    if is_email { &problem.details } else { &[] }
}

/// What else works for someone whose address others have tried too often.
const ELSEWHERE: &str = "Until then, you can sign in with a browser that you have used here before, or ask the operator of this site for a link.";

/// A form with what to say above it, where nothing can be said beside a field.
fn with_trouble(mut model: FormModel, problem: &Problem) -> FormModel {
    if problem.http_status == 400 && !problem.details.is_empty() {
        return model;
    }
    model.trouble = Some(match (problem.http_status, problem.retry_after_seconds) {
        (429, Some(seconds)) if seconds > 90 => format!(
            "There were too many tries. Please wait {} minutes. {ELSEWHERE}",
            seconds.div_ceil(60)
        ),
        (429, _) => format!("There were too many tries. Please wait a moment. {ELSEWHERE}"),
        (409, _) => {
            "This code can no longer be used: it is too old, or there were too many tries. Have a new one sent."
                .to_owned()
        }
        (500.., _) => {
            "We couldn’t reach the server. Please try again in a moment; nothing is lost.".to_owned()
        }
        _ => sentence(problem),
    });
    model
}

fn head(site: &Site, title: &str) -> Page {
    let description = "Sign in to publish events and to see who comes.";
    Page::unlisted(site.links(), title, description, Section::Dashboard)
}

impl SignInPage {
    /// Where its form goes.
    fn to(&self, path: &str) -> String {
        action(path, &self.return_path)
    }

    async fn read(context: &RequestContext, model: FormModel, return_path: String) -> Self {
        Self {
            page: head(&context.site, "Sign in"),
            model,
            purpose: Purpose::of(context, &return_path).await,
            return_path,
            flash: None,
        }
    }
}

impl CodePage {
    /// Where its forms go.
    fn to(&self, path: &str) -> String {
        action(path, &self.return_path)
    }

    fn of(context: &RequestContext, model: FormModel, return_path: String, email: String) -> Self {
        Self {
            page: head(&context.site, "Enter the code"),
            model,
            return_path,
            email,
        }
    }
}

#[cfg(test)]
mod tests {
    use muster_api::Reason;

    use super::*;

    fn trouble(problem: &Problem) -> Option<String> {
        with_trouble(FormModel::default(), problem).trouble
    }

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
        let words = trouble(&limited).unwrap();
        assert!(words.contains("wait 61 minutes"), "{words}");
        let used_up = Problem::new(Reason::Conflict, "there is no code");
        assert!(trouble(&used_up).unwrap().contains("new one"));
    }
}
