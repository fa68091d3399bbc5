//! Masks of partial updates.

use domain::{change::Change, violation::FieldViolation};
use prost_types::FieldMask;

/// The fields that a partial update changes: those in its mask, or without a mask those that are set.
pub(super) struct Mask {
    /// The fields in the mask that were not read yet.
    named: Option<Vec<String>>,
}

impl Mask {
    pub(super) fn read(mask: Option<FieldMask>) -> Self {
        // Clients in some languages send an empty mask instead of none.
        Self {
            named: mask
                .map(|mask| mask.paths)
                .filter(|paths| !paths.is_empty()),
        }
    }

    pub(super) fn change<T>(&mut self, field: &str, value: Option<T>) -> Change<T> {
        let is_named = self.named.as_mut().map(|named| {
            let before = named.len();
            named.retain(|name| name != field);
            named.len() < before
        });
        match (is_named, value) {
            (Some(false), _) | (None, None) => Change::Keep,
            (_, Some(value)) => Change::Set(value),
            (Some(true), None) => Change::Clear,
        }
    }

    /// Passes over a name that is no field of what changes.
    pub(super) fn pass_over(&mut self, name: &str) {
        self.change(name, Some(()));
    }

    /// What is wrong with the request, and with a field in the mask that an update cannot change.
    pub(super) fn with_unknown(self, mut mistakes: Vec<FieldViolation>) -> Vec<FieldViolation> {
        if let Some(name) = self.named.into_iter().flatten().next() {
            mistakes.push(FieldViolation {
                field: "update_mask".to_owned(),
                message: format!(
                    "must not name \"{name}\", which is not a field that can be changed"
                ),
            });
        }
        mistakes
    }
}
