//! Calling core: replicas, retries, deadlines and credentials.
//!
//! [`Core`] is the client. A [`Context`] has the credential and the deadline of a request. No rpc is known by name:
//! [`muster_api::binding::Rpc`] has everything that a call needs.

mod attempt;
mod changes;
mod channel;
mod client;
mod context;
mod endpoint;
mod exchange;
mod health;
mod pool;
mod rpc;
mod settings;
mod tls;

pub use changes::{Changes, Generation};
pub use client::{Core, File};
pub use context::Context;
pub use rpc::{EncodedRequest, RpcMethod};
pub use settings::{CoreSettings, CoreUrl};
