//! The reminders of an event: as fields of its form, and in words.

use crate::{
    field::{Choice, Field, FieldKind},
    form::Form,
};

/// Their name in the API.
pub(crate) const REMINDERS: &str = "reminders";

/// One field for each reminder that an event can have.
const FIELDS: [(&str, &str); 2] = [
    ("reminders[0]", "Reminder by email"),
    ("reminders[1]", "Another reminder"),
];

/// The hours to choose from, besides those that the event has.
const USUAL: [i32; 6] = [1, 2, 24, 48, 72, 168];

/// What a new form begins with: the API's default.
pub(super) const BLANK: [(&str, &str); 2] = [("reminders[0]", "24"), ("reminders[1]", "")];

/// The fields.
pub(super) fn fields(typed: &Form) -> impl Iterator<Item = Field> {
    FIELDS.into_iter().map(|(name, label)| {
        let own = typed.value(name).and_then(|text| text.parse().ok());
        let mut hours = USUAL.to_vec();
        hours.extend(own.filter(|own| !USUAL.contains(own)));
        hours.sort_unstable();
        let none = Choice::new("", "None").chosen(own.is_none());
        let choice = |hours: i32| {
            let choice = Choice::new(hours.to_string(), before(hours));
            choice.chosen(own == Some(hours))
        };
        let choices = std::iter::once(none).chain(hours.into_iter().map(choice));
        let mut field = Field::new(FieldKind::Select, name, label).choices(choices);
        if name == FIELDS[0].0 {
            field = field.hint("People with a spot get it, with their ticket.");
        }
        field.required()
    })
}

/// An event's reminders as its form has them.
pub(super) fn stored(hours: &[i32]) -> impl Iterator<Item = (String, String)> {
    FIELDS.into_iter().enumerate().map(|(index, (name, _))| {
        let hours = hours.get(index).map(ToString::to_string);
        (name.to_owned(), hours.unwrap_or_default())
    })
}

/// Those of a form that are chosen, the first one first. What is no number is one that core refuses.
pub(super) fn asked(form: &Form) -> Vec<i32> {
    let given = FIELDS.iter().filter_map(|(name, _)| form.value(name));
    let mut hours: Vec<i32> = given.map(|text| text.parse().unwrap_or(0)).collect();
    hours.sort_unstable_by_key(|hours| std::cmp::Reverse(*hours));
    hours
}

/// When they are sent, in words; `None` if there are none.
pub(crate) fn described(hours: &[i32]) -> Option<String> {
    let words: Vec<String> = hours.iter().copied().map(before).collect();
    (!words.is_empty()).then(|| words.join(" and "))
}

/// `1 day before`.
pub(crate) fn before(hours: i32) -> String {
    let (number, unit) = match hours {
        168 => (1, "week"),
        _ if hours % 24 == 0 => (hours / 24, "day"),
        _ => (hours, "hour"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural} before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_said_as_people_say_them() {
        assert_eq!(
            [1, 2, 24, 30, 48, 168].map(before),
            [
                "1 hour before",
                "2 hours before",
                "1 day before",
                "30 hours before",
                "2 days before",
                "1 week before"
            ]
        );
        assert_eq!(
            described(&[24, 2]).as_deref(),
            Some("1 day before and 2 hours before")
        );
        assert_eq!(described(&[]), None);
    }

    #[test]
    fn reminders_come_out_of_a_form_as_they_went_in() {
        for hours in [&[][..], &[30], &[24, 2]] {
            let form = Form::of(stored(hours));
            assert_eq!(asked(&form), hours);
            let chosen = fields(&form).flat_map(|field| field.options);
            let chosen = chosen.filter(|one| one.is_chosen && !one.value.is_empty());
            assert_eq!(chosen.count(), hours.len());
        }
    }
}
