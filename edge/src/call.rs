//! Calling core: which replica, by when, on whose behalf.

mod attempt;
mod client;
mod context;
mod endpoint;
mod health;
mod identity;
mod messages;
mod pool;
mod settings;

pub use client::{Core, File};
pub use context::Context;
pub use messages::Messages;
pub use settings::{CoreSettings, CoreUrl};
