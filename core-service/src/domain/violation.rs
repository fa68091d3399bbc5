//! Violations of rules, field by field, so that a client can correct all of them at once.

/// One rule that one field breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldViolation {
    /// The field's path as in the request, for example `custom_fields[2].label`.
    pub field: String,
    /// What is valid, for example `must not be null`.
    pub message: String,
}

/// Collects violations while input is read.
#[derive(Debug, Default)]
pub struct Violations(Vec<FieldViolation>);

impl Violations {
    /// Adds a violation. `message` says what is valid.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.0.push(FieldViolation {
            field: field.into(),
            message: message.into(),
        });
    }

    /// The value, or `None` and a violation of `field`.
    pub fn check<T, E: ToString>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        result
            .map_err(|error| self.add(field, error.to_string()))
            .ok()
    }

    /// `value`, unless there are violations.
    pub fn unless_any<T>(self, value: Option<T>) -> Result<T, Vec<FieldViolation>> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self.0),
        }
    }
}
