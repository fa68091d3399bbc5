//! The binary `muster`.

use std::process::ExitCode;

use process::program;
use standalone::Config;

#[tokio::main]
async fn main() -> ExitCode {
    program::run(|config: &Config| &config.telemetry, standalone::run).await
}
