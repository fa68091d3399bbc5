//! What every HTTP surface has in common, on a toy surface.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client_address;
mod credential;
mod problem;
mod response_cache;
