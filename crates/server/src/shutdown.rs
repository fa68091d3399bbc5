//! The signal to stop, and the times in which a program stops.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{Failure, log_writer};

/// How long running requests may take after the signal to stop, on every port.
pub const DRAIN: Duration = Duration::from_secs(20);

/// How long a port still takes connections and requests after the signal to stop. In this time clients learn that their
/// connections close, and load balancers that the program stops.
pub const LINGER: Duration = Duration::from_secs(1);

/// Whether a person at a terminal stopped this process (SIGINT). No load balancer waits for it then.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Completes after the time for which a stopping port lingers: at once, if a person at a terminal stopped the program.
pub async fn linger(time: Duration) {
    if !IS_INTERRUPTED.load(Ordering::Acquire) {
        tokio::time::sleep(time).await;
    }
}

/// Settings of stopping. Flatten them into a binary's settings.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Stopping")]
pub struct StopSettings {
    /// Seconds to keep serving after SIGTERM while reporting not ready (`/readyz`, gRPC health), so that load balancers send requests
    /// elsewhere. After that, running requests may take 20 s
    #[arg(long, env = "MUSTER_STOP_WAIT_SECONDS", value_name = "SECONDS", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=300))]
    pub stop_wait_seconds: u16,
}

/// The two steps of a stop.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Cancelled by the signal: no new work is begun, and health says no. Requests are answered as before.
    pub announced: CancellationToken,
    /// Cancelled after [`StopSettings::stop_wait_seconds`]: ports close. Whoever cancels it earlier cancels the other one as well.
    pub begun: CancellationToken,
}

/// What the first SIGTERM or SIGINT begins. A second signal ends the process at once, in case the drain hangs.
///
/// Must be called within a Tokio runtime.
///
/// # Errors
/// When the signal handlers cannot be installed.
pub fn on_signal(settings: StopSettings) -> Result<Stop, Failure> {
    let handler = |kind| {
        signal(kind)
            .map_err(|error| Failure::Environment(format!("cannot handle signals: {error}")))
    };
    let (mut terminate, mut interrupt) = (
        handler(SignalKind::terminate())?,
        handler(SignalKind::interrupt())?,
    );
    let begun = CancellationToken::new();
    let stop = Stop {
        announced: begun.child_token(),
        begun,
    };
    let wait = Duration::from_secs(settings.stop_wait_seconds.into());
    let (announced, begun) = (stop.announced.clone(), stop.begun.clone());
    tokio::spawn(async move {
        let mut either = async || {
            tokio::select! {
                _ = terminate.recv() => "SIGTERM",
                _ = interrupt.recv() => "SIGINT",
            }
        };
        let first = either().await;
        IS_INTERRUPTED.store(first == "SIGINT", Ordering::Release);
        tracing::info!(signal = first, "stopping");
        announced.cancel();
        let waiting = async {
            tokio::time::sleep(wait).await;
            begun.cancel();
            std::future::pending().await
        };
        let second = tokio::select! {
            second = either() => second,
            never = waiting => never,
        };
        tracing::warn!(signal = second, "stopping at once");
        log_writer::flush();
        std::process::exit(i32::from(Failure::Environment(String::new()).code()));
    });
    Ok(stop)
}
