//! A limit on calls at a time, which follows how long they take.
//!
//! Calls that a busy machine or a slow database cannot answer soon would make all others wait. Nobody knows the right limit
//! beforehand. So it shrinks when calls become slow while most permits are in use, and grows again while they are fast. Calls beyond
//! it are refused at once, which costs little.
//!
//! A process that only passes calls on does not judge by their time, of which its own delays are a part: it would call less when it
//! is busy itself. Its limit shrinks when the other side refuses calls.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::metrics::{self, Metrics};

/// A call that takes longer is slow. Then 99 of 100 accepted calls take less than a second.
const SLOW: Duration = Duration::from_millis(300);

/// The largest reduction by one slow call, which may have reasons of its own.
const MAX_REDUCTION: f64 = 0.5;

/// How many permits come back after as many fast calls as there are permits.
const GROWTH: f64 = 4.0;

/// A limit on calls of one kind.
#[derive(Debug)]
struct KindLimit {
    min: f64,
    max: f64,
    /// A call that takes longer is slow; `None` if only refusals count.
    slow: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    in_use: u32,
    limit: f64,
    reduced: Option<Instant>,
}

impl KindLimit {
    fn new(min: u32, max: u32, slow: Option<Duration>) -> Arc<Self> {
        Arc::new(Self {
            min: min.into(),
            max: max.into(),
            slow,
            state: Mutex::new(State {
                in_use: 0,
                limit: max.into(),
                reduced: None,
            }),
        })
    }

    fn is_full(&self) -> bool {
        let state = self.state();
        f64::from(state.in_use) >= state.limit
    }

    fn look(&self, kind: Kind, metrics: &Metrics) {
        let State { in_use, limit, .. } = *self.state();
        let labels = [kind.name().into()];
        metrics.permits_taken.set(labels, in_use.into());
        metrics.permits.set(labels, limit.floor());
    }

    /// A permit for a call, if one is free.
    fn acquire(self: &Arc<Self>) -> Option<Permit> {
        let mut state = self.state();
        if f64::from(state.in_use) >= state.limit {
            return None;
        }
        state.in_use += 1;
        Some(Permit {
            permits: Arc::clone(self),
            since: Instant::now(),
            shed: false,
        })
    }

    fn release(&self, permit: &Permit) {
        let now = Instant::now();
        let took = now.duration_since(permit.since);
        let mut state = self.state();
        let most_are_in_use = f64::from(state.in_use) * 2.0 > state.limit;
        state.in_use = state.in_use.saturating_sub(1);
        if !most_are_in_use {
            return;
        }
        let slow = self.slow.filter(|slow| took > *slow);
        if !permit.shed && slow.is_none() {
            state.limit = (state.limit + GROWTH / state.limit).min(self.max);
        } else if state.reduced.is_none_or(|reduced| permit.since >= reduced) {
            // Calls that began before a reduction say nothing about it.
            let share = slow.map_or(0.0, |slow| slow.div_duration_f64(took));
            let share = share.max(MAX_REDUCTION);
            state.limit = (state.limit * share).max(self.min);
            state.reduced = Some(now);
        }
    }

    /// A panic cannot leave the numbers in a bad state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a call may change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It changes nothing.
    Read,
    /// It may change something.
    Write,
}

impl Kind {
    /// The kind of an rpc, which changes nothing or may change something.
    pub const fn of(read_only: bool) -> Self {
        if read_only { Self::Read } else { Self::Write }
    }

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// A limit on calls of each kind, so that too many of one kind do not keep out the other. Clones share it.
#[derive(Debug, Clone)]
pub struct AdaptiveLimit {
    reads: Arc<KindLimit>,
    writes: Arc<KindLimit>,
}

impl AdaptiveLimit {
    /// Returns a limit of `max` calls of each kind, which this process answers. It is never below `min`.
    pub fn new(min: u32, max: u32) -> Self {
        Self {
            reads: KindLimit::new(min, max, Some(SLOW)),
            writes: KindLimit::new(min, max, Some(SLOW)),
        }
    }

    /// Returns the same for calls that another process answers.
    pub fn for_remote(min: u32, max: u32) -> Self {
        Self {
            reads: KindLimit::new(min, max, None),
            writes: KindLimit::new(min, max, None),
        }
    }

