//! The common part of every `main`.

use std::{num::NonZeroU16, process::ExitCode, thread::available_parallelism};

use clap::Parser;
use futures_util::future::BoxFuture;
use tokio::runtime::{Builder, Runtime};

use crate::{
    Failure, log_writer, open_files, settings, telemetry, telemetry::TelemetrySettings, traces,
};

/// The version of the program that is being compiled, with the commit if its build was told: by `MUSTER_VERSION`, or by a build script.
#[macro_export]
macro_rules! version {
    () => {
        match option_env!("MUSTER_VERSION") {
            Some(version) => version,
            None => env!("CARGO_PKG_VERSION"),
        }
    };
}

/// Settings that every program has. Flatten them into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
pub struct ProgramSettings {
    /// What it tells its operators
    #[command(flatten)]
    pub telemetry: TelemetrySettings,
    /// How much it does at a time
    #[command(flatten)]
    pub threads: ThreadSettings,
}

/// Settings of threads.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Processors")]
pub struct ThreadSettings {
    /// Number of threads that serve requests. The default is half the processors, at least one: the others are for the database and
    /// Muster's other programs. More threads than free processors make it slower
    #[arg(long, env = "MUSTER_THREADS", value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroU16>,
}

fn threads(text: &str) -> Result<NonZeroU16, &'static str> {
    text.parse().map_err(|_| "must be a number from 1 to 65535")
}

impl ThreadSettings {
    fn count(self) -> usize {
        let half = || available_parallelism().map_or(1, |all| all.get().div_ceil(2));
        self.threads.map_or_else(half, |one| one.get().into())
    }

    fn runtime(self) -> Result<Runtime, Failure> {
        let mut runtime = match self.count() {
            // One thread needs nothing that is shared among several. It also does in turn what has become ready, so that calls that began
            // together are sent together: with several, what a call wakes goes first, and each is sent by itself.
            1 => Builder::new_current_thread(),
            several => {
                let mut builder = Builder::new_multi_thread();
                builder.worker_threads(several);
                builder
            }
        };
        let runtime = runtime.enable_all().build();
        runtime.map_err(|error| Failure::Environment(format!("cannot start threads: {error}")))
    }
}

/// Reads the settings, starts threads and logging, raises the limit of open files, runs the program, and returns the exit code.
pub fn run<S: Parser>(
    common: impl FnOnce(&S) -> &ProgramSettings,
    program: impl FnOnce(S) -> BoxFuture<'static, Result<(), Failure>>,
) -> ExitCode {
    let ended = settings::parse::<S>().and_then(|settings| {
        let ProgramSettings { telemetry, threads } = common(&settings).clone();
        threads.runtime()?.block_on(async {
            let begun = telemetry::init(&telemetry, S::command().get_name());
            open_files::raise_limit();
            let ended = match begun {
                Ok(()) => program(settings).await,
                Err(failure) => Err(failure),
            };
            traces::end().await;
            log_writer::flush();
            ended
        })
    });
    Failure::report(ended)
}
