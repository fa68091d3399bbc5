//! Claims jobs, has them done, and writes down how that went.

use std::{sync::Arc, time::Duration};

use process::CancellationToken;
use tokio::task::{JoinError, JoinSet};

use super::{Failure, Handler, backoff};
use crate::{
    domain::{clock::Clock, job::ClaimedJob},
    storage::{Error, Store},
};

/// How long after a try's time limit its lease ends: enough to write down the outcome over a slow database.
const LEASE_SLACK_SECONDS: i64 = 30;

/// How much of a failure's text is kept.
const ERROR_CHARACTERS: usize = 500;

/// Does the jobs of the kinds that it has handlers for; jobs of other kinds wait. Any number of runners may share a database.
#[derive(Clone)]
pub struct Runner {
    store: Store,
    clock: Clock,
    handlers: Vec<Arc<dyn Handler>>,
    limits: Limits,
}

/// Bounds of a runner.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Jobs of one kind at a time.
    pub slots: usize,
    /// How long one try may take.
    pub attempt_timeout: Duration,
    /// How long to wait when nothing was due, and after a failure of the database.
    pub poll_interval: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Mail servers commonly accept ten to twenty connections from one client.
            slots: 16,
            // A mail server may take a minute to greet; nothing useful takes longer.
            attempt_timeout: Duration::from_mins(1),
            // What people notice as "at once", at the price of one index look-up a second for each kind.
            poll_interval: Duration::from_secs(1),
        }
    }
}

/// What becomes of a job after a try.
#[derive(Debug)]
enum Outcome {
    Done,
    Retry(String),
    Dead(String),
}

impl Runner {
    /// A runner for these handlers, one to a kind.
    pub fn new(store: Store, clock: Clock, handlers: Vec<Arc<dyn Handler>>) -> Self {
        Self {
            store,
            clock,
            handlers,
            limits: Limits::default(),
        }
    }

    /// The same runner with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Works until told to stop, then finishes what is under way. Each kind has its own slots, so that one that hangs does
    /// not hold up the others.
    pub async fn run(self, stop: CancellationToken) {
        let mut kinds = JoinSet::new();
        for handler in self.handlers.clone() {
            let (runner, stop) = (self.clone(), stop.clone());
            kinds.spawn(async move { runner.run_kind(handler, stop).await });
        }
        kinds.join_all().await;
    }

    /// Does everything that is due by the clock, and what that leaves due; answers how many tries that took. For tests.
    pub async fn drain(&self) -> Result<usize, Error> {
        let mut total = 0;
        loop {
            let mut tries = 0;
            for handler in &self.handlers {
                let mut slots = JoinSet::new();
                tries += self.fill(&mut slots, handler).await?;
                slots.join_all().await;
            }
            if tries == 0 {
                return Ok(total);
            }
            total += tries;
        }
    }

    async fn run_kind(self, handler: Arc<dyn Handler>, stop: CancellationToken) {
        let mut slots = JoinSet::new();
        while !stop.is_cancelled() {
            let started = self
                .fill(&mut slots, &handler)
                .await
                .unwrap_or_else(|error| {
                    tracing::warn!(kind = handler.kind(), %error, "cannot claim jobs");
                    0
                });
            // With more waiting, the next claim comes as soon as a slot is free.
            if started > 0 && slots.len() < self.limits.slots {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.limits.poll_interval) => {}
                Some(_) = slots.join_next() => {}
            }
            while slots.try_join_next().is_some() {}
        }
        slots.join_all().await;
    }

    /// Claims as many due jobs as there are free slots and starts them; answers how many.
    async fn fill(
        &self,
        slots: &mut JoinSet<()>,
        handler: &Arc<dyn Handler>,
    ) -> Result<usize, Error> {
        let free = self.limits.slots.saturating_sub(slots.len());
        let Ok(limit @ 1..) = i64::try_from(free) else {
            return Ok(0);
        };
        let now = self.clock.now();
        let timeout = i64::try_from(self.limits.attempt_timeout.as_secs()).unwrap_or(i64::MAX);
        let leased_until = now.plus_seconds(timeout.saturating_add(LEASE_SLACK_SECONDS));
        let mut tx = self.store.begin().await?;
        let claimed = tx
            .claim_jobs(handler.kind(), now, leased_until, limit)
            .await?;
        tx.commit().await?;
        let count = claimed.len();
        for job in claimed {
            let (runner, handler) = (self.clone(), Arc::clone(handler));
            slots.spawn(async move { runner.attempt(handler, job).await });
        }
        Ok(count)
    }

    /// One try, and what came of it. The handler has a task of its own, where a panic is its alone.
    async fn attempt(self, handler: Arc<dyn Handler>, job: ClaimedJob) {
        let limit = self.limits.attempt_timeout;
        let outcome = tokio::spawn({
            let job = job.clone();
            async move { tokio::time::timeout(limit, handler.handle(&job)).await }
        })
        .await;
        let outcome = match outcome {
            Ok(Ok(Ok(()))) => Outcome::Done,
            Ok(Ok(Err(Failure::Passing(text)))) => Outcome::Retry(text),
            Ok(Ok(Err(Failure::Lasting(text)))) => Outcome::Dead(text),
            Ok(Err(_)) => Outcome::Retry(format!("took longer than {} s", limit.as_secs())),
            // A panic would most likely come again with the same job: it is set apart for people to look at.
            Err(error) => Outcome::Dead(panic_text(error)),
        };
        match self.record(&job, outcome).await {
            Ok(true) => {}
            Ok(false) => tracing::warn!(
                kind = job.key.kind,
                subject_id = %job.key.subject_id,
                attempt = job.attempt,
                "a job outlived its lease and may be done twice"
            ),
            // It comes up again when its lease ends.
            Err(error) => tracing::warn!(
                kind = job.key.kind,
                subject_id = %job.key.subject_id,
                attempt = job.attempt,
                %error,
                "cannot write down how a job went"
            ),
        }
    }

    /// Writes down an outcome; false when the lease was lost, and then nothing is written.
    async fn record(&self, job: &ClaimedJob, outcome: Outcome) -> Result<bool, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let held = match (
            outcome,
            backoff::wait_seconds(job.attempt, job.key.subject_id),
        ) {
            (Outcome::Done, _) => tx.finish_job(job).await?,
            (Outcome::Retry(text), Some(wait)) => {
                let due_at = now.plus_seconds(wait);
                tx.retry_job(job, due_at, &shortened(&text)).await?
            }
            (Outcome::Retry(text), None) | (Outcome::Dead(text), _) => {
                // The text stays in the table: a mail server's answer may hold an address, which a log must not.
                tracing::error!(
                    kind = job.key.kind,
                    subject_id = %job.key.subject_id,
                    attempt = job.attempt,
                    "a job is given up"
                );
                tx.bury_job(job, now, &shortened(&text)).await?
            }
        };
        tx.commit().await?;
        Ok(held)
    }
}

fn panic_text(error: JoinError) -> String {
    let Ok(panic) = error.try_into_panic() else {
        return "cancelled".to_owned();
    };
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", text.unwrap_or("without a text"))
}

fn shortened(text: &str) -> String {
    text.chars().take(ERROR_CHARACTERS).collect()
}
