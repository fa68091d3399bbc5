//! The binary.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod start;
