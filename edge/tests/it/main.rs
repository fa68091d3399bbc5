//! Calls to a toy core, over every transport and through every kind of failure.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod client_address;
mod closing;
mod context;
mod core;
mod overload;
mod problem;
mod replicas;
mod response_cache;
mod settings;
mod tls;
