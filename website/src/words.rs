//! Core's words as sentences.

mod rules;

use std::borrow::Cow;

use http_kit::Problem;
use muster_api::email::readable;

pub(crate) use rules::{general, is_missing, of_date};

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

/// Why a line of a list was left out, as a sentence. Core names the field of each rule.
pub(crate) fn of_line(why: &str) -> String {
    /// How core names fields, and their labels.
    const FIELDS: [(&str, &str); 5] = [
        ("the name ", "Name"),
        ("the address ", "Email"),
        ("the number of people ", "People"),
        ("the names of the others ", "Names of the others"),
        ("an answer ", "An answer"),
    ];
    let field_of = |text: &str| {
        let mut fields = FIELDS.iter();
        fields.find_map(|(start, label)| Some((*label, text.strip_prefix(start)?.to_owned())))
    };
    let mut rules: Vec<(&str, String)> = Vec::new();
    for part in why.split("; ") {
        if let Some(rule) = field_of(part) {
            rules.push(rule);
        } else if let Some((_, rule)) = rules.last_mut() {
            // The rule before has a semicolon.
            rule.push_str("; ");
            rule.push_str(part);
        } else {
            return format!("{}.", capitalized(why));
        }
    }
    let said = rules.iter().map(|(label, rule)| {
        let label = question(rule).unwrap_or_else(|| (*label).to_owned());
        format!("{label}: {}", general(rule))
    });
    said.collect::<Vec<_>>().join(" ")
}

/// The question that a rule about an answer names.
fn question(rule: &str) -> Option<String> {
    const BEFORE: [&str; 2] = [" for \"", "must have an answer to \""];
    let mut labels = BEFORE.iter().filter_map(|before| rule.rsplit_once(before));
    let (_, label) = labels.next_back()?;
    Some(format!("“{}”", label.strip_suffix('"')?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_left_out_says_why_in_sentences() {
        for (why, sentence) in [
            (
                "the name must be 1 to 200 characters long, is 201",
                "Name: Use 1 to 200 characters. There are 201 now.",
            ),
            (
                "the address must be an email address, for example ada@example.org; an answer must be an integer for \"How many; the guests?\"",
                "Email: Enter an email address, like ada@example.org. “How many; the guests?”: Enter a whole number.",
            ),
            (
                "an answer must have an answer to \"Diet\"",
                "“Diet”: Please fill this in.",
            ),
            (
                "the number of people must be at most 4: register others on their own",
                "People: At most 4 people can come with one registration. Others register on their own.",
            ),
            (
                "the email address is registered already",
                "The email address is registered already.",
            ),
            (
                "this mailbox gets no more emails within the hour: send the list again later",
                "This mailbox gets no more emails within the hour: send the list again later.",
            ),
        ] {
            assert_eq!(of_line(why), sentence);
        }
    }
}
