//! The runner: claims jobs, runs their handlers and records the outcomes.

mod attempt;
mod dispatch;
mod mails;
mod record;

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    instant::Instant,
    job::{ClaimedJob, JobKind},
};
use server::{CancellationToken, telemetry::chain};
use storage::{Error, Store, Tx};
use tokio::{
    sync::{Notify, Semaphore},
    task::JoinSet,
};

use super::{
    Handler,
    lane::{Closing, Lane, Lanes, Pauses, Work},
    pause::Pause,
};
use attempt::{Outcome, Try, attempt};

/// How long a lease lasts after its try's time limit: enough to record the outcome on a slow database.
const LEASE_SLACK_SECONDS: i64 = 30;

/// The fraction of the slots that must be free before more jobs are claimed, as a divisor: several tries share a transaction,
/// and most slots stay busy.
const CLAIM_DIVISOR: usize = 4;

/// How many times as long as a transaction took a lane rests afterwards. Transactions become slow when the database or the machine
/// is busy. Then calls, for which someone waits, go before mails, which may come a little later.
const REST_FACTOR: u32 = 9;

/// Does jobs of the kinds that it has handlers for; other jobs wait. Any number of runners may share a database.
#[derive(Clone)]
pub struct Runner {
    store: Store,
    clock: Clock,
    handlers: Arc<HashMap<JobKind, Arc<dyn Handler>>>,
    lanes: Arc<Lanes>,
    pauses: Arc<Pauses>,
    /// Limits concurrent transactions, so that connections are left for requests.
    turns: Arc<Semaphore>,
    /// Wakes it before the next poll.
    woken: Arc<Notify>,
    limits: Limits,
}

/// Bounds of a runner.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of concurrent tries for one destination.
    pub slots: usize,
    /// The same for one receiver of webhooks.
    pub webhook_slots: usize,
    /// To how many receivers of webhooks messages are posted at a time.
    pub webhook_lanes: usize,
    /// How long one of them begins tries while others wait for its place.
    pub webhook_turn: Duration,
    /// How long one try may take.
    pub attempt_timeout: Duration,
    /// How often to look for due jobs, and how long to wait after a failure of the database.
    pub poll_interval: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Mail servers commonly accept ten to twenty connections from one client.
            slots: 16,
            // A receiver is often one small process.
            webhook_slots: 4,
            webhook_lanes: 256,
            // With the time of a try, a place is free again within 20 s.
            webhook_turn: Duration::from_secs(5),
            // A mail server may take a minute to greet; nothing useful takes longer.
            attempt_timeout: Duration::from_mins(1),
            // Short enough to seem immediate, at the cost of a few index look-ups per second.
            poll_interval: Duration::from_secs(1),
        }
    }
}

/// The tries of a lane: running ones, and ended ones that are not recorded yet.
#[derive(Default)]
struct Tries {
    running: JoinSet<Try>,
    ended: Vec<Try>,
}

impl Tries {
    /// Waits until a try ends, and returns all that have ended by then.
    async fn collect(&mut self) -> &[Try] {
        let first = self.running.join_next().await;
        let rest = std::iter::from_fn(|| self.running.try_join_next());
        let before = self.ended.len();
        // A try catches panics of its handler, so it fails only with the whole process.
        self.ended.extend(first.into_iter().chain(rest).flatten());
        self.ended.get(before..).unwrap_or_default()
    }

    fn is_empty(&self) -> bool {
        self.running.is_empty() && self.ended.is_empty()
    }
}

impl Runner {
    /// A runner with these handlers, one for each kind.
    pub fn new(store: Store, clock: Clock, handlers: Vec<Arc<dyn Handler>>) -> Self {
        let of_kinds = |handler: Arc<dyn Handler>| {
            let kinds = handler.kinds().iter();
            kinds.map(move |kind| (*kind, Arc::clone(&handler)))
        };
        let limits = Limits::default();
        Self {
            turns: Arc::new(Semaphore::new(store.parallel_writers())),
            store,
            clock,
            handlers: Arc::new(handlers.into_iter().flat_map(of_kinds).collect()),
            lanes: Arc::new(Lanes::new(limits.webhook_lanes)),
            pauses: Arc::default(),
            woken: Arc::default(),
            limits,
        }
    }

    /// The same runner, which looks for due jobs at once when it is woken.
    #[must_use]
    pub fn woken_by(self, woken: Arc<Notify>) -> Self {
        Self { woken, ..self }
    }

