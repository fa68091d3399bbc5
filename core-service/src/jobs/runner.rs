//! Claims jobs, has them done, and writes down how that went.

mod attempt;
mod record;
mod scout;

use std::{collections::HashMap, sync::Arc, time::Duration};

use process::CancellationToken;
use tokio::{sync::Semaphore, task::JoinSet};

use super::{
    Handler,
    lane::{Lane, Lanes, Pauses},
    pause::Pause,
};
use crate::{
    domain::{
        clock::Clock,
        instant::Instant,
        job::{ClaimedJob, JobKind},
    },
    storage::{Error, Store, Tx},
};
use attempt::{Outcome, Try, attempt};

/// How long after a try's time limit its lease ends: enough to write down the outcome over a slow database.
const LEASE_SLACK_SECONDS: i64 = 30;

/// The part of the slots that must be free before more jobs are claimed, as a divisor: so that several tries share a
/// transaction, and most slots are busy.
const CLAIM_DIVISOR: usize = 4;

/// Does the jobs of the kinds that it has handlers for; jobs of other kinds wait. Any number of runners may share a database.
#[derive(Clone)]
pub struct Runner {
    store: Store,
    clock: Clock,
    handlers: Arc<HashMap<JobKind, Arc<dyn Handler>>>,
    lanes: Arc<Lanes>,
    pauses: Arc<Pauses>,
    /// Transactions at a time: no more than are worth running side by side, so that requests find connections.
    turns: Arc<Semaphore>,
    limits: Limits,
}

/// Bounds of a runner.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Jobs of one destination at a time.
    pub slots: usize,
    /// How long one try may take.
    pub attempt_timeout: Duration,
    /// How often to look for jobs that are due, and how long to wait after a failure of the database.
    pub poll_interval: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Mail servers commonly accept ten to twenty connections from one client.
            slots: 16,
            // A mail server may take a minute to greet; nothing useful takes longer.
            attempt_timeout: Duration::from_mins(1),
            // What people notice as "at once", at the price of a few index look-ups a second.
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

    fn is_empty(&self) -> bool {
        self.running.is_empty() && self.ended.is_empty()
    }
}

impl Runner {
    /// A runner for these handlers, one to a kind.
    pub fn new(store: Store, clock: Clock, handlers: Vec<Arc<dyn Handler>>) -> Self {
        let of_kinds = |handler: Arc<dyn Handler>| {
            let kinds = handler.kinds().iter();
            kinds.map(move |kind| (*kind, Arc::clone(&handler)))
        };
        Self {
            turns: Arc::new(Semaphore::new(store.parallel_writers())),
            store,
            clock,
            handlers: Arc::new(handlers.into_iter().flat_map(of_kinds).collect()),
            lanes: Arc::default(),
            pauses: Arc::default(),
            limits: Limits::default(),
        }
    }

    /// The same runner with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Does everything that is due by the clock, and what that leaves due; answers how many tries that took. For tests.
    pub async fn drain(&self) -> Result<usize, Error> {
        let mut total = 0;
        loop {
            let mut started = 0;
            for lane in self.find_all_lanes().await? {
                started += self.drain_lane(&lane).await?;
            }
            if started == 0 {
                return Ok(total);
            }
            total += started;
        }
    }

    async fn drain_lane(&self, lane: &Lane) -> Result<usize, Error> {
        let (mut tries, mut total) = (Tries::default(), 0);
        loop {
            let started = self.turn(lane, &mut tries, self.limits.slots).await?;
            if started == 0 {
                return Ok(total);
            }
            total += started;
            self.gather_all(lane, &mut tries).await;
        }
    }

    /// Works for a lane until nothing is left to do there, or until told to stop.
    async fn work(self, lane: Arc<Lane>, stop: CancellationToken) {
        let mut tries = Tries::default();
        let mut enough = 1;
        while !stop.is_cancelled() {
            let free = self.limits.slots.saturating_sub(tries.running.len());
            let wanted = if free < enough { 0 } else { free };
            let failed = self.turn_or_log(&lane, &mut tries, wanted).await.is_err();
            if !failed && tries.is_empty() {
                if self.close(&lane) {
                    return;
                }
                enough = 1;
                continue;
            }
            let can_wait = !failed && !tries.running.is_empty();
            tokio::select! {
                () = stop.cancelled() => {}
                () = lane.offered(), if can_wait => enough = 1,
                // After a failure of the database, what ended waits for its next turn.
                () = tokio::time::sleep(self.limits.poll_interval), if failed => enough = 1,
                ended = tries.gather(), if can_wait => {
                    self.judge(&lane, ended);
                    enough = self.limits.slots.div_ceil(CLAIM_DIVISOR);
                }
            }
        }
        self.gather_all(&lane, &mut tries).await;
        // What can't be written down now is done again, when its lease ends.
        let _ = self.turn_or_log(&lane, &mut tries, 0).await;
    }

    fn close(&self, lane: &Lane) -> bool {
        let pause = self.pauses.of(&lane.destination);
        self.lanes
            .close(lane, pause.admits(self.clock.now(), 1, 0) == 0)
    }

    async fn gather_all(&self, lane: &Lane, tries: &mut Tries) {
        while !tries.running.is_empty() {
            self.judge(lane, tries.gather().await);
        }
    }

    async fn turn_or_log(
        &self,
        lane: &Lane,
        tries: &mut Tries,
        wanted: usize,
    ) -> Result<usize, Error> {
        let turned = self.turn(lane, tries, wanted).await;
        if let Err(error) = &turned {
            let destination = &lane.destination;
            tracing::warn!(%destination, %error, "cannot claim jobs or write down how they went");
        }
        turned
    }

    /// One transaction: writes down what came of the tries that ended, and claims as many jobs as are wanted and admitted,
    /// which are then started. Answers how many. When it fails, what ended is kept for the next turn.
    async fn turn(&self, lane: &Lane, tries: &mut Tries, wanted: usize) -> Result<usize, Error> {
        let now = self.clock.now();
        let pause = self.pauses.of(&lane.destination);
        let admitted = pause.admits(now, wanted, tries.running.len());
        if admitted == 0 && tries.ended.is_empty() {
            return Ok(0);
        }
        // Never closed, so a turn always comes.
        let _turn = self.turns.acquire().await;
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
        let (destination, now) = (&lane.destination, self.clock.now());
        for one in ended {
            if let Outcome::Unreachable(reason) = &one.outcome {
                let subject = one.job.key.subject_id;
                let begun = |pause: &mut Pause| pause.begin(now, one.started, subject);
                if let Some(seconds) = self.pauses.change(destination, begun) {
                    tracing::warn!(%destination, %reason, seconds, "a destination does not work and is left alone for a while");
                }
            } else if self
                .pauses
                .change(destination, |pause| pause.end(one.started))
            {
                tracing::info!(%destination, "a destination works again");
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
        while claimed.len() < count
            && let Some(kind) = lane.next_kind()
        {
            let Some(handler) = self.handlers.get(&kind) else {
                continue;
            };
            let limit = count - claimed.len();
            let jobs = tx
                .claim_jobs(&lane.destination, kind, now, leased_until, limit)
                .await?;
            if jobs.len() == limit {
                lane.put_back(kind);
            }
            claimed.extend(jobs.into_iter().map(|job| (Arc::clone(handler), job)));
        }
        Ok(claimed)
    }
}
