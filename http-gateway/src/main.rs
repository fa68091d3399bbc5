//! The binary `http-gateway`.

use std::process::ExitCode;

use http_gateway::Settings;
use process::program;

#[tokio::main]
async fn main() -> ExitCode {
    program::run(
        |settings: &Settings| &settings.edge.telemetry,
        http_gateway::run,
    )
    .await
}