    /// The same runner with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self {
            lanes: Arc::new(Lanes::new(limits.webhook_lanes)),
            limits,
            ..self
        }
    }

    /// Does all due jobs, including those that become due meanwhile. Returns the number of tries. For tests.
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
            let started = self
                .record_and_claim(lane, &mut tries, self.slots(lane))
                .await?;
            if started == 0 {
                return Ok(total);
            }
            total += started;
            self.collect_all(lane, &mut tries).await;
        }
    }

    /// Works on a lane until it has no work left or its turn is over, then on those that waited for it, or until `stop`.
    async fn work(self, lane: Arc<Lane>, stop: CancellationToken) {
        let mut next = Some(lane);
        while let Some(lane) = next {
            let work = Work::on(lane, &self.lanes);
            next = self.work_on(&work.lane, &stop).await;
        }
    }

    /// Works on a lane; returns the one that was opened when it closed.
    async fn work_on(&self, lane: &Lane, stop: &CancellationToken) -> Option<Arc<Lane>> {
        let mut tries = Tries::default();
        let (mut enough, mut has_begun) = (1, false);
        while !stop.is_cancelled() {
            let began = tokio::time::Instant::now();
            let slots = self.slots(lane);
            let free = slots.saturating_sub(tries.running.len());
            // Each turn begins at least one try.
            let is_over = has_begun && self.lanes.is_over(lane, self.limits.webhook_turn);
            let wanted = if is_over || free < enough { 0 } else { free };
            let failed = self.claim_or_log(lane, &mut tries, wanted).await.is_err();
            has_begun |= !failed;
            if !failed && tries.is_empty() {
                if let Closing::Closed(next) = self.close(lane, is_over) {
                    return next;
                }
                enough = 1;
                continue;
            }
            let rest = (began.elapsed() * REST_FACTOR).min(self.limits.poll_interval);
            stop.run_until_cancelled(tokio::time::sleep(rest)).await;
            let can_wait = !failed && !tries.running.is_empty();
            tokio::select! {
                () = stop.cancelled() => {}
                () = lane.offered(), if can_wait => enough = 1,
                // After a failure of the database, ended tries wait for the next turn.
                () = tokio::time::sleep(self.limits.poll_interval), if failed => enough = 1,
                ended = tries.collect(), if can_wait => {
                    self.update_pause(lane, ended);
                    enough = slots.div_ceil(CLAIM_DIVISOR);
                }
            }
        }
        self.collect_all(lane, &mut tries).await;
        // A job whose outcome cannot be recorded is done again when its lease ends.
        let _ = self.claim_or_log(lane, &mut tries, 0).await;
        None
    }

    /// How many tries for a lane's destination run at a time.
    fn slots(&self, lane: &Lane) -> usize {
        if lane.destination.is_webhook() {
            self.limits.webhook_slots
        } else {
            self.limits.slots
        }
    }

    fn close(&self, lane: &Lane, is_over: bool) -> Closing {
        let pause = self.pauses.of(&lane.destination);
        let is_paused = pause.admits(self.clock.now(), 1, 0) == 0;
        self.lanes.close(lane, is_paused, is_over)
    }

    async fn collect_all(&self, lane: &Lane, tries: &mut Tries) {
        while !tries.running.is_empty() {
            self.update_pause(lane, tries.collect().await);
        }
    }

    async fn claim_or_log(
        &self,
        lane: &Lane,
        tries: &mut Tries,
        wanted: usize,
    ) -> Result<usize, Error> {
        let turned = self.record_and_claim(lane, tries, wanted).await;
        if let Err(error) = &turned {
            let destination = &lane.destination;
            tracing::warn!(%destination, error = %chain(&error), "cannot claim jobs or record their outcomes");
        }
        turned
    }

    /// One transaction: records ended tries, and claims as many jobs as are wanted and admitted. Then it starts them and
    /// returns their number. If it fails, ended tries are kept for the next turn.
    async fn record_and_claim(
        &self,
        lane: &Lane,
        tries: &mut Tries,
        wanted: usize,
    ) -> Result<usize, Error> {
        let now = self.clock.now();
        let pause = self.pauses.of(&lane.destination);
        let admitted = pause.admits(now, wanted, tries.running.len());
        if admitted == 0 && tries.ended.is_empty() {
            return Ok(0);
        }
        // The semaphore is never closed.
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

    /// Updates the destination's pause after these tries.
    fn update_pause(&self, lane: &Lane, ended: &[Try]) {
        let (destination, now) = (&lane.destination, self.clock.now());
        for one in ended {
            let pause = match &one.outcome {
                Outcome::Unreachable(reason) => Some((None, reason)),
                Outcome::Slowed(asked, reason) => Some((*asked, reason)),
                _ => None,
            };
            if let Some((asked, reason)) = pause {
                let subject = one.job.key.subject_id;
                let begun = |pause: &mut Pause| pause.begin(now, one.started, subject, asked);
                if let Some(seconds) = self.pauses.change(destination, begun) {
                    tracing::warn!(%destination, %reason, seconds, "a destination does not work; its jobs pause");
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
