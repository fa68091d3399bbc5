//! Muster's API contract as Rust: the messages, services, validation, bindings and documents that `codegen` makes from
//! `proto/`, and the small framework-free runtime that they need.

pub mod binding;
pub mod http_body;
pub mod json;
pub mod metadata;
pub mod status;
pub mod v1;
pub mod validation;

pub use v1::{bindings::visit_bindings, reasons::Reason, services::access};

/// Every message and service as a `google.protobuf.FileDescriptorSet`, for server reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// The OpenAPI 3.1.0 document of the HTTP routes, as JSON.
pub const OPENAPI: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The MCP tools, as a JSON array. Each has `tool`, its definition as `tools/list` answers it; `grpc_path`, the rpc to call;
/// `access` (`public`, `bearer` or `paid`); and, when a person has to confirm it, `confirmation` with the `grpc_path` of
/// the rpc that previews it and the `question`, `{field}` in which stands for a field of the preview's answer.
pub const TOOLS: &str = include_str!(concat!(env!("OUT_DIR"), "/tools.json"));
