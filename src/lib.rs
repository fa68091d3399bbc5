//! Muster's API contract as Rust: the messages, services, validation, bindings and documents that `codegen` generates from
//! `proto/`, and the small runtime that they need.

pub mod binding;
pub mod closed_set;
pub mod deadline;
pub mod email;
pub mod entity_tag;
pub mod frame;
pub mod http_body;
pub mod idempotency_key;
pub mod internal;
pub mod json;
pub mod metadata;
pub mod reference;
pub mod status;
pub mod v1;
pub mod validation;
pub mod violation;

pub use closed_set::{Scope, WebhookType};
pub use internal::v1::bindings::visit_rpcs as visit_internal_rpcs;
pub use v1::{
    bindings::{visit_bindings, visit_rpcs},
    reasons::Reason,
};

/// The access rule of the rpc at a gRPC path, in any package; `None` if there is no such rpc.
pub fn access(grpc_path: &str) -> Option<binding::AccessRule> {
    v1::services::access(grpc_path).or_else(|| internal::v1::services::access(grpc_path))
}

/// Every public message and service as a `google.protobuf.FileDescriptorSet`, for server reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/muster.v1/descriptors.bin"));

/// The OpenAPI 3.1.0 document of the HTTP routes, as JSON. In it, [`EXAMPLE_URL`] stands for the public URL of the instance.
pub const OPENAPI: &str = include_str!(concat!(env!("OUT_DIR"), "/muster.v1/openapi.json"));

/// The same as YAML.
pub const OPENAPI_YAML: &str = include_str!(concat!(env!("OUT_DIR"), "/muster.v1/openapi.yaml"));

/// The same as OpenAPI 3.0.3, in JSON.
pub const OPENAPI_3_0: &str = include_str!(concat!(env!("OUT_DIR"), "/muster.v1/openapi-3.0.json"));

/// The public URL in the documents.
pub const EXAMPLE_URL: &str = "https://muster.example";

/// The MCP tools, as a JSON array. Each has `tool`, its definition as `tools/list` answers it; `grpc_path`, the rpc to call; for a partial update `updates`, the fields that it may name; and, when a person has
/// to confirm it, `confirmation`: the `grpc_path` of the rpc that previews it, the arguments that this one `takes`, the
/// `question`, `{field}` in which stands for a field of the preview's answer, and `unless`, the field that is true when there is
/// nothing left to confirm.
pub const TOOLS: &str = include_str!(concat!(env!("OUT_DIR"), "/muster.v1/tools.json"));

/// What an MCP server has besides its tools, as JSON: `name`, `title`, `version`, `instructions`; `resources`, each with the
/// `grpc_path` of the rpc that reads it, the answer's field that is its `text` (if it is not the whole answer), its `template` as
/// `resources/templates/list` answers it, and the `list` rpc, if any; `prompts`, each with its `prompt` as `prompts/list` answers
/// it, and its `text`.
pub const MCP: &str = include_str!(concat!(env!("OUT_DIR"), "/muster.v1/mcp.json"));
