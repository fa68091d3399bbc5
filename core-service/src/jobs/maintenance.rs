//! Periodic maintenance.

mod old;

use std::time::Duration;

use domain::{instant::Instant, retention::Retention};
use futures_util::future::BoxFuture;
use server::{CancellationToken, telemetry::chain};
use storage::{GrantUses, KeyUses, SessionUses, Tx};

use crate::service::{
    Commands, Error, Webhooks, end_expired_webhooks, follow_clocks, judge_failing_webhooks, purge,
    settle_all,
};

/// The interval. Little depends on it: the catalogue excludes ended events by their end, "last used" is approximate, and whoever
/// registers or confirms gets a seat that is held for too long at once. Only the waitlist waits for it.
const INTERVAL: Duration = Duration::from_secs(30);

/// Rows that a transaction of most steps writes, and transactions of a step in a round: enough for millions of rows a day, in short ones.
const BATCH: i64 = 500;
const BATCHES: usize = 20;

/// Events that the first transaction of a round adds to the search index, the most that one does, and transactions per round.
const INITIAL_INDEX_BATCH: i64 = 50;
const MAX_INDEX_BATCH: i64 = 1_000;
const INDEX_BATCHES: usize = 200;

/// A mail that a core held at the moment when an operator released the others is released later, if that was not longer ago.
const HOLD_MEMORY_SECONDS: i64 = 15 * 60;

/// How long such a transaction may take: on SQLite all other writers wait for it, and PostgreSQL has a time limit for transactions that
/// do nothing while words are folded. Larger ones cost less for each event, since parts of the index are written fewer times.
const INDEX_TIME: Duration = Duration::from_millis(100);

/// What a round of maintenance leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Round {
    /// Nothing to do until later.
    #[default]
    Done,
    /// Events or registrations that searches cannot find yet, ended events, or rows of removed accounts: the next round should follow at once.
    More,
}

/// Writes at most so many rows that are due at a moment; returns their number.
type Write = for<'t> fn(&'t mut Tx, Instant, i64) -> BoxFuture<'t, Result<u64, storage::Error>>;

/// What the steps of a round left until now. One that failed does not stop the others.
#[derive(Default)]
struct Steps {
    round: Round,
    failure: Option<Error>,
}

impl Steps {
    fn took(&mut self, step: &'static str, outcome: Result<Round, Error>) {
        match outcome {
            Ok(Round::Done) => {}
            Ok(Round::More) => self.round = Round::More,
            Err(error) => {
                tracing::warn!(step, error = %chain(&error), "a step of maintenance failed and will be repeated");
                self.failure.get_or_insert(error);
            }
        }
    }
}

/// Removes ended events from the catalogue's index, stores when keys, sessions and grants were last used, deletes old rows, ends what registrations
/// that were not confirmed hold, deletes what is left of removed accounts, follows the time zone database, disables the webhooks of keys and apps that
/// have expired, and those that fail for long, and adds events of older versions to the search index. Every core may run it.
#[derive(Debug, Clone)]
pub struct Maintenance {
    commands: Commands,
    key_uses: KeyUses,
    session_uses: SessionUses,
    grant_uses: GrantUses,
    retention: Retention,
    webhooks: Option<Webhooks>,
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
            webhooks: None,
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

    /// The same maintenance, which also seals the secrets of webhooks again when the key changes.
    #[must_use]
    pub fn with_webhooks(self, webhooks: Webhooks) -> Self {
        Self {
            webhooks: Some(webhooks),
            ..self
        }
    }

    /// Runs periodically until `stop`, and once more after it, so that uses of keys are not lost.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            let round = self.take_steps().await.round;
            if stop.is_cancelled() {
                return;
            }
            if round == Round::More {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    }

    /// Runs one round. Returns the first error, which the log has, too.
    pub async fn maintain_once(&self) -> Result<Round, Error> {
        let steps = self.take_steps().await;
        steps.failure.map_or(Ok(steps.round), Err)
    }

