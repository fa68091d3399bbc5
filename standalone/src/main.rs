//! The binary `muster`.

use std::process::ExitCode;

use server::program;
use standalone::Config;

fn main() -> ExitCode {
    program::run(|config: &Config| &config.program, standalone::run)
}