    /// Returns the same limit, which metrics show.
    #[must_use]
    pub fn measured(self) -> Self {
        for kind in [Kind::Read, Kind::Write] {
            let permits = Arc::downgrade(self.of(kind));
            metrics::watch(move |all| {
                permits
                    .upgrade()
                    .map(|permits| permits.look(kind, all))
                    .is_some()
            });
        }
        self
    }

    /// Returns a permit for a call of this kind, if one is free.
    pub fn acquire(&self, kind: Kind) -> Option<Permit> {
        self.of(kind).acquire()
    }

    /// Returns whether all permits for calls of this kind are in use.
    pub fn is_full(&self, kind: Kind) -> bool {
        self.of(kind).is_full()
    }

    const fn of(&self, kind: Kind) -> &Arc<KindLimit> {
        match kind {
            Kind::Read => &self.reads,
            Kind::Write => &self.writes,
        }
    }
}

/// The permit of a call, which is free again when this is dropped.
#[derive(Debug)]
pub struct Permit {
    permits: Arc<KindLimit>,
    since: Instant,
    shed: bool,
}

impl Permit {
    /// Records that the called side refused the call, since it has too many.
    pub const fn shed(&mut self) {
        self.shed = true;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits.release(self);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const FAST: Duration = Duration::from_millis(5);

    fn take_all(permits: &Arc<KindLimit>) -> Vec<Permit> {
        std::iter::from_fn(|| permits.acquire()).collect()
    }

    /// How many permits of 100 are left after so many rounds in which all are taken for a while.
    async fn left_after(rounds: usize, took: Duration) -> usize {
        let permits = KindLimit::new(8, 100, Some(SLOW));
        for _ in 0..rounds {
            let taken = take_all(&permits);
            advance(took).await;
            drop(taken);
        }
        take_all(&permits).len()
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_as_many_permits_as_said_while_calls_are_fast() {
        assert_eq!(left_after(10, FAST).await, 100);
        let permits = KindLimit::new(8, 100, Some(SLOW));
        let mut taken = take_all(&permits);
        assert!(permits.acquire().is_none());
        taken.pop();
        assert!(permits.acquire().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn slow_calls_leave_as_many_permits_as_are_fast_enough_and_never_too_few() {
        assert_eq!(left_after(1, SLOW).await, 100);
        assert_eq!(left_after(1, SLOW * 5 / 4).await, 80);
        assert_eq!(left_after(1, SLOW * 100).await, 50);
        assert_eq!(left_after(20, SLOW * 100).await, 8);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_slow_while_others_find_permits_changes_nothing() {
        let permits = KindLimit::new(8, 100, Some(SLOW));
        for _ in 0..20 {
            let permit = permits.acquire();
            advance(SLOW * 2).await;
            drop(permit);
        }
        assert_eq!(take_all(&permits).len(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn permits_come_back_within_seconds() {
        let permits = KindLimit::new(8, 100, Some(SLOW));
        for _ in 0..20 {
            let taken = take_all(&permits);
            advance(SLOW * 100).await;
            drop(taken);
        }
        let start = Instant::now();
        loop {
            let taken = take_all(&permits);
            if taken.len() == 100 {
                break;
            }
            advance(FAST).await;
        }
        assert!(
            start.elapsed() < Duration::from_secs(3),
            "{:?}",
            start.elapsed()
        );
    }

    #[test]
    fn too_many_writes_leave_the_permits_of_reads_free() {
        let limit = AdaptiveLimit::new(1, 2);
        let writes: Vec<_> = std::iter::from_fn(|| limit.acquire(Kind::Write)).collect();
        assert_eq!(writes.len(), 2);
        let reads: Vec<_> = std::iter::from_fn(|| limit.acquire(Kind::Read)).collect();
        assert_eq!(reads.len(), 2);
        assert!(limit.acquire(Kind::Write).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn slow_calls_to_another_process_leave_their_permits() {
        let permits = KindLimit::new(8, 100, None);
        let taken = take_all(&permits);
        advance(SLOW * 100).await;
        drop(taken);
        assert_eq!(take_all(&permits).len(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_the_other_side_refuses_leave_fewer_permits() {
        let permits = KindLimit::new(8, 100, None);
        let mut taken = take_all(&permits);
        taken.iter_mut().for_each(Permit::shed);
        advance(FAST).await;
        drop(taken);
        assert_eq!(take_all(&permits).len(), 50);
    }
}
