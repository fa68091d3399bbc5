//! A small API, generated from `proto/` as Muster's is from its own, and a core that serves the part of it with which edges are
//! tested: `ThingService`, and Muster's own `EdgeService`. What core does is up to the request's text ([`Toy`]). `BookService` and
//! `DeskService` have what else the generator supports; nobody serves them.

mod core;
#[cfg(target_os = "linux")]
mod program;
mod replica;

pub mod internal;
pub mod v1;

use muster_api::binding::{RpcVisitor, Visitor};

pub use core::{Toy, ToyFrame};
#[cfg(target_os = "linux")]
pub use program::{Program, free_port};
pub use replica::Replica;

/// The MCP tools, as `muster_api::TOOLS` has Muster's.
pub const TOOLS: &str = include_str!(concat!(env!("OUT_DIR"), "/toy.v1/tools.json"));

/// What an MCP server has besides its tools, as `muster_api::MCP` has Muster's.
pub const MCP: &str = include_str!(concat!(env!("OUT_DIR"), "/toy.v1/mcp.json"));

/// The credential that core takes.
pub const GOOD: &str = "Bearer good";

/// Shows every binding.
pub fn visit_bindings(visitor: &mut impl Visitor) {
    v1::bindings::visit_bindings(visitor);
}

/// Shows every public rpc.
pub fn visit_rpcs(visitor: &mut impl RpcVisitor) {
    v1::bindings::visit_rpcs(visitor);
}
