//! The gateway at the HTTP level, in front of a toy core: it knows no rpc by name.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod body;
mod client;
mod credentials;
mod documents;
mod failures;
mod parameters;
mod paths;
#[cfg(target_os = "linux")]
mod replacing;
mod slow;
mod start;
