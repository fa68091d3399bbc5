//! The gateway as a program of its own.

use std::process::ExitCode;

use http_gateway::Settings;
use process::{Failure, settings, telemetry};

#[tokio::main]
async fn main() -> ExitCode {
    Failure::report(start().await)
}

async fn start() -> Result<(), Failure> {
    let settings: Settings = settings::parse()?;
    telemetry::init(&settings.log);
    http_gateway::run(settings).await
}
