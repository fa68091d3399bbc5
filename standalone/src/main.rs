//! The binary `muster`.

use std::process::ExitCode;

use process::program;
use standalone::Config;

fn main() -> ExitCode {
    program::run(|config: &Config| &config.program, standalone::run)
}
