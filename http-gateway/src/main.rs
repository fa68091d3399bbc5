//! The binary `http-gateway`.

use std::process::ExitCode;

use http_gateway::Settings;
use server::program;

fn main() -> ExitCode {
    program::run(
        |settings: &Settings| &settings.edge.program,
        http_gateway::run,
    )
}
