//! What a visitor gets when core cannot take a form now: everything that was typed, to be sent again. It needs nothing of core.

use askama::Template;
use http_kit::Problem;

use crate::{
    form::Form,
    layout::{Page, Section},
};

/// Why a form was not taken.
pub(crate) struct Why {
    pub(crate) headline: &'static str,
    pub(crate) text: &'static str,
    /// What to do before it is sent again: an address, and the words of its link.
    pub(crate) before: Option<(&'static str, &'static str)>,
}

/// A form that was not taken, and where it goes once it can be.
#[derive(Template)]
#[template(path = "unsent.html")]
pub(crate) struct Unsent<'a> {
    pub(crate) page: Page,
    pub(crate) why: &'static Why,
    /// The same in core's words, where only core knows it.
    pub(crate) reason: Option<String>,
    /// Where the form goes.
    pub(crate) url: &'a str,
    pub(crate) form: &'a Form,
    /// The name of a field for people; `None` for one that they did not fill.
    pub(crate) label: fn(&str) -> Option<String>,
}

impl Unsent<'_> {
    /// The name of a field for people, if they filled it.
    fn label_of(&self, name: &str, value: &str) -> Option<String> {
        (self.label)(name).filter(|_| !value.trim().is_empty())
    }
}

/// Whether the same form may be taken later.
pub(crate) fn may_be_sent_again(problem: &Problem) -> bool {
    problem.retry_after_seconds.is_some() || problem.http_status >= 500
}
