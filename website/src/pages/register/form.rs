//! The fields of a registration: the questions of its event, and their answers.

use muster_api::v1::{Answer, CustomField};

use crate::{
    field::{Field, FieldKind, FormModel, Group},
    form::Form,
};

/// The form of an event: what everyone is asked, and its own questions.
pub(crate) fn model(everyone: Vec<Field>, questions: &[CustomField]) -> FormModel {
    let questions = questions.iter().enumerate();
    let questions = questions.map(|(index, one)| question(index, one));
    FormModel::grouped(vec![Group::of(everyone), Group::of(questions.collect())])
}

fn question(index: usize, question: &CustomField) -> Field {
    let label = question.label();
    let kind = match question.field_type() {
        "integer" => FieldKind::Number,
        "select" => FieldKind::Select,
        "multi_select" => FieldKind::Ticks,
        "checkbox" => FieldKind::Tick,
        // Also what a newer core may ask: core says what is valid.
        _ => FieldKind::Paragraphs,
    };
    let options = question.options.iter().map(|one| (&**one, &**one));
    Field {
        id: format!("q{}", index + 1),
        path: format!("answers[{index}]"),
        is_required: question.required(),
        ..Field::new(kind, &name(label), label).options(options, &[])
    }
}

/// An answer for each question in their order, so that core's words about one have its index, and then those that the event does
/// not ask for, which core refuses.
pub(crate) fn answers(questions: &[CustomField], form: &Form) -> Vec<Answer> {
    let asked = questions.iter().map(CustomField::label);
    let sent = form.fields().filter_map(|(name, _value)| label(name));
    let mut answers: Vec<Answer> = Vec::new();
    for label in asked.chain(sent) {
        if answers.iter().all(|one| one.label() != label) {
            answers.push(Answer {
                label: Some(label.to_owned()),
                values: values(form, label),
                field_id: None,
            });
        }
    }
    answers
}

/// What was answered, without what was left empty. Browsers end lines with two characters.
fn values(form: &Form, label: &str) -> Vec<String> {
    let name = name(label);
    let values = form.values(&name).map(|value| value.replace("\r\n", "\n"));
    values.filter(|value| !value.trim().is_empty()).collect()
}

/// The name of the field for an answer.
pub(crate) fn name(label: &str) -> String {
    format!("answers[{label}]")
}

/// The label in the name of a field, `answers[LABEL]`.
pub(crate) fn label(name: &str) -> Option<&str> {
    name.strip_prefix("answers[")?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use muster_api::violation::Violation;

    use super::*;

    fn questions() -> Vec<CustomField> {
        let field = |label: &str, field_type: &str, options: &[&str]| CustomField {
            id: None,
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

    fn form(pairs: &[(&str, &str)]) -> Form {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(pairs);
        Form::parse(encoded.finish().as_bytes())
    }

    #[test]
    fn every_question_has_an_answer_at_its_index() {
        let form = form(&[
            ("answers[Gone]", "x"),
            ("answers[Days [all]]", "Sun"),
            ("answers[Days [all]]", "Fri"),
            ("answers[Diet]", "a\r\nb"),
            ("name", " Ada "),
            ("other", "x"),
        ]);
        let answers = answers(&questions(), &form);
        let answers: Vec<_> = answers
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
    }

    #[test]
    fn words_of_core_stand_beside_their_fields_and_what_was_typed_stays() {
        let everyone = vec![Field::line("name", "Name"), Field::email("email", "Email")];
        let typed = form(&[
            ("answers[Days [all]]", "Sat"),
            ("email", "ada@"),
            ("name", "Ada"),
        ]);
        let violation = |field: &str, message: &str| Violation {
            field: field.to_owned(),
            message: message.to_owned(),
        };
        let model = model(everyone, &questions()).filled(&typed).refused(&[
            violation("email", "must be an address"),
            violation("answers[1].values[0]", "must be an option"),
            violation("answers[1].values", "must not come twice"),
            violation("answers[3].label", "must be one that the event asks for"),
            violation("answers", "must have at most 20 items"),
        ]);
        let fields: Vec<_> = model.fields().collect();
        let email = fields[1];
        assert_eq!(email.problem.as_deref(), Some("Must be an address."));
        assert_eq!((&*email.value, &*fields[0].value), ("ada@", "Ada"));
        let days = fields[3];
        assert_eq!(days.problem.as_deref(), Some("Must be an option."));
        let chosen: Vec<_> = days.options.iter().map(|one| one.is_chosen).collect();
        assert_eq!(chosen, [false, true, false]);
        assert!(model.trouble.unwrap().contains("have changed"));
        let listed: Vec<_> = model.mistakes.iter().map(|one| &*one.target).collect();
        assert_eq!(listed, ["email", "q2", "form"]);
    }
}
