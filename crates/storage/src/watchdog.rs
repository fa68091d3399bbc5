//! Ends the wait for a server that does not answer any more: the network lost its packets, or its machine stopped without a word. No
//! connection says so, and the system would wait for a quarter of an hour.
//!
//! A statement may be slow. So when one is silent for a while, a new connection is tried. If that is silent as well, or if the statement
//! takes longer than the server lets any run, the statement is abandoned.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    sync::Mutex,
    time::{Instant, sleep, timeout},
};

use super::outage::{Outage, PROBE_TIMEOUT};

/// Longer than the server lets a statement run.
const MAX_STATEMENT_TIME: Duration = Duration::from_secs(12);

/// Watches over the statements of a pool.
#[derive(Debug)]
pub(super) struct Watchdog {
    outage: Arc<Outage>,
    /// When the server was last probed, and whether it answered. One call probes for all.
    last_probe: Mutex<Option<(Instant, bool)>>,
}

impl Watchdog {
    pub(super) fn new(outage: &Arc<Outage>) -> Self {
        Self {
            outage: Arc::clone(outage),
            last_probe: Mutex::default(),
        }
    }

    /// Waits for a statement as long as the server is there.
    pub(super) async fn watch<T>(
        &self,
        statement: impl Future<Output = T>,
    ) -> Result<T, sqlx::Error> {
        tokio::select! {
            biased;
            outcome = statement => Ok(outcome),
            () = self.unreachable() => Err(sqlx::Error::Io(io::Error::new(
                io::ErrorKind::TimedOut,
                "the database does not answer",
            ))),
        }
    }

    /// Waits until the server is out of reach.
    async fn unreachable(&self) {
        let Some(probe_after) = self.outage.target().probe_after() else {
            return std::future::pending().await;
        };
        let began = Instant::now();
        loop {
            sleep(probe_after).await;
            if began.elapsed() > MAX_STATEMENT_TIME || !self.is_reachable(probe_after).await {
                return;
            }
        }
    }

    /// Returns whether the server answers, or did within this time.
    async fn is_reachable(&self, within: Duration) -> bool {
        let mut last_probe = self.last_probe.lock().await;
        if let Some((at, was_reachable)) = *last_probe
            && at.elapsed() < within
        {
            return was_reachable;
        }
        let asked = Instant::now();
        let is_reachable = match timeout(PROBE_TIMEOUT, self.outage.target().connect()).await {
            // It may refuse: then it is there.
            Ok(Ok(_) | Err(sqlx::Error::Database(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        };
        if !is_reachable {
            tracing::warn!("the database does not answer; its connections are given up");
            self.outage.begin(asked);
        }
        *last_probe = Some((Instant::now(), is_reachable));
        is_reachable
    }
}
