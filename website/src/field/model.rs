//! All fields of a form, with what core says is wrong.

use http_kit::Problem;
use muster_api::violation::Violation;

use super::Field;
use crate::{
    form::Form,
    mistyped::{CHECKED, asked},
    words::{general, sentence},
};

/// Said when answers came that an event does not ask for: its questions changed while the form was open.
const QUESTIONS_CHANGED: &str = "The questions of this event have changed since you opened the form. Please look at them again.";

/// Fields that belong together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    pub(crate) title: Option<&'static str>,
    pub(crate) hint: Option<&'static str>,
    pub(crate) fields: Vec<Field>,
}

/// A mistake in the list above a form, which leads to its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) target: String,
    /// The field's label; empty where the sentence names it.
    pub(crate) label: String,
    pub(crate) message: String,
}

/// All fields of a form.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormModel {
    pub(crate) groups: Vec<Group>,
    pub(crate) mistakes: Vec<Mistake>,
    /// What is wrong with the whole, where it is about no field.
    pub(crate) trouble: Option<String>,
    /// The address that someone is asked about, to be sent again as it is.
    pub(crate) checked_email: Option<String>,
}

impl Group {
    pub(crate) fn of(fields: Vec<Field>) -> Self {
        Self {
            fields,
            ..Self::default()
        }
    }

    pub(crate) fn titled(title: &'static str, fields: Vec<Field>) -> Self {
        Self {
            title: Some(title),
            ..Self::of(fields)
        }
    }

    #[must_use]
    pub(crate) fn hint(self, hint: &'static str) -> Self {
        Self {
            hint: Some(hint),
            ..self
        }
    }
}

impl FormModel {
    /// A form of these fields.
    pub(crate) fn of(fields: Vec<Field>) -> Self {
        Self::grouped(vec![Group::of(fields)])
    }

    pub(crate) fn grouped(groups: Vec<Group>) -> Self {
        Self {
            groups,
            ..Self::default()
        }
    }

    /// Leaves out the fields with these names.
    pub(crate) fn leave_out(&mut self, names: &[&str]) {
        for group in &mut self.groups {
            group.fields.retain(|field| !names.contains(&&*field.name));
        }
    }

    /// The same form as it was typed.
    #[must_use]
    pub(crate) fn filled(mut self, form: &Form) -> Self {
        self.fields_mut().for_each(|field| field.fill(form));
        self
    }

    /// The same form as it was typed. If its address looks mistyped, it asks about that; sent again as it is, it is taken.
    #[must_use]
    pub(crate) fn asking(self, form: &Form) -> Self {
        let mut again = self.filled(form);
        let typed = form.value("email").map(str::to_owned);
        // What was asked about once is not asked about after another mistake.
        again.checked_email = form.value(CHECKED).map(str::to_owned);
        let Some(meant) = asked(form) else {
            return again;
        };
        again.checked_email = typed;
        let email = again.fields_mut().find(|field| field.name == "email");
        if let Some(field) = email {
            field.notice = Some(format!(
                "Did you mean {meant}? Correct it, or send it as it is."
            ));
            field.is_asked = true;
        }
        again
    }

    /// The same form as it was typed, with core's words about it: beside its fields, or above them.
    #[must_use]
    pub(crate) fn again(self, form: &Form, problem: &Problem) -> Self {
        let mut again = self.filled(form).refused(&problem.details);
        again.checked_email = form.value(CHECKED).map(str::to_owned);
        if problem.details.is_empty() {
            again.trouble = Some(sentence(problem));
        }
        again
    }

    /// The same form with core's words beside the fields.
    #[must_use]
    pub(crate) fn refused(mut self, violations: &[Violation]) -> Self {
        for violation in violations {
            self.note(violation);
        }
        self
    }

    /// One field, one message: the first says what to do.
    fn note(&mut self, violation: &Violation) {
        let found = self.fields_mut().find_map(|field| {
            let words = field.words(violation)?;
            Some((field, words))
        });
        let mistake = match found {
            Some((field, _)) if field.problem.is_some() => return,
            Some((field, words)) => {
                field.problem = Some(words.clone());
                let label = field.label.to_lowercase();
                let is_named = words.to_lowercase().contains(&label);
                Mistake {
                    target: field.id.clone(),
                    label: if is_named {
                        String::new()
                    } else {
                        field.label.clone()
                    },
                    message: words,
                }
            }
            None if violation.field == "active_events" => {
                self.trouble = Some(general(&violation.message));
                return;
            }
            // An answer to a question that the form does not have.
            None if violation.field.ends_with("].label") => {
                self.trouble = Some(QUESTIONS_CHANGED.to_owned());
                return;
            }
            None => Mistake {
                target: "form".to_owned(),
                label: String::new(),
                message: general(&violation.message),
            },
        };
        self.mistakes.push(mistake);
    }

    #[cfg(test)]
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field> {
        self.groups.iter().flat_map(|group| &group.fields)
    }

    pub(crate) fn fields_mut(&mut self) -> impl Iterator<Item = &mut Field> {
        self.groups.iter_mut().flat_map(|group| &mut group.fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldKind;

    fn model() -> FormModel {
        FormModel::of(vec![
            Field::line("title", "Title").value("Rust"),
            Field::line("custom_fields[1].label", "Question"),
            Field::paragraphs("custom_fields[1].options", "Options"),
            Field::tick("is_listed", "Listed").checked(true),
            Field::new(FieldKind::Select, "timezone", "Zone")
                .options([("UTC", "UTC"), ("Asia/Tokyo", "Tokyo")], &["UTC"]),
        ])
    }

    fn violation(field: &str, message: &str) -> Violation {
        Violation {
            field: field.to_owned(),
            message: message.to_owned(),
        }
    }

    #[test]
    fn what_was_typed_comes_back_also_what_was_emptied() {
        let form = Form::parse(b"custom_fields%5B1%5D.label=Diet&timezone=Asia%2FTokyo&title=");
        let model = model().filled(&form);
        let values: Vec<&str> = model.fields().map(|field| &*field.value).collect();
        assert_eq!(values, ["", "Diet", "", "", ""]);
        let ticked = model.fields().any(|field| field.is_checked);
        assert!(!ticked, "an unticked box is not sent");
        let zone = model.fields().last().unwrap();
        let chosen: Vec<bool> = zone.options.iter().map(|one| one.is_chosen).collect();
        assert_eq!(chosen, [false, true]);
    }

    #[test]
    fn words_of_core_stand_beside_the_field_that_they_mean() {
        let model = model().refused(&[
            violation("title", "must be 3 to 200 characters long, is 2"),
            violation("title", "must not be funny"),
            violation("custom_fields[1].options[2]", "must not come twice"),
            violation("custom_fields", "must have at most 20 items"),
        ]);
        let problems: Vec<_> = model
            .fields()
            .filter_map(|field| Some((&*field.id, field.problem.as_deref()?)))
            .collect();
        assert_eq!(
            problems,
            [
                ("title", "Use 3 to 200 characters. There are 2 now."),
                ("custom_fields-1-options", "Line 3: This is there twice."),
            ]
        );
        let targets: Vec<_> = model.mistakes.iter().map(|one| &*one.target).collect();
        assert_eq!(targets, ["title", "custom_fields-1-options", "form"]);
    }
}
