//! The fields for the people of one registration, of events that admit several.

use crate::{
    field::{Choice, Field, FieldKind},
    form::Form,
};

/// The fields; none if everyone registers alone.
pub(crate) fn fields(max_party: i32) -> Vec<Field> {
    if max_party < 2 {
        return Vec::new();
    }
    let hint = "Either all of you get a spot, or none of you does. You share one code.";
    of(max_party, "Just me", hint)
}

/// The fields for an organizer, who adds others.
pub(crate) fn fields_of_guest(max_party: i32) -> Vec<Field> {
    if max_party < 2 {
        return Vec::new();
    }
    let hint = "Either all of them get a spot, or none of them does. They share one code.";
    of(max_party, "1 person", hint)
}

/// The fields of those who are registered, for as many people as they are at most.
pub(crate) fn fields_of_registered(size: i32) -> Vec<Field> {
    of(size, "Just me", "Spots that you give up go to others.")
}

fn of(max_size: i32, one: &str, hint: &str) -> Vec<Field> {
    let sizes = (1..=max_size).map(|size| match size {
        1 => Choice::new("1", one).chosen(true),
        size => Choice::new(size.to_string(), format!("{size} people")),
    });
    vec![
        Field::new(FieldKind::Select, "party_size", "How many people?")
            .hint(hint)
            .choices(sizes)
            .required(),
        Field::paragraphs("companions", "Names of the others").hint("One per line."),
    ]
}

/// How many people were chosen.
pub(crate) fn size(form: &Form) -> Option<i32> {
    form.number("party_size")
}

/// The names of the others.
pub(crate) fn companions(form: &Form) -> Vec<String> {
    let text = form.value("companions").unwrap_or_default();
    let names = text.lines().map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_that_admit_several_ask_for_them() {
        assert!(fields(1).is_empty());
        assert_eq!(fields(3).len(), 2);
        assert!(fields_of_guest(1).is_empty());
        assert_eq!(fields_of_guest(3).len(), 2);
    }

    #[test]
    fn names_are_lines_and_blank_ones_are_none() {
        let form = Form::parse(b"party_size=3&companions=Ada%0D%0A%0D%0A+Bo+");
        assert_eq!(
            (size(&form), companions(&form)),
            (Some(3), vec!["Ada".to_owned(), "Bo".to_owned()])
        );
    }
}
