//! Registrants' answers to an event's questions.

use std::collections::{HashMap, HashSet};

use crate::{
    event::{CustomField, FieldId, FieldType},
    violation::{FieldViolation, Violations},
};

/// An answer to one custom field. An empty list of values is no answer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// The identity of the field. Answers that were stored before fields had one belong to the field of their label then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_id: Option<FieldId>,
    /// The field's label.
    pub label: String,
    /// What was answered: several values for a `multi_select`, else one.
    pub values: Vec<String>,
}

impl Answer {
    /// Whether it belongs to a field.
    pub fn is_to(&self, field: &CustomField) -> bool {
        match &self.field_id {
            Some(id) => field.id.as_ref() == Some(id),
            None => field.id == Some(FieldId::of_label(&self.label)),
        }
    }

    /// Stored answers as they are shown: in the order of the event's questions and with the labels that these have now, then those to
    /// questions that the event no longer asks.
    pub fn current(answers: Vec<Self>, fields: &[CustomField]) -> Vec<Self> {
        let mut placed: Vec<(usize, Self)> = answers
            .into_iter()
            .map(|answer| {
                let place = fields.iter().position(|field| answer.is_to(field));
                match place.and_then(|at| Some((at, fields.get(at)?))) {
                    Some((at, field)) => (at, answer.to(field)),
                    None => (fields.len(), answer),
                }
            })
            .collect();
        // Stable, so earlier ones stay in their order.
        placed.sort_by_key(|(place, _)| *place);
        placed.into_iter().map(|(_, answer)| answer).collect()
    }

    fn to(self, field: &CustomField) -> Self {
        Self {
            field_id: field.id.clone(),
            label: field.label.clone(),
            ..self
        }
    }
}

/// The answers in the order of the questions and in normal form (`+7` is `7`), without the missing ones. Violations name the
/// field's label. The proto limits lengths and control characters.
pub fn check_answers(
    fields: &[CustomField],
    answers: Vec<Answer>,
) -> Result<Vec<Answer>, Vec<FieldViolation>> {
    let mut violations = Violations::default();
    let mut given = by_label(fields, answers, &mut violations);
    let mut checked = Vec::new();
    for field in fields {
        let (path, values) = given
            .remove(field.label.trim())
            .unwrap_or_else(|| ("answers".to_owned(), Vec::new()));
        let values = if values.is_empty() {
            Ok(values)
        } else {
            field.normalised(values)
        };
        match values {
            Ok(values) if !values.is_empty() => checked.push(Answer {
                field_id: field.id.clone(),
                label: field.label.clone(),
                values,
            }),
            Ok(_) if field.required => {
                violations.add(path, format!("must have an answer to \"{}\"", field.label));
            }
            Ok(_) => {}
            Err(message) => violations.add(path, format!("{message} for \"{}\"", field.label)),
        }
    }
    violations.unless_any(Some(checked))
}

/// Values by the label of their field, each with its path in the request. A field is named by its identity, or by its label; labels are
/// compared without surrounding spaces, as when their uniqueness is checked.
fn by_label<'a>(
    fields: &'a [CustomField],
    answers: Vec<Answer>,
    violations: &mut Violations,
) -> HashMap<&'a str, (String, Vec<String>)> {
    let mut given = HashMap::new();
    for (index, answer) in answers.into_iter().enumerate() {
        let label = answer.label.trim();
        let by_id = |field: &&CustomField| answer.field_id.is_some() && answer.field_id == field.id;
        let by_label = |field: &&CustomField| field.label.trim() == label;
        let found = fields.iter().find(by_id);
        let Some(field) = found.or_else(|| fields.iter().find(by_label)) else {
            let message = if fields.is_empty() {
                "must be left out: the event asks no questions".to_owned()
            } else {
                let asked = fields.iter().map(|field| field.label.trim());
                format!(
                    "must be one that the event asks for, {}, is \"{label}\"",
                    for_example(asked)
                )
            };
            violations.add(format!("answers[{index}].label"), message);
            continue;
        };
        let place = format!("answers[{index}].values");
        if given
            .insert(field.label.trim(), (place, answer.values))
            .is_some()
        {
            let message = format!("must not come twice, and \"{label}\" does");
            violations.add(format!("answers[{index}].label"), message);
        }
    }
    given
}

/// The first few: an answer that listed all of them for each mistake would be long.
fn for_example<'a>(choices: impl Iterator<Item = &'a str>) -> String {
    const EXAMPLES: usize = 3;
    let quoted: Vec<_> = choices
        .take(EXAMPLES)
        .map(|one| format!("\"{one}\""))
        .collect();
    format!("for example {}", quoted.join(" or "))
}

impl CustomField {
    /// The values in normal form, or a message that says what is valid.
    fn normalised(&self, values: Vec<String>) -> Result<Vec<String>, String> {
        let field_type = self.field_type;
        if field_type == FieldType::MultiSelect {
            return self.some_options(&values);
        }
        let [value] = values.as_slice() else {
            return Err("must have one value".to_owned());
        };
        match field_type {
            FieldType::Integer => {
                let number: i64 = value
                    .trim()
                    .parse()
                    .map_err(|_| "must be an integer".to_owned())?;
                Ok(vec![number.to_string()])
            }
            FieldType::Select => Ok(vec![self.option(value)?]),
            FieldType::Checkbox => match value.as_str() {
                // A required checkbox must be checked; an unchecked one is no answer.
                "false" if self.required => Err("must be true".to_owned()),
                "true" | "false" => Ok(values),
                _ => Err("must be true or false".to_owned()),
            },
            FieldType::Text | FieldType::MultiSelect => Ok(values),
        }
    }

