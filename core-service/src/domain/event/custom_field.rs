//! Questions to registrants (rule 18 of docs/rules.md).

use std::collections::HashSet;

use crate::domain::violation::Violations;

/// A question to registrants.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CustomField {
    /// The question, unique within its event.
    pub label: String,
    /// `text`, `integer`, `select`, `multi_select` or `checkbox`.
    pub field_type: String,
    /// Whether it must be answered.
    pub required: bool,
    /// The choices of `select` and `multi_select`.
    pub options: Vec<String>,
}

/// What kind of answer a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// Any text.
    Text,
    /// A whole number.
    Integer,
    /// One of the options.
    Select,
    /// Any of the options.
    MultiSelect,
    /// Yes or no.
    Checkbox,
}

impl FieldType {
    /// The type of a field. The proto lets no other names in; should one be stored nevertheless, its answers are texts.
    pub fn of(field: &CustomField) -> Self {
        match field.field_type.as_str() {
            "integer" => Self::Integer,
            "select" => Self::Select,
            "multi_select" => Self::MultiSelect,
            "checkbox" => Self::Checkbox,
            _ => Self::Text,
        }
    }
}

impl CustomField {
    /// Checks what an event asks its registrants; the proto has limited how much and how long.
    pub(super) fn check_all(fields: &[Self], violations: &mut Violations) {
        let mut labels = HashSet::new();
        for (index, field) in fields.iter().enumerate() {
            let path = format!("custom_fields[{index}]");
            if !labels.insert(field.label.trim()) {
                violations.add(
                    format!("{path}.label"),
                    "must be unique among the event's labels",
                );
            }
            field.check_options(&format!("{path}.options"), violations);
        }
    }

    fn check_options(&self, path: &str, violations: &mut Violations) {
        let offers_choices = matches!(
            FieldType::of(self),
            FieldType::Select | FieldType::MultiSelect
        );
        if offers_choices == self.options.is_empty() {
            let message = if offers_choices {
                "must have at least one item when field_type is select or multi_select"
            } else {
                "must be empty unless field_type is select or multi_select"
            };
            violations.add(path, message);
        }
        let mut options = HashSet::new();
        for (index, option) in self.options.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if !options.insert(option.trim()) {
                violations.add(path, "must be unique among the field's options");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(label: &str, field_type: &str, options: &[&str]) -> CustomField {
        CustomField {
            label: label.to_owned(),
            field_type: field_type.to_owned(),
            required: false,
            options: options.iter().map(|&option| option.to_owned()).collect(),
        }
    }

    fn blamed(fields: &[CustomField]) -> Vec<String> {
        let mut violations = Violations::default();
        CustomField::check_all(fields, &mut violations);
        let found = violations.unless_any(None::<()>).unwrap_err();
        found.into_iter().map(|one| one.field).collect()
    }

    #[test]
    fn each_type_takes_the_options_that_it_needs() {
        assert!(
            blamed(&[
                field("Diet", "select", &["none", "vegan"]),
                field("Days", "multi_select", &["Friday"]),
                field("Age", "integer", &[]),
                field("Employer", "text", &[]),
                field("Newsletter", "checkbox", &[]),
            ])
            .is_empty()
        );
        for field_type in ["text", "integer", "checkbox"] {
            let fields = [field("Diet", field_type, &["none"])];
            assert_eq!(blamed(&fields), ["custom_fields[0].options"]);
        }
        for field_type in ["select", "multi_select"] {
            let fields = [field("Diet", field_type, &[])];
            assert_eq!(blamed(&fields), ["custom_fields[0].options"]);
        }
    }

    #[test]
    fn labels_and_options_are_unique() {
        let fields = [field("Diet", "text", &[]), field("Diet ", "text", &[])];
        assert_eq!(blamed(&fields), ["custom_fields[1].label"]);
        let fields = [field("Diet", "select", &["a", "b", "a"])];
        assert_eq!(blamed(&fields), ["custom_fields[0].options[2]"]);
    }
}
