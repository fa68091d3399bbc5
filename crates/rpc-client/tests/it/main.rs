//! Calls to a toy core, over every transport and through every kind of failure.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod closing;
mod context;
mod core;
mod overload;
mod replicas;
mod settings;
mod tls;
