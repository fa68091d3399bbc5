//! Calling core: replicas, deadlines and credentials.

mod attempt;
mod channel;
mod client;
mod codec;
mod context;
mod endpoint;
mod exchange;
mod health;
mod identity;
mod messages;
mod method;
mod pool;
mod settings;
mod tls;

pub use client::{Core, File};
pub use context::Context;
pub use messages::Messages;
pub use method::{EncodedRequest, RpcMethod};
pub use settings::{CoreSettings, CoreUrl};
