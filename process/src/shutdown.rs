//! The signal to stop.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::Failure;

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
