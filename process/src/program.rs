//! The common part of every `main`.

use std::process::ExitCode;

use clap::Parser;

use crate::{Failure, open_files, settings, telemetry, telemetry::TelemetrySettings, traces};

/// Reads the settings, starts logging, raises the limit of open files, runs the program, and returns the exit code.
pub async fn run<S: Parser>(
    telemetry: impl FnOnce(&S) -> &TelemetrySettings,
    program: impl AsyncFnOnce(S) -> Result<(), Failure>,
) -> ExitCode {
    let ended = match settings::parse::<S>() {
        Ok(settings) => {
            let begun = telemetry::init(telemetry(&settings), S::command().get_name());
            open_files::raise_limit();
            let ended = match begun {
                Ok(()) => Box::pin(program(settings)).await,
                Err(failure) => Err(failure),
            };
            traces::end().await;
            telemetry::end();
            ended
        }
        Err(failure) => Err(failure),
    };
    Failure::report(ended)
}
