//! The signal to stop, and the time in which a port stops.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::Failure;

/// How long running requests may take after the signal to stop, on every port.
pub const DRAIN: Duration = Duration::from_secs(20);

/// How long a port still takes connections and requests after the signal to stop. In this time clients learn that their
/// connections close, and load balancers that the program stops.
pub const LINGER: Duration = Duration::from_secs(1);

/// Completes so long after the signal to stop.
pub async fn after(stop: &CancellationToken, time: Duration) {
    stop.cancelled().await;
    tokio::time::sleep(time).await;
}

/// A token that is cancelled by the first SIGTERM or SIGINT. A second signal ends the process at once, in case the drain hangs.
///
/// Must be called within a Tokio runtime.
///
/// # Errors
/// When the signal handlers cannot be installed.
pub fn on_signal() -> Result<CancellationToken, Failure> {
    let handler = |kind| {
        signal(kind)
            .map_err(|error| Failure::Environment(format!("cannot handle signals: {error}")))
    };
    let (mut terminate, mut interrupt) = (
        handler(SignalKind::terminate())?,
        handler(SignalKind::interrupt())?,
    );
    let token = CancellationToken::new();
    let stopping = token.clone();
    tokio::spawn(async move {
        let mut either = async || {
            tokio::select! {
                _ = terminate.recv() => "SIGTERM",
                _ = interrupt.recv() => "SIGINT",
            }
        };
        let first = either().await;
        tracing::info!(signal = first, "stopping");
        stopping.cancel();
        let second = either().await;
        tracing::warn!(signal = second, "stopping at once");
        std::process::exit(i32::from(Failure::Environment(String::new()).code()));
    });
    Ok(token)
}
