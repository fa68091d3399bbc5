//! The common part of every `main`.

use std::process::ExitCode;

use clap::Parser;

use crate::{Failure, open_files, settings, telemetry, telemetry::TelemetrySettings};

/// Reads the settings, starts logging, raises the limit of open files, runs the program, and returns the exit code.
pub async fn run<S: Parser>(
    telemetry: impl FnOnce(&S) -> &TelemetrySettings,
    program: impl AsyncFnOnce(S) -> Result<(), Failure>,
) -> ExitCode {
    let ended = match settings::parse::<S>() {
        Ok(settings) => {
            telemetry::init(telemetry(&settings));
            open_files::raise_limit();
            let ended = Box::pin(program(settings)).await;
            telemetry::end();
            ended
        }
        Err(failure) => Err(failure),
    };
    Failure::report(ended)
}
