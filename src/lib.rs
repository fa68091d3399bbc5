//! Muster's API contract as Rust: the messages, services, validation, bindings and documents that `codegen` makes from
//! `proto/`, and the small framework-free runtime that they need.

pub mod binding;
pub mod http_body;
pub mod json;
pub mod status;
pub mod v1;
pub mod validation;

pub use v1::{bindings::visit_bindings, reasons::Reason, services::access};

/// Every message and service as a `google.protobuf.FileDescriptorSet`, for server reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
