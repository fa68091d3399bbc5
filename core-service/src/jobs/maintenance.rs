//! Periodic maintenance.

use std::time::Duration;

use domain::{
    instant::Instant,
    oauth::grant::{AUTHORIZATION_SECONDS, CODE_MEMORY_SECONDS},
    retention::Retention,
};
use server::{CancellationToken, telemetry::chain};
use storage::{self, GrantUses, KeyUses, SessionUses, Tx};

use crate::service::{Commands, Error, MAX_UNUSED_CLIENTS, UNUSED_CLIENT_DAYS, purge, settle_all};

/// The interval. Little depends on it: the catalogue excludes ended events by their end, "last used" is approximate, and whoever
/// registers or confirms gets a seat that is held for too long at once. Only the waitlist waits for it.
const INTERVAL: Duration = Duration::from_secs(30);

/// Events that one transaction sweeps, so that its locks are short.
const SWEEP_BATCH: i64 = 500;

/// Rows deleted per transaction, and transactions per round: enough for a million rows a day, in short transactions.
const RETENTION_BATCH: i64 = 500;
const RETENTION_BATCHES: usize = 20;

/// Events that the first transaction of a round adds to the search index, the most that one does, and transactions per round.
const FIRST_INDEX_BATCH: i64 = 50;
const MAX_INDEX_BATCH: i64 = 1_000;
const INDEX_BATCHES: usize = 200;

/// How long such a transaction may take: on SQLite all other writers wait for it, and PostgreSQL has a time limit for transactions that
/// do nothing while words are folded. Larger ones cost less for each event, since parts of the index are written fewer times.
const INDEX_TIME: Duration = Duration::from_millis(100);

/// Events, and registrations, whose texts one transaction folds.
const FOLD_BATCH: i64 = 200;

const DAY_SECONDS: i64 = 86_400;

/// For how long a browser in which somebody signed in has budgets of its own.
const KNOWN_BROWSER_DAYS: u32 = 180;

/// What a round of maintenance leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// Nothing to do until later.
    Done,
    /// Events or registrations that searches cannot find yet, or rows of removed accounts: the next round should follow at once.
    More,
}

/// Removes ended events from the catalogue's index, stores when keys, sessions and grants were last used, deletes old rows, ends what registrations
/// that were not confirmed hold, deletes what is left of removed accounts, and adds events of older versions to the search index. Every core may run it.
#[derive(Debug, Clone)]
pub struct Maintenance {
    commands: Commands,
    key_uses: KeyUses,
    session_uses: SessionUses,
    grant_uses: GrantUses,
    retention: Retention,
}

impl Maintenance {
    /// Maintenance of a database and of the recorded uses of keys.
    pub fn new(commands: Commands, key_uses: KeyUses) -> Self {
        Self {
            commands,
            key_uses,
            session_uses: SessionUses::default(),
            grant_uses: GrantUses::default(),
            retention: Retention::default(),
        }
    }

    /// The same maintenance, also of the recorded uses of sessions.
    #[must_use]
    pub fn with_session_uses(self, session_uses: SessionUses) -> Self {
        Self {
            session_uses,
            ..self
        }
    }

    /// The same maintenance, also of the recorded uses of what people agreed to.
    #[must_use]
    pub fn with_grant_uses(self, grant_uses: GrantUses) -> Self {
        Self { grant_uses, ..self }
    }

    /// The same maintenance with another retention.
    #[must_use]
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// Runs periodically until `stop`, and once more after it, so that uses of keys are not lost.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            let round = self.maintain_once().await;
            if let Err(error) = &round {
                tracing::warn!(error = %chain(&error), "maintenance failed and will be repeated");
            }
            if stop.is_cancelled() {
                return;
            }
            if matches!(round, Ok(Round::More)) {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    }

    /// Runs one round.
    pub async fn maintain_once(&self) -> Result<Round, Error> {
        self.store_uses().await?;
        self.sweep().await?;
        settle_all(&self.commands).await?;
        self.delete_old().await?;
        let purged = if purge(&self.commands).await? {
            Round::More
        } else {
            Round::Done
        };
        // Events that are indexed are folded, too.
        let indexed = self.index().await?;
        let folded = self.fold().await?;
        let is_done = [purged, folded, indexed] == [Round::Done; 3];
        Ok(if is_done { Round::Done } else { Round::More })
    }

