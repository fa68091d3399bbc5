//! What is on the form: the fields, what was typed into them, and what core says is wrong.

use muster_api::{
    v1::{Answer, CustomField, RegisterAttendeeRequest},
    violation::Violation,
};

use crate::form::Form;

/// Shown when answers came that the event does not ask for: its questions changed while the form was open.
const CHANGED: &str = "The questions of this event have changed since you opened the form. Please look at them again.";

/// A filled form.
pub(crate) struct RegistrationForm {
    pub(crate) name: Input,
    pub(crate) email: Input,
    pub(crate) questions: Vec<Question>,
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) notice: Option<&'static str>,
    form: Form,
}

/// A field for a line of text.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) value: String,
    pub(crate) problem: Option<String>,
}

/// A question of the event, with its answer.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) label: String,
    pub(crate) kind: QuestionKind,
    pub(crate) required: bool,
    pub(crate) value: String,
    pub(crate) is_checked: bool,
    pub(crate) options: Vec<Choice>,
    pub(crate) problem: Option<String>,
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionKind {
    Text,
    Integer,
    Select,
    MultiSelect,
    Checkbox,
}

/// An option of a question.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) is_chosen: bool,
}

/// A mistake in the list above the form, which leads to its field.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) target: String,
    pub(crate) label: String,
    pub(crate) message: String,
}

impl RegistrationForm {
    /// The form of an event with these questions, filled like this.
    pub(crate) fn of(fields: &[CustomField], form: Form) -> Self {
        let input = |name| Input {
            value: raw(&form, name).next().unwrap_or_default().to_owned(),
            problem: None,
        };
        let questions = fields.iter().enumerate();
        Self {
            name: input("name"),
            email: input("email"),
            questions: questions
                .map(|(index, field)| Question::of(index, field, &form))
                .collect(),
            mistakes: Vec::new(),
            notice: None,
            form,
        }
    }

    /// What core is asked.
    pub(crate) fn request(&self, slug: &str) -> RegisterAttendeeRequest {
        RegisterAttendeeRequest {
            slug: slug.to_owned(),
            name: self.form.value("name").map(str::to_owned),
            email: self.form.value("email").map(str::to_owned),
            answers: self.answers(),
        }
    }

    /// An answer for each question in their order, so that core's words about one have its place, and then those that the event does
    /// not ask for, which core refuses.
    pub(crate) fn answers(&self) -> Vec<Answer> {
        let mut answers: Vec<Answer> = Vec::new();
        for question in &self.questions {
            answers.push(answer(&question.label, self.values(&question.name)));
        }
        for (name, _value) in self.form.fields() {
            let is_known = |question: &Question| question.name == name;
            let Some(label) = label(name).filter(|_| !self.questions.iter().any(is_known)) else {
                continue;
            };
            let is_new = !answers
                .iter()
                .any(|one| one.label.as_deref() == Some(label));
            if is_new {
                answers.push(answer(label, self.values(name)));
            }
        }
        answers
    }

    /// The same form with core's words beside the fields.
    pub(crate) fn refused(mut self, violations: &[Violation]) -> Self {
        for violation in violations {
            let message = violation.message.clone();
            let Some((target, label, problem)) = self.place(&violation.field) else {
                if violation.field.strip_suffix("].label").is_some() {
                    self.notice = Some(CHANGED);
                } else {
                    self.mistakes.push(Mistake {
                        target: "name".to_owned(),
                        label: "This form".to_owned(),
                        message,
                    });
                }
                continue;
            };
            // One field, one message: the first says what to do.
            if problem.is_none() {
                *problem = Some(message.clone());
                self.mistakes.push(Mistake {
                    target,
                    label,
                    message,
                });
            }
        }
        self
    }

    /// The field that a path of the API means: its id, its label, and where its problem is shown.
    fn place(&mut self, path: &str) -> Option<(String, String, &mut Option<String>)> {
        let named = |id: &str, label: &str| (id.to_owned(), label.to_owned());
        match path {
            "name" => {
                let (id, label) = named("name", "Name");
                Some((id, label, &mut self.name.problem))
            }
            "email" => {
                let (id, label) = named("email", "E-mail");
                Some((id, label, &mut self.email.problem))
            }
            _ => {
                let index = path.strip_prefix("answers[")?.split(']').next()?;
                let question = self.questions.get_mut(index.parse::<usize>().ok()?)?;
                let (id, label) = named(&question.id, &question.label);
                Some((id, label, &mut question.problem))
            }
        }
    }

