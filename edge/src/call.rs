//! Calling core: replicas, deadlines and credentials.

mod attempt;
mod callee;
mod changes;
mod client;
mod context;
mod endpoint;
mod exchange;
mod health;
mod http2;
mod identity;
mod line;
mod pool;
mod settings;
mod tls;
mod wire;

pub use callee::{Callee, Question};
pub use changes::Changes;
pub(crate) use changes::Generation;
pub use client::{Core, File};
pub use context::Context;
pub use settings::{CoreSettings, CoreUrl};
