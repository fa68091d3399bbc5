//! Core's words as sentences.

use http_kit::Problem;

/// A text that begins with a capital letter.
pub(crate) fn capitalized(text: &str) -> String {
    let mut signs = text.chars();
    let first = signs.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(signs).collect()
}

/// The message of a problem as a sentence.
pub(crate) fn sentence(problem: &Problem) -> String {
    format!("{}.", capitalized(&problem.message))
}