    fn some_options(&self, values: &[String]) -> Result<Vec<String>, String> {
        let mut chosen = HashSet::new();
        for value in values {
            if !chosen.insert(self.option(value)?) {
                return Err(format!("must not have \"{value}\" twice"));
            }
        }
        let kept = self
            .options
            .iter()
            .filter(|option| chosen.contains(*option));
        Ok(kept.cloned().collect())
    }

    /// The option that a value names.
    fn option(&self, value: &str) -> Result<String, String> {
        let same = |option: &&String| option.trim() == value.trim();
        let found = self.options.iter().find(same);
        found.cloned().ok_or_else(|| {
            let options = self.options.iter().map(|option| option.trim());
            format!("must be one of its options, {},", for_example(options))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(label: &str, field_type: &str, required: bool, options: &[&str]) -> CustomField {
        CustomField {
            id: Some(FieldId::of_label(label)),
            label: label.to_owned(),
            field_type: field_type.parse().unwrap(),
            required,
            options: options.iter().map(|&option| option.to_owned()).collect(),
        }
    }

    fn answer(label: &str, values: &[&str]) -> Answer {
        Answer {
            field_id: Some(FieldId::of_label(label)),
            label: label.to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        }
    }

    #[track_caller]
    fn refused(fields: &[CustomField], answers: Vec<Answer>, field: &str, message: &str) {
        let found = check_answers(fields, answers).unwrap_err();
        let expected = FieldViolation {
            field: field.to_owned(),
            message: message.to_owned(),
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn answers_are_kept_in_the_order_of_the_questions_and_in_one_form() {
        let fields = [
            field("Employer", "text", false, &[]),
            field("Age", "integer", true, &[]),
            field("Size", "select", true, &["S", "M "]),
            field(
                "Days",
                "multi_select",
                false,
                &["Friday", "Saturday", "Sunday"],
            ),
            field("Newsletter", "checkbox", false, &[]),
        ];
        let given = vec![
            answer("Days", &["Sunday", "Friday"]),
            answer("Newsletter", &["false"]),
            answer(" Size ", &["M"]),
            answer("Age", &[" +42 "]),
            answer("Employer", &[]),
        ];
        let kept = [
            answer("Age", &["42"]),
            answer("Size", &["M "]),
            answer("Days", &["Friday", "Sunday"]),
            answer("Newsletter", &["false"]),
        ];
        assert_eq!(check_answers(&fields, given).unwrap(), kept);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_label() {
        let age = [field("Age", "integer", false, &[])];
        refused(
            &age,
            vec![answer("Age", &["4.5"])],
            "answers[0].values",
            "must be an integer for \"Age\"",
        );
        refused(
            &age,
            vec![answer("Age", &["1", "2"])],
            "answers[0].values",
            "must have one value for \"Age\"",
        );
        let size = [field("Size", "select", false, &["S", "M"])];
        refused(
            &size,
            vec![answer("Size", &["XL"])],
            "answers[0].values",
            "must be one of its options, for example \"S\" or \"M\", for \"Size\"",
        );
        let days = [field("Days", "multi_select", false, &["Fri", "Sat"])];
        refused(
            &days,
            vec![answer("Days", &["Fri", "Mon"])],
            "answers[0].values",
            "must be one of its options, for example \"Fri\" or \"Sat\", for \"Days\"",
        );
        refused(
            &days,
            vec![answer("Days", &["Fri", "Fri"])],
            "answers[0].values",
            "must not have \"Fri\" twice for \"Days\"",
        );
        let rules = [field("Rules", "checkbox", true, &[])];
        refused(
            &rules,
            vec![answer("Rules", &["yes"])],
            "answers[0].values",
            "must be true or false for \"Rules\"",
        );
        refused(
            &rules,
            vec![answer("Rules", &["false"])],
            "answers[0].values",
            "must be true for \"Rules\"",
        );
    }

    #[test]
    fn what_must_be_answered_and_is_not_is_refused_with_the_label() {
        let age = [field("Age", "integer", true, &[])];
        refused(&age, vec![], "answers", "must have an answer to \"Age\"");
        refused(
            &age,
            vec![answer("Age", &[])],
            "answers[0].values",
            "must have an answer to \"Age\"",
        );
    }

    #[test]
    fn what_was_not_asked_or_comes_twice_is_refused() {
        let fields = [field("Diet", "text", false, &[])];
        let message = "must be one that the event asks for, for example \"Diet\", is \"Shoes\"";
        refused(
            &fields,
            vec![answer("Shoes", &["44"])],
            "answers[0].label",
            message,
        );
        let message = "must be left out: the event asks no questions";
        refused(
            &[],
            vec![answer("Diet", &["vegan"])],
            "answers[0].label",
            message,
        );
        let twice = vec![answer("Diet", &["vegan"]), answer("Diet", &["none"])];
        refused(
            &fields,
            twice,
            "answers[1].label",
            "must not come twice, and \"Diet\" does",
        );
    }
}
