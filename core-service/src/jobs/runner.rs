//! Claims jobs, has them done, and writes down how that went.

mod attempt;

use std::{sync::Arc, time::Duration};

use process::CancellationToken;
use tokio::task::JoinSet;

use super::{Handler, backoff, lane::Lane};
use crate::{
    domain::{clock::Clock, instant::Instant, job::ClaimedJob},
    storage::{Error, Store, Tx},
};
use attempt::{Outcome, Try, attempt};

/// How long after a try's time limit its lease ends: enough to write down the outcome over a slow database.
const LEASE_SLACK_SECONDS: i64 = 30;

/// How much of a failure's text is kept.
const ERROR_CHARACTERS: usize = 500;

/// The part of the slots that must be free before more jobs are claimed, as a divisor: so that several tries share a
/// transaction, and most slots are busy.
const CLAIM_DIVISOR: usize = 4;

/// Does the jobs of the kinds that it has handlers for; jobs of other kinds wait. Any number of runners may share a database.
#[derive(Clone)]
pub struct Runner {
    store: Store,
    clock: Clock,
    lanes: Vec<Arc<Lane>>,
    limits: Limits,
}

/// Bounds of a runner.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Jobs of one destination at a time.
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

/// The tries of a lane: those under way, and those that came to an end and are not written down yet.
#[derive(Default)]
struct Tries {
    running: JoinSet<Try>,
    ended: Vec<Try>,
}

impl Tries {
    /// Waits for the first that ends and takes what has ended by then; answers those.
    async fn gather(&mut self) -> &[Try] {
        let first = self.running.join_next().await;
        let rest = std::iter::from_fn(|| self.running.try_join_next());
        let before = self.ended.len();
        // A try catches what its handler does, so it only fails with the whole process.
        self.ended.extend(first.into_iter().chain(rest).flatten());
        self.ended.get(before..).unwrap_or_default()
    }
}

impl Runner {
    /// A runner for these handlers, one to a kind.
    pub fn new(store: Store, clock: Clock, handlers: Vec<Arc<dyn Handler>>) -> Self {
        Self {
            store,
            clock,
            lanes: Lane::of(handlers),
            limits: Limits::default(),
        }
    }

    /// The same runner with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Works until told to stop, then finishes what is under way. Each destination has its own slots, so that one that hangs
    /// does not hold up the others.
    pub async fn run(self, stop: CancellationToken) {
        let mut lanes = JoinSet::new();
        for lane in self.lanes.clone() {
            let (runner, stop) = (self.clone(), stop.clone());
            lanes.spawn(async move { runner.run_lane(&lane, stop).await });
        }
        lanes.join_all().await;
    }

    /// Does everything that is due by the clock, and what that leaves due; answers how many tries that took. For tests.
    pub async fn drain(&self) -> Result<usize, Error> {
        let mut total = 0;
        loop {
            let mut started = 0;
            for lane in &self.lanes {
                let mut tries = Tries::default();
                started += self.turn(lane, &mut tries, self.limits.slots).await?;
                self.gather_all(lane, &mut tries).await;
                self.turn(lane, &mut tries, 0).await?;
            }
            if started == 0 {
                return Ok(total);
            }
            total += started;
        }
    }

