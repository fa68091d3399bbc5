//! Muster's API contract as Rust: the messages, services, validation, bindings and documents that `codegen` makes from
//! `proto/`, and the small framework-free runtime that they need.

pub mod binding;
