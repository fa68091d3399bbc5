//! Calling core: replicas, deadlines and credentials.

mod attempt;
mod changes;
mod channel;
mod client;
mod codec;
mod context;
mod endpoint;
mod exchange;
mod health;
mod identity;
mod method;
mod pool;
mod settings;
mod tls;

pub use changes::Changes;
pub(crate) use changes::Generation;
pub use client::{Core, File};
pub use context::Context;
pub use method::{EncodedRequest, RpcMethod};
pub use settings::{CoreSettings, CoreUrl};
