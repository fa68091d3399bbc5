//! What a visitor gets when core cannot take a form now: everything that was typed, to be sent again. It needs nothing of core.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;

use crate::{
    form::Form,
    layout::{Page, Section, refused},
};

/// Why a form was not taken, and where it goes once it can be.
#[derive(Debug)]
pub(crate) struct Unsent<'a> {
    pub(crate) headline: &'static str,
    pub(crate) text: &'static str,
    /// What to do before: an address, and the words of its link.
    pub(crate) before: Option<(String, &'static str)>,
    /// Where the form goes.
    pub(crate) url: &'a str,
    pub(crate) form: &'a Form,
    /// The name of a field for people; `None` for one that they did not fill.
    pub(crate) label: fn(&str) -> Option<String>,
}

#[derive(Template)]
#[template(path = "unsent.html")]
struct UnsentPage<'f> {
    page: Page,
    headline: &'static str,
    text: &'static str,
    before: Option<(String, &'static str)>,
    url: &'f str,
    fields: Vec<Typed<'f>>,
}

/// A field as it was filled.
struct Typed<'f> {
    name: &'f str,
    label: Option<String>,
    value: &'f str,
}

impl<'a> Unsent<'a> {
    /// All fields; those that a person filled have a label.
    fn fields(&self) -> Vec<Typed<'a>> {
        let mut fields = Vec::new();
        for (name, value) in self.form.fields() {
            let label = (self.label)(name).filter(|_| !value.trim().is_empty());
            fields.push(Typed { name, label, value });
        }
        fields
    }
}

/// Whether the same form may be taken later.
pub(crate) fn may_be_sent_again(problem: &Problem) -> bool {
    problem.retry_after_seconds.is_some() || problem.http_status >= 500
}

/// The page, with the status of the problem.
pub(crate) fn page(page: Page, unsent: Unsent<'_>, problem: &Problem) -> Result<Response, Problem> {
    let fields = unsent.fields();
    let page = UnsentPage {
        page,
        headline: unsent.headline,
        text: unsent.text,
        before: unsent.before,
        url: unsent.url,
        fields,
    };
    refused(&page, problem)
}
