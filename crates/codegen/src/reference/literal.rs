//! Values of JSON in the languages of the examples.

use serde_json::Value;

/// A value as Python writes it, over several lines if it is an object.
pub(super) fn python(value: &Value, indent: usize) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| python(item, indent)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let inner = " ".repeat(indent + 4);
            let lines: Vec<_> = fields
                .iter()
                .map(|(name, value)| format!("{inner}\"{name}\": {},\n", python(value, indent + 4)))
                .collect();
            format!("{{\n{}{}}}", lines.concat(), " ".repeat(indent))
        }
        // Strings and numbers of JSON are strings and numbers of Python.
        other => other.to_string(),
    }
}

/// A value as JSON, its own lines indented.
pub(super) fn json(value: &Value, indent: usize) -> String {
    // A value of JSON can be written.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}

/// A text within single quotes of a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_one_of_its_language() {
        let value = json!({"a": null, "b": [true, "it's"]});
        let expected = "{\n    \"a\": None,\n    \"b\": [True, \"it's\"],\n}";
        assert_eq!(python(&value, 0), expected);
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
