//! The binary `website`.

use std::process::ExitCode;

use process::program;
use website::Settings;

#[tokio::main]
async fn main() -> ExitCode {
    program::run(|settings: &Settings| &settings.edge.telemetry, website::run).await
}
