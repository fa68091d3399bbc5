//! The generator: what it writes, for Muster and for a toy, and what it refuses.

#![expect(
    clippy::unwrap_used,
    reason = "a failing helper fails its test, which is what it is for"
)]

mod documents;
mod features;
mod golden;
mod new_rpc;
mod reference;
mod refusals;
mod sources;
mod tools;
mod webhooks;
