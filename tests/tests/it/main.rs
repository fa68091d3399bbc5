//! The system as its users see it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod concurrency;
mod core_port;
mod dependencies;
mod model;
mod outage;
mod smoke;
