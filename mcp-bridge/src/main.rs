//! The binary `mcp-bridge`.

use std::process::ExitCode;

use mcp_bridge::Settings;
use process::program;

#[tokio::main]
async fn main() -> ExitCode {
    program::run(
        |settings: &Settings| &settings.edge.telemetry,
        mcp_bridge::run,
    )
    .await
}
