//! Violations of rules, field by field, so that a client can correct all of them at once.

pub use muster_api::{
    validation::Checked,
    violation::{Violation as FieldViolation, Violations},
};
