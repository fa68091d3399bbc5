//! Calling core: replicas, deadlines and credentials.

mod attempt;
mod client;
mod context;
mod endpoint;
mod health;
mod identity;
mod messages;
mod pool;
mod settings;
mod wire;

pub use client::{Core, File};
pub use context::Context;
pub use messages::Messages;
pub use settings::{CoreSettings, CoreUrl};
