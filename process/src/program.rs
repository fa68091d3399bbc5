//! How every `main` begins and ends.

use std::process::ExitCode;

use clap::Parser;

use crate::{Failure, settings, telemetry, telemetry::LogSettings};

/// Reads the settings, starts logging and runs the program; what `main` returns.
pub async fn run<S: Parser>(
    log: impl FnOnce(&S) -> &LogSettings,
    program: impl AsyncFnOnce(S) -> Result<(), Failure>,
) -> ExitCode {
    let ended = match settings::parse::<S>() {
        Ok(settings) => {
            telemetry::init(log(&settings));
            Box::pin(program(settings)).await
        }
        Err(failure) => Err(failure),
    };
    Failure::report(ended)
}
