//! Calling core: replicas, deadlines and credentials.

mod attempt;
mod callee;
mod client;
mod context;
mod endpoint;
mod exchange;
mod health;
mod http2;
mod identity;
mod line;
mod messages;
mod pool;
mod settings;
mod tls;
mod wire;

pub use callee::{Callee, Question};
pub use client::{Core, File};
pub use context::Context;
pub use messages::Messages;
pub use settings::{CoreSettings, CoreUrl};