    /// Folds the texts of events and registrations of other versions, for the organizers' searches.
    async fn fold(&self) -> Result<Round, storage::Error> {
        for _ in 0..INDEX_BATCHES {
            let mut tx = self.commands.store().begin().await?;
            let folded =
                tx.fold_events(FOLD_BATCH).await? + tx.fold_registrations(FOLD_BATCH).await?;
            if folded == 0 {
                return Ok(Round::Done);
            }
            tx.commit().await?;
        }
        Ok(Round::More)
    }

    async fn index(&self) -> Result<Round, storage::Error> {
        let (mut indexed, mut batch) = (0, FIRST_INDEX_BATCH);
        for _ in 0..INDEX_BATCHES {
            let mut tx = self.commands.store().begin().await?;
            let began = tokio::time::Instant::now();
            let found = tx.index_events(batch).await?;
            tx.commit().await?;
            indexed += found;
            if i64::try_from(found).unwrap_or(i64::MAX) < batch {
                return Ok(Round::Done);
            }
            batch = next_batch(batch, began.elapsed());
        }
        tracing::info!(
            events = indexed,
            "added events to the search index; there are more"
        );
        Ok(Round::More)
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
                + tx.delete_expired_details(now, RETENTION_BATCH).await?
                + tx.delete_expired_codes(now, RETENTION_BATCH).await?
                + tx.delete_ended_sessions(now, RETENTION_BATCH).await?
                + tx.delete_expired_links(now, RETENTION_BATCH).await?
                + tx.delete_old_budgets(now, RETENTION_BATCH).await?
                + tx.delete_expired_invitations(now, RETENTION_BATCH).await?
                + tx.delete_old_browsers(before(KNOWN_BROWSER_DAYS), RETENTION_BATCH)
                    .await?
                + delete_old_of_apps(&mut tx, now, audit, before(UNUSED_CLIENT_DAYS)).await?;
            if gone == 0 {
                return Ok(());
            }
            tx.commit().await?;
        }
        Ok(())
    }

    async fn store_uses(&self) -> Result<(), storage::Error> {
        let (keys, sessions) = (self.key_uses.take(), self.session_uses.take());
        let grants = self.grant_uses.take();
        if keys.is_empty() && sessions.is_empty() && grants.is_empty() {
            return Ok(());
        }
        let mut tx = self.commands.store().begin().await?;
        tx.touch_keys(&keys).await?;
        tx.touch_sessions(&sessions).await?;
        tx.touch_grants(&grants).await?;
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

/// Deletes what apps left: tokens, codes and authorizations that have ended, grants once the audit log does not name them any more, and
/// clients to which nobody agreed.
async fn delete_old_of_apps(
    tx: &mut Tx,
    now: Instant,
    audit: Instant,
    unused: Instant,
) -> Result<u64, storage::Error> {
    let begun = now.plus_seconds(-AUTHORIZATION_SECONDS);
    let made = now.plus_seconds(-CODE_MEMORY_SECONDS);
    Ok(tx.delete_expired_tokens(now, RETENTION_BATCH).await?
        + tx.delete_old_authorizations(begun, RETENTION_BATCH).await?
        + tx.delete_old_authorization_codes(made, RETENTION_BATCH)
            .await?
        + tx.delete_old_grants(audit, RETENTION_BATCH).await?
        + tx.delete_unused_clients(unused, MAX_UNUSED_CLIENTS, RETENTION_BATCH)
            .await?)
}

/// How many events the next transaction takes, by the time that the last one took.
fn next_batch(batch: i64, took: Duration) -> i64 {
    if took > INDEX_TIME {
        (batch / 2).max(FIRST_INDEX_BATCH)
    } else if took < INDEX_TIME / 2 {
        (batch * 2).min(MAX_INDEX_BATCH)
    } else {
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_that_index_events_stay_short() {
        let millis = Duration::from_millis;
        assert_eq!(next_batch(50, millis(10)), 100);
        assert_eq!(next_batch(800, millis(10)), MAX_INDEX_BATCH);
        assert_eq!(next_batch(400, millis(70)), 400);
        assert_eq!(next_batch(400, millis(150)), 200);
        assert_eq!(next_batch(60, millis(1_000)), FIRST_INDEX_BATCH);
    }
}
