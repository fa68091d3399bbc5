//! The runner: claims jobs, runs their handlers and records the outcomes.

mod attempt;
mod dispatch;
mod mails;
mod record;

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    instant::Instant,
    job::{ClaimedJob, Destination, JobKind},
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
    limits::Limits,
    pause::Pause,
};
use attempt::{Outcome, Try, attempt};

/// Does jobs of the kinds that it has handlers for; other jobs wait. Any number of runners may share a database.
#[derive(Clone)]
pub struct Runner {
    store: Store,
    clock: Clock,
    handlers: Arc<HashMap<JobKind, Arc<dyn Handler>>>,
    lanes: Arc<Lanes>,
    pauses: Arc<Pauses>,
    /// Limits concurrent transactions, so that connections are left for requests.
    transactions: Arc<Semaphore>,
    /// Wakes it before the next poll.
    woken: Arc<Notify>,
    limits: Limits,
}

/// The tries of a lane: claimed ones that run or wait for a slot, and ended ones that are not recorded yet.
#[derive(Default)]
struct Tries {
    claimed: JoinSet<Try>,
    ended: Vec<Try>,
    /// How long the last transaction took.
    transaction: Duration,
}

impl Tries {
    /// Waits until a try ends, and collects all that have ended by then.
    async fn collect(&mut self) {
        let first = self.claimed.join_next().await;
        let rest = std::iter::from_fn(|| self.claimed.try_join_next());
        // A try catches panics of its handler, so it fails only with the whole process.
        self.ended.extend(first.into_iter().chain(rest).flatten());
    }

    async fn collect_all(&mut self) {
        while !self.claimed.is_empty() {
            self.collect().await;
        }
    }