    async fn run_lane(self, lane: &Lane, stop: CancellationToken) {
        let mut tries = Tries::default();
        let mut enough = 1;
        while !stop.is_cancelled() {
            let free = self.free_slots(&tries);
            let wanted = if free < enough { 0 } else { free };
            let failed = self.turn_or_log(lane, &mut tries, wanted).await.is_err();
            let can_wait = !failed && !tries.running.is_empty();
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.limits.poll_interval) => enough = 1,
                // After a failure of the database, what ended waits for its next turn.
                ended = tries.gather(), if can_wait => {
                    self.judge(lane, ended);
                    enough = self.limits.slots.div_ceil(CLAIM_DIVISOR);
                }
            }
        }
        self.gather_all(lane, &mut tries).await;
        // What can't be written down now is done again, when its lease ends.
        let _ = self.turn_or_log(lane, &mut tries, 0).await;
    }

    async fn gather_all(&self, lane: &Lane, tries: &mut Tries) {
        while !tries.running.is_empty() {
            self.judge(lane, tries.gather().await);
        }
    }

    fn free_slots(&self, tries: &Tries) -> usize {
        self.limits.slots.saturating_sub(tries.running.len())
    }

    async fn turn_or_log(
        &self,
        lane: &Lane,
        tries: &mut Tries,
        wanted: usize,
    ) -> Result<usize, Error> {
        let turned = self.turn(lane, tries, wanted).await;
        if let Err(error) = &turned {
            let destination = lane.destination;
            tracing::warn!(destination, %error, "cannot claim jobs or write down how they went");
        }
        turned
    }

    /// One transaction: writes down what came of the tries that ended, and claims as many jobs as are wanted and admitted,
    /// which are then started. Answers how many. When it fails, what ended is kept for the next turn.
    async fn turn(&self, lane: &Lane, tries: &mut Tries, wanted: usize) -> Result<usize, Error> {
        let now = self.clock.now();
        let admitted = lane.pause().admits(now, wanted, tries.running.len());
        if admitted == 0 && tries.ended.is_empty() {
            return Ok(0);
        }
        let mut tx = self.store.begin().await?;
        self.record(lane, &mut tx, &tries.ended, now).await?;
        let claimed = self.claim(lane, &mut tx, admitted, now).await?;
        tx.commit().await?;
        tries.ended.clear();
        let count = claimed.len();
        for (handler, job) in claimed {
            let limit = self.limits.attempt_timeout;
            tries.running.spawn(attempt(handler, job, now, limit));
        }
        Ok(count)
    }

    /// What the tries that ended tell of their destination.
    fn judge(&self, lane: &Lane, ended: &[Try]) {
        let (destination, now) = (lane.destination, self.clock.now());
        for one in ended {
            let mut pause = lane.pause();
            if let Outcome::Excused(reason) = &one.outcome {
                if let Some(seconds) = pause.begin(now, one.started, one.job.key.subject_id) {
                    tracing::warn!(destination, %reason, seconds, "a destination does not work and is left alone for a while");
                }
            } else if pause.end(one.started) {
                tracing::info!(destination, "a destination works again");
            }
        }
    }

    async fn claim(
        &self,
        lane: &Lane,
        tx: &mut Tx,
        count: usize,
        now: Instant,
    ) -> Result<Vec<(Arc<dyn Handler>, ClaimedJob)>, Error> {
        let timeout = i64::try_from(self.limits.attempt_timeout.as_secs()).unwrap_or(i64::MAX);
        let leased_until = now.plus_seconds(timeout.saturating_add(LEASE_SLACK_SECONDS));
        let mut claimed = Vec::new();
        for handler in lane.handlers() {
            let Ok(limit @ 1..) = i64::try_from(count.saturating_sub(claimed.len())) else {
                break;
            };
            let jobs = tx
                .claim_jobs(handler.kind(), now, leased_until, limit)
                .await?;
            claimed.extend(jobs.into_iter().map(|job| (Arc::clone(handler), job)));
        }
        Ok(claimed)
    }

    /// Writes outcomes down. A try whose lease was lost changes nothing.
    async fn record(
        &self,
        lane: &Lane,
        tx: &mut Tx,
        ended: &[Try],
        now: Instant,
    ) -> Result<(), Error> {
        let is_done = |one: &&Try| matches!(one.outcome, Outcome::Done);
        let done: Vec<&ClaimedJob> = ended.iter().filter(is_done).map(|one| &one.job).collect();
        let mut held = tx.finish_jobs(&done).await?;
        for Try { job, outcome, .. } in ended {
            let wait = backoff::wait_seconds(job.tries, job.key.subject_id);
            held += u64::from(match (outcome, wait) {
                (Outcome::Done, _) => continue,
                (Outcome::Excused(text), _) => {
                    let due_at = lane.pause().due_at(now);
                    tx.excuse_job(job, due_at, &shortened(text)).await?
                }
                (Outcome::Retry(text), Some(wait)) => {
                    let due_at = now.plus_seconds(wait);
                    tx.retry_job(job, due_at, &shortened(text)).await?
                }
                (Outcome::Retry(text), None) | (Outcome::Dead(text), _) => {
                    log_given_up(job);
                    tx.bury_job(job, now, &shortened(text)).await?
                }
            });
        }
        let lost = (ended.len() as u64).saturating_sub(held);
        if lost > 0 {
            let destination = lane.destination;
            tracing::warn!(
                destination,
                lost,
                "jobs outlived their leases and may be done twice"
            );
        }
        Ok(())
    }
}

/// The text stays in the table: a mail server's answer may hold an address, which a log must not.
fn log_given_up(job: &ClaimedJob) {
    tracing::error!(
        kind = job.key.kind,
        subject_id = %job.key.subject_id,
        tries = job.tries,
        "a job is given up"
    );
}

fn shortened(text: &str) -> String {
    text.chars().take(ERROR_CHARACTERS).collect()
}
