//! The change of one field in a partial update.

use super::violation::Violations;

/// Keep, clear or set: JSON's absent, `null` and a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The field is absent.
    #[default]
    Keep,
    /// The field is null.
    Clear,
    /// The field has a value.
    Set(T),
}

impl<T> Change<T> {
    /// Whether the field is absent.
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// Changes a field that always has a value; clearing it is a violation.
    pub fn write(self, value: &mut T, field: &str, violations: &mut Violations) {
        match self {
            Self::Keep => {}
            Self::Clear => violations.add(field, "must not be null"),
            Self::Set(new) => *value = new,
        }
    }

    /// Changes a field that may have no value.
    pub fn write_optional(self, value: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *value = None,
            Self::Set(new) => *value = Some(new),
        }
    }
}