    fn is_empty(&self) -> bool {
        self.claimed.is_empty() && self.ended.is_empty()
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
            transactions: Arc::new(Semaphore::new(store.parallel_writers())),
            store,
            clock,
            handlers: Arc::new(handlers.into_iter().flat_map(of_kinds).collect()),
            lanes: Arc::new(Lanes::new(limits)),
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
            lanes: Arc::new(Lanes::new(limits)),
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

    async fn drain_lane(&self, lane: &Arc<Lane>) -> Result<usize, Error> {
        let (mut tries, mut total) = (Tries::default(), 0);
        let slots = lane.limits.slots;
        loop {
            let started = self.record_and_claim(lane, &mut tries, slots).await?;
            if started == 0 {
                return Ok(total);
            }
            total += started;
            tries.collect_all().await;
        }
    }

    /// Works on a lane until it has no work left or its time slice is over, then on those that waited for it, or until `stop`.
    async fn work(self, lane: Arc<Lane>, stop: CancellationToken) {
        let mut next = Some(lane);
        while let Some(lane) = next {
            let work = Work::on(lane, &self.lanes);
            next = self.work_on(&work.lane, &stop).await;
        }
    }

    /// Works on a lane; returns the one that was opened when it closed.
    async fn work_on(&self, lane: &Arc<Lane>, stop: &CancellationToken) -> Option<Arc<Lane>> {
        let mut tries = Tries::default();
        let mut enough = 1;
        while !stop.is_cancelled() {
            let free = lane.limits.claims().saturating_sub(tries.claimed.len());
            let is_over = self.lanes.is_over(lane);
            let wanted = if is_over || free < enough { 0 } else { free };
            let failed = self.claim_or_log(lane, &mut tries, wanted).await.is_err();
            if !failed && tries.is_empty() {
                if let Closing::Closed(next) = self.close(lane, is_over) {
                    return next;
                }
                enough = 1;
                continue;
            }
            let rest = lane.limits.rest_after(tries.transaction);
            stop.run_until_cancelled(tokio::time::sleep(rest)).await;
            let can_wait = !failed && !tries.claimed.is_empty();
            tokio::select! {
                () = stop.cancelled() => {}
                () = lane.offered(), if can_wait => enough = 1,
                // After a failure of the database, ended tries wait for the next transaction.
                () = tokio::time::sleep(self.limits.poll_interval), if failed => enough = 1,
                () = tries.collect(), if can_wait => enough = lane.limits.enough_claims(),
            }
        }
        lane.begin_no_more();
        tries.collect_all().await;
        // A job whose outcome cannot be recorded is done again when its lease ends.
        let _ = self.claim_or_log(lane, &mut tries, 0).await;
        None
    }

    fn close(&self, lane: &Lane, is_over: bool) -> Closing {
        let pause = self.pauses.of(&lane.destination);
        let is_paused = pause.admits(self.clock.now(), 1, 0) == 0;
        self.lanes.close(lane, is_paused, is_over)
    }

    async fn claim_or_log(
        &self,
        lane: &Arc<Lane>,
        tries: &mut Tries,
        wanted: usize,
    ) -> Result<usize, Error> {
        let claimed = self.record_and_claim(lane, tries, wanted).await;
        if let Err(error) = &claimed {
            let destination = &lane.destination;
            tracing::warn!(%destination, error = %chain(&error), "cannot claim jobs or record their outcomes");
        }
        claimed
    }

    /// One transaction: records ended tries, and claims as many jobs as are wanted and admitted. Then it starts them and
    /// returns their number. If it fails, ended tries are recorded by the next one.
    async fn record_and_claim(
        &self,
        lane: &Arc<Lane>,
        tries: &mut Tries,
        wanted: usize,
    ) -> Result<usize, Error> {
        let now = self.clock.now();
        let pause = self.pauses.of(&lane.destination);
        let admitted = pause.admits(now, wanted, tries.claimed.len());
        tries.transaction = Duration::ZERO;
        if admitted == 0 && tries.ended.is_empty() {
            return Ok(0);
        }
        // The semaphore is never closed.
        let _permit = self.transactions.acquire().await;
        let began = tokio::time::Instant::now();
        let mut tx = self.store.begin().await?;
        self.record(lane, &mut tx, &tries.ended, now).await?;
        let claimed = self.claim(lane, &mut tx, admitted, now).await?;
        tx.commit().await?;
        tries.transaction = began.elapsed();
        tries.ended.clear();
        let count = claimed.len();
        for (handler, job) in claimed {
            let (runner, lane) = (self.clone(), Arc::clone(lane));
            tries.claimed.spawn(runner.run_try(lane, handler, job));
        }
        Ok(count)
    }

    /// Runs a try in a slot of its lane, unless its destination pauses by then, or the lane's time slice is over or its work ends.
    async fn run_try(self, lane: Arc<Lane>, handler: Arc<dyn Handler>, job: ClaimedJob) -> Try {
        let slot = lane.slot().await;
        let (destination, now) = (&lane.destination, self.clock.now());
        let is_paused = self.pauses.of(destination).admits(now, 1, 0) == 0;
        if slot.is_none() || is_paused || self.lanes.is_over(&lane) {
            return Try::not_begun(job, now);
        }
        lane.note_begun();
        let ended = attempt(handler, job, now, lane.limits.timeout).await;
        // Before the slot is free: no further try begins where nothing works.
        self.update_pause(destination, &ended);
        ended
    }

    /// Updates the destination's pause after a try.
    fn update_pause(&self, destination: &Destination, ended: &Try) {
        let (now, started) = (self.clock.now(), ended.started);
        let pause = match &ended.outcome {
            Outcome::Unreachable(reason) => Some((None, reason)),
            Outcome::Slowed(asked, reason) => Some((*asked, reason)),
            _ => None,
        };
        if let Some((asked, reason)) = pause {
            let subject = ended.job.key.subject_id;
            let begun = |pause: &mut Pause| pause.begin(now, started, subject, asked);
            if let Some(seconds) = self.pauses.change(destination, begun) {
                tracing::warn!(%destination, %reason, seconds, "a destination does not work; its jobs pause");
            }
        } else if self.pauses.change(destination, |pause| pause.end(started)) {
            tracing::info!(%destination, "a destination works again");
        }
    }

    async fn claim(
        &self,
        lane: &Lane,
        tx: &mut Tx,
        count: usize,
        now: Instant,
    ) -> Result<Vec<(Arc<dyn Handler>, ClaimedJob)>, Error> {
        let lease = i64::try_from(lane.limits.lease().as_secs()).unwrap_or(i64::MAX);
        let leased_until = now.plus_seconds(lease);
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
