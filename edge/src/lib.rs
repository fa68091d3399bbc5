//! How every edge calls core: which replica, by when, on whose behalf, and what a failure means to a client.
//!
//! [`Core`] makes the calls, [`Context`] says for whom and by when, [`Problem`] is what a client is told when one fails.
//! [`read_json`] reads requests that come as JSON. Nothing here knows an rpc by name: [`muster_api::binding::Rpc`] says all that
//! a call needs.

mod attempt;
mod check;
mod client_address;
mod context;
mod core;
mod credential;
mod endpoint;
mod health;
mod identity;
mod json;
mod pool;
mod problem;
mod settings;

pub use crate::core::{Core, File};
pub use check::{CheckCredential, check_credential};
pub use client_address::{ProxySettings, TrustedProxies};
pub use context::Context;
pub use credential::require_bearer;
pub use json::{read_json, read_value};
pub use problem::{Problem, RateLimit};
pub use settings::CoreSettings;
