//! Core's words as sentences.

mod rules;

use std::borrow::Cow;

use http_kit::Problem;
use muster_api::email::readable;

pub(crate) use rules::general;

/// An email address as people read it.
pub(crate) fn address(email: &str) -> Cow<'_, str> {
    readable(email)
}

/// A text that begins with a capital letter.
pub(crate) fn capitalized(text: &str) -> String {
    let mut signs = text.chars();
    let first = signs.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(signs).collect()
}

/// The message of a problem as a sentence.
pub(crate) fn sentence(problem: &Problem) -> String {
    let rule = problem
        .details
        .first()
        .filter(|_| problem.http_status == 400);
    match (sent_before(problem), rule) {
        (Some(words), _) => words.to_owned(),
        (None, Some(rule)) => general(&rule.message),
        (None, None) => format!("{}.", capitalized(&problem.message)),
    }
}

/// What to say of a form that was sent before; `None` if the problem is another.
pub(crate) fn sent_before(problem: &Problem) -> Option<&'static str> {
    match problem.code {
        "IDEMPOTENCY_KEY_REUSED" => Some(
            "You sent this form before, with other details. Check what came of it, then send it again.",
        ),
        "IDEMPOTENCY_KEY_IN_USE" => {
            Some("This form is being worked on already. Send it again in a moment.")
        }
        _ => None,
    }
}
