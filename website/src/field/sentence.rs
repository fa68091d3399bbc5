//! What is wrong with a field, as a sentence for the person who filled it: made of the rule, which the API says for programs, and the
//! field. None repeats the label as the API's words would, and none is bare.

use super::{Field, FieldKind};
use crate::words::{general, is_missing, of_date};

/// The sentence for a rule that a field breaks.
pub(super) fn sentence(field: &Field, rule: &str) -> String {
    if is_missing(rule) {
        return missing(field);
    }
    if let Some((date, rule)) = of_date(rule) {
        return format!("On {date}: {}", sentence(field, rule));
    }
    general(rule)
}

/// What to do with a field in which there is nothing.
fn missing(field: &Field) -> String {
    match field.kind {
        FieldKind::Tick => return "Please check this box.".to_owned(),
        _ if field.is_answer() => return "Please answer this.".to_owned(),
        FieldKind::Number => return "Enter a whole number.".to_owned(),
        FieldKind::Date => return "Enter a date.".to_owned(),
        FieldKind::WallTime => return "Enter a date and a time.".to_owned(),
        FieldKind::Code => return "Enter the 8 digits from the email.".to_owned(),
        FieldKind::Zone => return "Choose a time zone from the list.".to_owned(),
        FieldKind::Email => return "Enter an email address.".to_owned(),
        FieldKind::Ticks => return "Choose at least one.".to_owned(),
        FieldKind::File => return "Choose a picture first.".to_owned(),
        FieldKind::Select | FieldKind::Radio => return "Choose one of the options.".to_owned(),
        FieldKind::Line | FieldKind::Paragraphs => {}
    }
    let label = field.label.to_lowercase();
    let is_question = label.ends_with('?') || label.starts_with("type ");
    match label.split(' ').next() {
        _ if is_question => "Please fill this in.".to_owned(),
        Some("your") => format!("Enter {label}."),
        _ if label.contains(" of ") => format!("Enter the {label}."),
        _ if label.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("Enter an {label}."),
        _ => format!("Enter a {label}."),
    }
}

#[cfg(test)]
mod tests {
    use muster_api::validation::{Check, Validate};

    use super::*;

    fn said(field: &Field, rule: &str) -> String {
        sentence(field, rule)
    }

    #[test]
    fn a_field_in_which_there_is_nothing_says_what_to_enter() {
        let answer = |kind| Field::new(kind, "answers[Diet]", "Diet");
        for (field, sentence) in [
            (Field::line("title", "Title"), "Enter a title."),
            (Field::line("n", "Organizer"), "Enter an organizer."),
            (Field::line("n", "Your name"), "Enter your name."),
            (
                Field::line("n", "Name of the account"),
                "Enter the name of the account.",
            ),
            (Field::line("n", "Who organizes?"), "Please fill this in."),
            (Field::email("email", "Email"), "Enter an email address."),
            (answer(FieldKind::Paragraphs), "Please answer this."),
            (answer(FieldKind::Tick), "Please check this box."),
            (
                Field::new(FieldKind::WallTime, "start_date", "Start"),
                "Enter a date and a time.",
            ),
        ] {
            for rule in [
                "is required",
                "must not be empty",
                "must have an answer to \"Diet\"",
            ] {
                assert_eq!(said(&field, rule), sentence);
            }
        }
    }

    #[test]
    fn what_a_later_date_breaks_names_the_date() {
        let scope = Field::new(FieldKind::Radio, "scope", "Which dates?");
        for (rule, sentence) in [
            (
                "must be \"this\", because on 28 March 2027 start_date must be a time that clocks in Europe/Berlin show: 2027-03-28T02:30:00 is skipped when they are put forward",
                "On 28 March 2027: Clocks are put forward then and skip this time. Choose another one.",
            ),
            (
                "on 30 March 2027, max_capacity must be at least 2, the number of spots that are taken",
                "On 30 March 2027: 2 spots are taken already. Enter at least 2.",
            ),
            (
                "must be \"this\", because more than 104 dates follow",
                "More than 104 dates follow. Change this one alone.",
            ),
            (
                "must be \"this\", because you are not a member for all dates that follow",
                "You are not a member for all dates that follow. Change this one alone.",
            ),
        ] {
            assert_eq!(said(&scope, rule), sentence);
        }
    }

    #[test]
    fn rules_are_sentences_for_people() {
        let field = Field::line("title", "Title");
        for (rule, sentence) in [
            (
                "must be 3 to 200 characters long, is 2",
                "Use 3 to 200 characters. There are 2 now.",
            ),
            (
                "must be 3 to 200 characters long, is 1",
                "Use 3 to 200 characters. There is 1 now.",
            ),
            (
                "must be at most 120 characters long, is 121",
                "Use at most 120 characters. There are 121 now.",
            ),
            (
                "must be from 1 to 10000, is 0",
                "Enter a number from 1 to 10000.",
            ),
            (
                "must have at most 20 items, has 21",
                "Use at most 20. There are 21 now.",
            ),
            (
                "must be at least 7, the number of spots that are taken",
                "7 spots are taken already. Enter at least 7.",
            ),
            (
                "must be at least 2, the number of people who are here",
                "2 of you are here already. Choose at least 2.",
            ),
            (
                "must be an integer for \"How many guests?\"",
                "Enter a whole number.",
            ),
            (
                "must be one of its options, for example \"S\" or \"M\", for \"Size\"",
                "Choose one of the options.",
            ),
            (
                "is not the one in the email; you can try 4 more times",
                "That code doesn’t match. 4 tries left.",
            ),
            ("must be new", "Must be new."),
        ] {
            assert_eq!(said(&field, rule), sentence);
        }
    }

    /// The rules of validation, as it says them.
    struct Everything;

    impl Validate for Everything {
        fn validate(&self, check: &mut Check) {
            check.field("a").required(false);
            check.field("b").length("", 1, 5);
            check.field("c").length("x", 3, 200);
            check.field("d").length("xxx", 0, 2);
            check.field("e").range(0, 1, 5);
            check.field("f").range(0, 1, i32::MAX);
            check.field("g").range(9, i32::MIN, 8);
            check.field("h").email("x");
            check.field("i").one_of("x", &["a", "b"]);
            check.field("j").line("a\nb");
            check.field("k").paragraphs("a\u{7}");
            check.field("l").line(" ");
            check.field("m").items(0, 1, 5);
            check.field("n").items(9, 1, 5);
            check.field("o").unique(&[1, 1]);
        }
    }

    #[test]
    fn every_rule_of_validation_has_a_sentence_of_its_own() {
        let broken = muster_api::validation::check(&Everything).unwrap_err();
        assert_eq!(broken.len(), 15);
        for one in broken {
            let said = said(&Field::line("title", "Title"), &one.message);
            assert!(
                !said.starts_with("Must") && !said.starts_with("Is "),
                "{said}"
            );
            assert!(said.ends_with('.'), "{said}");
        }
    }
}
