//! The bridge over a toy core: what it asks of core and when, and what it does about clients that take too much.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bridge;
mod limits;
mod origins;
mod refusals;
mod start;
