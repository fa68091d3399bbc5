//! What a partial update says of one field.

use super::violation::Violations;

/// Keep, clear or set: JSON's absent, `null` and a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The field was not mentioned.
    #[default]
    Keep,
    /// The field was set to nothing.
    Clear,
    /// The field was set.
    Set(T),
}

impl<T> Change<T> {
    /// Whether the field was not mentioned.
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// The value of a field that always has one; clearing it is a violation.
    pub fn of_required(self, kept: T, field: &str, violations: &mut Violations) -> T {
        match self {
            Self::Keep => kept,
            Self::Clear => {
                violations.add(field, "must not be null");
                kept
            }
            Self::Set(value) => value,
        }
    }

    /// The value of a field that may have none.
    pub fn of_optional(self, kept: Option<T>) -> Option<T> {
        match self {
            Self::Keep => kept,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }
}
