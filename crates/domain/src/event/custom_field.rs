//! Questions to registrants (rule 18 of docs/rules.md).

use std::collections::HashSet;

use super::FieldId;
use crate::{names::names, violation::Violations};

/// A question to registrants.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "StoredField")]
pub struct CustomField {
    /// Its identity. Only requests may have none.
    pub id: Option<FieldId>,
    /// The question, unique within its event.
    pub label: String,
    /// The type of its answers.
    pub field_type: FieldType,
    /// Whether it must be answered.
    pub required: bool,
    /// The choices of `select` and `multi_select`.
    pub options: Vec<String>,
}

/// A question as it is stored. What was stored before questions had identities has one by its label.
#[derive(serde::Deserialize)]
struct StoredField {
    id: Option<FieldId>,
    label: String,
    field_type: FieldType,
    required: bool,
    options: Vec<String>,
}

impl From<StoredField> for CustomField {
    fn from(stored: StoredField) -> Self {
        let id = stored.id;
        Self {
            id: Some(id.unwrap_or_else(|| FieldId::of_label(&stored.label))),
            label: stored.label,
            field_type: stored.field_type,
            required: stored.required,
            options: stored.options,
        }
    }
}

names! {
    /// The type of a question's answers.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    FieldType / UnknownFieldType: "must be text, integer, select, multi_select or checkbox" {
        /// Any text.
        Text = "text",
        /// A whole number.
        Integer = "integer",
        /// One of the options.
        Select = "select",
        /// Any of the options.
        MultiSelect = "multi_select",
        /// Yes or no.
        Checkbox = "checkbox",
    }
}

impl CustomField {
    /// Checks an event's questions. The proto limits their number and length.
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
        let offers_choices = matches!(self.field_type, FieldType::Select | FieldType::MultiSelect);
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
            id: None,
            label: label.to_owned(),
            field_type: field_type.parse().unwrap(),
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
    fn a_type_is_stored_by_its_name_and_no_other_is_read() {
        for field_type in FieldType::ALL {
            let stored = serde_json::to_value(field_type).unwrap();
            assert_eq!(stored, field_type.name());
            assert_eq!(field_type.name().parse(), Ok(field_type));
        }
        assert_eq!("Text".parse::<FieldType>(), Err(UnknownFieldType));
        assert!(serde_json::from_str::<FieldType>("\"date\"").is_err());
    }

    #[test]
    fn labels_and_options_are_unique() {
        let fields = [field("Diet", "text", &[]), field("Diet ", "text", &[])];
        assert_eq!(blamed(&fields), ["custom_fields[1].label"]);
        let fields = [field("Diet", "select", &["a", "b", "a"])];
        assert_eq!(blamed(&fields), ["custom_fields[0].options[2]"]);
    }
}
