//! What a visitor gets when core cannot take a form now: everything that was typed, to be sent again. It needs nothing of core.

use askama::Template;
use axum::response::Response;
use edge::Problem;
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};

use crate::{
    cover::encoded,
    form::Form,
    layout::{Page, Section, private},
    pages::register::sheet::label,
};

#[derive(Template)]
#[template(path = "unsent.html")]
struct UnsentPage<'f> {
    page: Page,
    headline: &'static str,
    text: &'static str,
    url: String,
    fields: Vec<Typed<'f>>,
}

/// A field as it was filled.
struct Typed<'f> {
    name: &'f str,
    label: &'f str,
    value: &'f str,
}

impl<'f> Typed<'f> {
    /// A field of the form; `None` for one that it does not have.
    fn of((name, value): (&'f str, &'f str)) -> Option<Self> {
        let label = match name {
            "name" => "Name",
            "email" => "E-mail",
            _ => label(name)?,
        };
        Some(Self { name, label, value })
    }
}

/// Whether the same form may be taken later.
pub(crate) fn may_be_sent_again(problem: &Problem) -> bool {
    problem.retry_after_seconds.is_some() || problem.http_status >= 500
}

/// The page, with the status of the problem.
pub(crate) fn page(slug: &str, form: &Form, problem: &Problem) -> Result<Response, Problem> {
    let (headline, text) = match problem.http_status {
        429 => (
            "Too many registrations at once",
            "Nothing that you typed is lost. Please wait a moment and send it again.",
        ),
        _ => (
            "Your registration was not received yet",
            "Something does not answer. Nothing that you typed is lost: please send it again in a moment. Sending twice does no harm.",
        ),
    };
    let mut response = private(&UnsentPage {
        page: Page::unlisted(headline, text, Section::Events),
        headline,
        text,
        url: format!("/events/{}/register", encoded(slug)),
        fields: form.fields().filter_map(Typed::of).collect(),
    })?;
    *response.status_mut() =
        StatusCode::from_u16(problem.http_status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    if let Some(seconds) = problem.retry_after_seconds {
        let seconds = HeaderValue::from(seconds);
        response.headers_mut().insert(RETRY_AFTER, seconds);
    }
    if let Some(cause) = &problem.cause {
        let cause = process::observe::Cause(cause.to_string());
        response.extensions_mut().insert(cause);
    }
    Ok(response)
}
