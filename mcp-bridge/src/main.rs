//! The bridge as a program of its own.

use std::process::ExitCode;

use mcp_bridge::Settings;
use process::{Failure, settings, telemetry};

#[tokio::main]
async fn main() -> ExitCode {
    Failure::report(start().await)
}

async fn start() -> Result<(), Failure> {
    let settings: Settings = settings::parse()?;
    telemetry::init(&settings.log);
    mcp_bridge::run(settings).await
}
