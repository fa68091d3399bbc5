//! Fuzzers of everything that reads what strangers send, and of everything that writes it down for others.
//!
//! A [`Target`] takes any bytes and panics when what it tests breaks its promise. `main.rs` hands targets to libFuzzer, which
//! looks for such bytes guided by coverage (`.ci/fuzz`); the tests of this crate play the seeds alone.

mod addresses;
mod authorization;
mod bytes;
mod calendar;
mod control;
mod date_times;
mod json_body;
mod letter;
mod mail;
mod mcp;
mod openapi;
mod query;
mod recorder;
mod slugs;
mod surface;

/// Something that is fuzzed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Where libFuzzer starts from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that libFuzzer puts into what it tries.
    pub words: fn() -> Vec<String>,
    /// Tries one input. Panics when a promise is broken.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: &[Target] = &[
    json_body::TARGET,
    query::TARGET,
    authorization::TARGET,
    date_times::TARGET,
    slugs::TARGET,
    addresses::TARGET,
    calendar::TARGET,
    mail::TARGET,
    mcp::TARGET,
];

impl Target {
    /// The target of that name, or the one with a planted fault, `control`.
    pub fn find(name: &str) -> Option<&'static Self> {
        let mut all = TARGETS.iter().chain([&control::TARGET]);
        all.find(|target| target.name == name)
    }
}
