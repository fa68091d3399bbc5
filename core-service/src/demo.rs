//! Demo data for a new database on a loopback address: so that `cargo run` shows something at once.
//!
//! (Being written by the engineer `demo`; `rules` keeps to admin.)
