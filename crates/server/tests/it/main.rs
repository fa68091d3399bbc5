//! How Muster's binaries start, serve and stop.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accepting;
mod connections;
mod metrics;
mod observe;
mod serve;
mod settings;
mod tcp;
