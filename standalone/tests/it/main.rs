//! The surfaces side by side, in front of a core that is not there: what they have in common, and which of them answers what.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alike;
mod core;
mod demo;
mod listen;
mod mounts;
mod running;
mod settings;
mod settings_document;
mod stopping;
mod version;
