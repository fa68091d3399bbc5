//! Tidying that comes round by itself.

use std::time::Duration;

use process::CancellationToken;

use crate::{
    domain::clock::Clock,
    storage::{Error, KeyUses, Store},
};

/// How often. Nothing visible waits for it: the catalogue leaves ended events out by their end, and "last used" is "about".
const INTERVAL: Duration = Duration::from_secs(30);

/// Events that are swept in one transaction, so that its locks are short.
const SWEEP_BATCH: i64 = 500;

/// Takes ended events out of the catalogue's index and writes down when keys were last used. Every core may run it.
#[derive(Debug, Clone)]
pub struct Maintenance {
    store: Store,
    clock: Clock,
    key_uses: KeyUses,
}

impl Maintenance {
    /// Maintenance of a store, and of the uses of keys that whoever checks them records.
    pub fn new(store: Store, clock: Clock, key_uses: KeyUses) -> Self {
        Self {
            store,
            clock,
            key_uses,
        }
    }

    /// Comes round until told to stop, and once more then, so that uses of keys are not lost.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            if let Err(error) = self.maintain_once().await {
                tracing::warn!(%error, "maintenance failed and will be tried again");
            }
            if stop.is_cancelled() {
                return;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    }

    /// Does what there is to do by the clock.
    pub async fn maintain_once(&self) -> Result<(), Error> {
        self.touch_keys().await?;
        self.sweep().await
    }

    async fn touch_keys(&self) -> Result<(), Error> {
        let uses = self.key_uses.take();
        if uses.is_empty() {
            return Ok(());
        }
        let mut tx = self.store.begin().await?;
        tx.touch_keys(&uses).await?;
        tx.commit().await
    }

    async fn sweep(&self) -> Result<(), Error> {
        let now = self.clock.now();
        loop {
            let mut tx = self.store.begin().await?;
            let swept = tx.unlist_ended_events(now, SWEEP_BATCH).await?;
            tx.commit().await?;
            if i64::try_from(swept).unwrap_or(i64::MAX) < SWEEP_BATCH {
                return Ok(());
            }
        }
    }
}
