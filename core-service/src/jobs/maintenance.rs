//! Periodic maintenance.

use std::time::Duration;

use process::CancellationToken;

use crate::{
    domain::retention::Retention,
    service::{Commands, Error, settle_all},
    storage::{self, KeyUses},
};

/// The interval. Little depends on it: the catalogue excludes ended events by their end, "last used" is approximate, and whoever
/// registers or confirms gets a seat that is held for too long at once. Only the waitlist waits for it.
const INTERVAL: Duration = Duration::from_secs(30);

/// Events that one transaction sweeps, so that its locks are short.
const SWEEP_BATCH: i64 = 500;

/// Rows deleted per transaction, and transactions per round: enough for a million rows a day, in short transactions.
const RETENTION_BATCH: i64 = 500;
const RETENTION_BATCHES: usize = 20;

const DAY_SECONDS: i64 = 86_400;

/// Removes ended events from the catalogue's index, stores when keys were last used, deletes old rows, and ends what registrations
/// that were not confirmed hold. Every core may run it.
#[derive(Debug, Clone)]
pub struct Maintenance {
    commands: Commands,
    key_uses: KeyUses,
    retention: Retention,
}

impl Maintenance {
    /// Maintenance of a database and of the recorded uses of keys.
    pub fn new(commands: Commands, key_uses: KeyUses) -> Self {
        Self {
            commands,
            key_uses,
            retention: Retention::default(),
        }
    }

    /// The same maintenance with another retention.
    #[must_use]
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// Runs periodically until `stop`, and once more after it, so that uses of keys are not lost.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            if let Err(error) = self.maintain_once().await {
                tracing::warn!(%error, "maintenance failed and will be repeated");
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

    /// Runs one round.
    pub async fn maintain_once(&self) -> Result<(), Error> {
        self.touch_keys().await?;
        self.sweep().await?;
        settle_all(&self.commands).await?;
        Ok(self.delete_old().await?)
    }

    async fn delete_old(&self) -> Result<(), storage::Error> {
        let now = self.commands.now();
        let before = |days: u32| now.plus_seconds(-i64::from(days) * DAY_SECONDS);
        let (audit, jobs) = (
            before(self.retention.audit_days),
            before(self.retention.failed_job_days),
        );
        for _ in 0..RETENTION_BATCHES {
            let mut tx = self.commands.store().begin().await?;
            let gone = tx.delete_audit(audit, RETENTION_BATCH).await?
                + tx.delete_failed_jobs(jobs, RETENTION_BATCH).await?
                + tx.delete_old_answers(now, RETENTION_BATCH).await?
                + tx.delete_expired_details(now, RETENTION_BATCH).await?;
            if gone == 0 {
                return Ok(());
            }
            tx.commit().await?;
        }
        Ok(())
    }

    async fn touch_keys(&self) -> Result<(), storage::Error> {
        let uses = self.key_uses.take();
        if uses.is_empty() {
            return Ok(());
        }
        let mut tx = self.commands.store().begin().await?;
        tx.touch_keys(&uses).await?;
        tx.commit().await
    }

    async fn sweep(&self) -> Result<(), storage::Error> {
        let now = self.commands.now();
        loop {
            let mut tx = self.commands.store().begin().await?;
            let swept = tx.unlist_ended_events(now, SWEEP_BATCH).await?;
            tx.commit().await?;
            if i64::try_from(swept).unwrap_or(i64::MAX) < SWEEP_BATCH {
                return Ok(());
            }
        }
    }
}