    /// What was answered, without what was left empty. Browsers end lines with two characters.
    fn values(&self, name: &str) -> Vec<String> {
        let values = raw(&self.form, name).map(|value| value.replace("\r\n", "\n"));
        values.filter(|value| !value.trim().is_empty()).collect()
    }
}

impl Question {
    fn of(index: usize, field: &CustomField, form: &Form) -> Self {
        let label = field.label().to_owned();
        let name = format!("answers[{label}]");
        let given: Vec<&str> = raw(form, &name).collect();
        let choice = |value: &String| Choice {
            is_chosen: given.contains(&value.as_str()),
            value: value.clone(),
        };
        Self {
            id: format!("q{}", index + 1),
            kind: QuestionKind::of(field.field_type()),
            required: field.required(),
            value: given.first().copied().unwrap_or_default().to_owned(),
            is_checked: given.contains(&"true"),
            options: field.options.iter().map(choice).collect(),
            problem: None,
            label,
            name,
        }
    }
}

impl QuestionKind {
    fn of(field_type: &str) -> Self {
        match field_type {
            "integer" => Self::Integer,
            "select" => Self::Select,
            "multi_select" => Self::MultiSelect,
            "checkbox" => Self::Checkbox,
            // Also what a newer core may ask: core says what is valid.
            _ => Self::Text,
        }
    }
}

fn answer(label: &str, values: Vec<String>) -> Answer {
    let label = Some(label.to_owned());
    Answer { label, values }
}

/// The label in the name of a field, `answers[LABEL]`.
pub(crate) fn label(name: &str) -> Option<&str> {
    name.strip_prefix("answers[")?.strip_suffix(']')
}

/// The values of a field as they were sent.
fn raw<'f>(form: &'f Form, name: &str) -> impl Iterator<Item = &'f str> {
    form.fields()
        .filter(move |(key, _)| *key == name)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<CustomField> {
        let field = |label: &str, field_type: &str, options: &[&str]| CustomField {
            label: Some(label.to_owned()),
            field_type: Some(field_type.to_owned()),
            required: Some(true),
            options: options.iter().map(|&option| option.to_owned()).collect(),
        };
        vec![
            field("Diet", "text", &[]),
            field("Days [all]", "multi_select", &["Fri", "Sat", "Sun"]),
            field("I agree", "checkbox", &[]),
        ]
    }

    fn model(pairs: &[(&str, &str)]) -> RegistrationForm {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(pairs);
        RegistrationForm::of(&fields(), Form::parse(encoded.finish().as_bytes()))
    }

    #[test]
    fn every_question_has_an_answer_at_its_place() {
        let model = model(&[
            ("answers[Gone]", "x"),
            ("answers[Days [all]]", "Sun"),
            ("answers[Days [all]]", "Fri"),
            ("answers[Diet]", "a\r\nb"),
            ("name", " Ada "),
            ("email", ""),
            ("other", "x"),
        ]);
        let request = model.request("slug");
        let answers: Vec<_> = request
            .answers
            .iter()
            .map(|one| (one.label(), one.values.join("|")))
            .collect();
        assert_eq!(
            answers,
            [
                ("Diet", "a\nb".to_owned()),
                ("Days [all]", "Sun|Fri".to_owned()),
                ("I agree", String::new()),
                ("Gone", "x".to_owned())
            ]
        );
        assert_eq!(
            (request.name.as_deref(), request.email),
            (Some("Ada"), None)
        );
    }

    #[test]
    fn words_of_core_stand_beside_their_fields_and_what_was_typed_stays() {
        let model = model(&[
            ("answers[Days [all]]", "Sat"),
            ("email", "ada@"),
            ("name", "Ada"),
        ]);
        let violation = |field: &str, message: &str| Violation {
            field: field.to_owned(),
            message: message.to_owned(),
        };
        let model = model.refused(&[
            violation("email", "must be an address"),
            violation("answers[1].values[0]", "must be an option"),
            violation("answers[1].values", "must not come twice"),
            violation("answers[3].label", "must be one that the event asks for"),
            violation("answers", "must have at most 20 items"),
        ]);
        assert_eq!(model.email.problem.as_deref(), Some("must be an address"));
        assert_eq!((&*model.email.value, &*model.name.value), ("ada@", "Ada"));
        let days = &model.questions[1];
        assert_eq!(days.problem.as_deref(), Some("must be an option"));
        let chosen: Vec<_> = days.options.iter().map(|one| one.is_chosen).collect();
        assert_eq!(chosen, [false, true, false]);
        assert_eq!(model.notice, Some(CHANGED));
        let listed: Vec<_> = model.mistakes.iter().map(|one| &*one.target).collect();
        assert_eq!(listed, ["email", "q2", "name"]);
    }
}
