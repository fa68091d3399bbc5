//! The binary `mcp-bridge`.

use std::process::ExitCode;

use mcp_bridge::Settings;
use server::program;

fn main() -> ExitCode {
    program::run(
        |settings: &Settings| &settings.edge.program,
        mcp_bridge::run,
    )
}
