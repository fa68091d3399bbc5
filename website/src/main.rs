//! The binary `website`.

use std::process::ExitCode;

use server::program;
use website::Settings;

fn main() -> ExitCode {
    program::run(|settings: &Settings| &settings.edge.program, website::run)
}
