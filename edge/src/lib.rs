//! The common part of all surfaces in front of core.
//!
//! [`call`] calls core: [`Core`] is the client, [`Context`] has credential and deadline. [`Problem`] is an error for clients.
//! [`read_json`] parses JSON requests. [`http`] is the common part of HTTP surfaces; a [`http::Surface`] has the settings of
//! one. [`memory`] keeps answers about the public catalogue. No rpc is known by name: [`muster_api::binding::Rpc`] has everything that a call needs.

pub mod call;
mod check;
pub mod http;
mod json;
pub mod memory;
mod problem;

pub use call::{Context, Core, CoreSettings, EncodedRequest, File, Messages, RpcMethod};
pub use check::{CheckCredential, Checked, check_credential};
pub use json::{read_json, read_value, write_answer};
pub use memory::{Memory, MemoryOptions, MemorySettings};
pub use problem::Problem;