    async fn take_steps(&self) -> Steps {
        let (commands, now) = (&self.commands, self.commands.now());
        let mut steps = Steps::default();
        steps.took("store_uses", self.store_uses().await);
        let unlist: Write = |tx, now, limit| Box::pin(tx.unlist_ended_events(now, limit));
        steps.took("unlist_ended_events", self.repeat(unlist, now).await);
        let release: Write = |tx, now, limit| {
            let since = now.plus_seconds(-HOLD_MEMORY_SECONDS);
            Box::pin(tx.release_mails(since, now, limit))
        };
        steps.took("release_mails", self.repeat(release, now).await);
        let settled = settle_all(commands).await;
        steps.took("settle_all", settled.map(|()| Round::Done));
        for (step, since, delete) in old::kinds(now, self.retention) {
            let deleted = self.repeat(delete, since).await;
            // What is left has time until the next round.
            steps.took(step, deleted.map(|_| Round::Done));
        }
        let delete: Write = |tx, _, limit| Box::pin(tx.delete_orphaned_deliveries(limit));
        steps.took("delete_orphaned_deliveries", self.repeat(delete, now).await);
        let purged = purge(commands).await;
        let left = |more| if more { Round::More } else { Round::Done };
        steps.took("purge", purged.map(left));
        let followed = follow_clocks(commands).await;
        steps.took("follow_clocks", followed.map(left));
        let ended = end_expired_webhooks(commands).await;
        steps.took("end_expired_webhooks", ended.map(left));
        let judged = judge_failing_webhooks(commands).await;
        steps.took("judge_failing_webhooks", judged.map(left));
        if let Some(webhooks) = &self.webhooks {
            let sealed = webhooks.seal_again().await;
            steps.took("seal_again", sealed.map(left));
        }
        // Events that are indexed are folded, too.
        steps.took("index_events", self.index().await);
        let fold: Write = |tx, _, limit| Box::pin(tx.fold_events(limit));
        steps.took("fold_events", self.repeat(fold, now).await);
        let fold: Write = |tx, _, limit| Box::pin(tx.fold_registrations(limit));
        steps.took("fold_registrations", self.repeat(fold, now).await);
        steps
    }

    /// Writes in transactions of their own, until one finds less than it may.
    async fn repeat(&self, write: Write, moment: Instant) -> Result<Round, Error> {
        for _ in 0..BATCHES {
            let mut tx = self.commands.store().begin().await?;
            let rows = write(&mut tx, moment, BATCH).await?;
            tx.commit().await?;
            if i64::try_from(rows).unwrap_or(i64::MAX) < BATCH {
                return Ok(Round::Done);
            }
        }
        Ok(Round::More)
    }

    async fn index(&self) -> Result<Round, Error> {
        let (mut indexed, mut batch) = (0, INITIAL_INDEX_BATCH);
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

    async fn store_uses(&self) -> Result<Round, Error> {
        let (keys, sessions) = (self.key_uses.take(), self.session_uses.take());
        let grants = self.grant_uses.take();
        if keys.is_empty() && sessions.is_empty() && grants.is_empty() {
            return Ok(Round::Done);
        }
        let touch = async {
            let mut tx = self.commands.store().begin().await?;
            tx.touch_keys(&keys).await?;
            tx.touch_sessions(&sessions).await?;
            tx.touch_grants(&grants).await?;
            tx.commit().await
        };
        let touched = touch.await;
        if touched.is_err() {
            self.key_uses.put_back(keys);
            self.session_uses.put_back(sessions);
            self.grant_uses.put_back(grants);
        }
        touched?;
        Ok(Round::Done)
    }
}

/// How many events the next transaction takes, by the time that the last one took.
fn next_batch(batch: i64, took: Duration) -> i64 {
    if took > INDEX_TIME {
        (batch / 2).max(INITIAL_INDEX_BATCH)
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
        assert_eq!(next_batch(60, millis(1_000)), INITIAL_INDEX_BATCH);
    }
}
