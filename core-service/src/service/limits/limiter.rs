//! One rate limit. Its counters can be looked at without counting; governor itself only counts.

use std::{
    convert::Infallible,
    hash::Hash,
    num::NonZeroU32,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use domain::{clock::Clock, rate::Limit};
use governor::{
    Quota, RateLimiter,
    clock::Reference as _,
    middleware::StateInformationMiddleware,
    nanos::Nanos,
    state::{
        StateStore,
        keyed::{HashMapStateStore, ShrinkableKeyedStateStore},
    },
};

/// How often counters without effect are removed from memory.
const TIDY_SECONDS: i64 = 60;

/// The remaining allowance of a client address or an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// The name of the limit.
    pub name: &'static str,
    /// The limit in a window.
    pub quota: u32,
    /// The window, in seconds.
    pub window_seconds: u64,
    /// The remaining number.
    pub remaining: u32,
    /// Seconds until one more is allowed.
    pub reset_seconds: u64,
}

/// One rate limit, counted for each key.
#[derive(Debug)]
pub(in crate::service) struct Limiter<K: Hash + Eq + Clone> {
    name: &'static str,
    quota: u32,
    window: Duration,
    pub(super) states: States<K>,
    clock: Clock,
    /// When to remove counters next, in microseconds since the epoch.
    tidy_at: AtomicI64,
}

pub(super) type States<K> = RateLimiter<Access<K>, Counters<K>, Ticks, StateInformationMiddleware>;

impl<K: Hash + Eq + Clone> Limiter<K> {
    pub(in crate::service) fn new(name: &'static str, limit: Limit, clock: &Clock) -> Option<Self> {
        let Limit::Rate { count, per } = limit else {
            return None;
        };
        let window = per.length();
        let quota = Quota::with_period(window / count.get())?.allow_burst(count);
        let ticks = Ticks(clock.clone());
        Some(Self {
            name,
            quota: count.get(),
            window,
            states: RateLimiter::new(quota, Counters::default(), ticks),
            clock: clock.clone(),
            tidy_at: AtomicI64::new(0),
        })
    }

    /// Counts one more, or returns how long to wait.
    pub(in crate::service) fn count(&self, key: &K) -> Result<Allowance, Duration> {
        self.tidy();
        match self.states.check_key(&Access::Count(key.clone())) {
            Ok(state) => Ok(self.allowance(state.remaining_burst_capacity(), self.each())),
            Err(refused) => Err(self.wait_until(refused.earliest_possible())),
        }
    }

    /// Whether so many more would be allowed, or how long to wait. Counts nothing.
    pub(in crate::service) fn check(&self, key: &K, more: NonZeroU32) -> Result<(), Duration> {
        match self.states.check_key_n(&Access::Look(key.clone()), more) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(refused)) => Err(self.wait_until(refused.earliest_possible())),
            // More than a window allows.
            Err(_) => Err(self.each()),
        }
    }

    /// The time in which one more is allowed.
    fn each(&self) -> Duration {
        self.window / self.quota.max(1)
    }

    fn wait_until(&self, moment: Duration) -> Duration {
        let now = Ticks(self.clock.clone()).read();
        moment.duration_since(now).into()
    }

    pub(super) fn allowance(&self, remaining: u32, reset: Duration) -> Allowance {
        Allowance {
            name: self.name,
            quota: self.quota,
            window_seconds: self.window.as_secs(),
            remaining,
            reset_seconds: whole_seconds(reset),
        }
    }

    /// Removes counters without effect from time to time.
    fn tidy(&self) {
        let now = self.clock.now();
        let due = self.tidy_at.load(Ordering::Relaxed);
        if now.micros() < due {
            return;
        }
        let next = now.plus_seconds(TIDY_SECONDS).micros();
        let turn = self
            .tidy_at
            .compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed);
        if turn.is_ok() {
            self.states.retain_recent();
            self.states.shrink_to_fit();
        }
    }
}

/// Rounds up, to at least one second.
pub(in crate::service) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0 || wait.is_zero())
}

/// The injected clock, as the limiter reads it.
#[derive(Debug, Clone)]
pub(super) struct Ticks(Clock);

impl Ticks {
    fn read(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.now().micros()).unwrap_or(0))
    }
}

impl governor::clock::Clock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.read()
    }
}

/// A key, and what is done with its counter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Access<K> {
    /// It is changed, if the limit allows it.
    Count(K),
    /// It stays as it is.
    Look(K),
}

/// The counters of a limit.
#[derive(Debug)]
pub(super) struct Counters<K: Hash + Eq + Clone>(HashMapStateStore<K>);

impl<K: Hash + Eq + Clone> Default for Counters<K> {
    fn default() -> Self {
        Self(HashMapStateStore::default())
    }
}

impl<K: Hash + Eq + Clone> StateStore for Counters<K> {
    type Key = Access<K>;

    fn measure_and_replace<T, F, E>(&self, key: &Access<K>, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        match key {
            Access::Count(key) => self.0.measure_and_replace(key, decide),
            Access::Look(key) => {
                // What fails is not stored.
                let look = |before| -> Result<(Infallible, Nanos), Result<T, E>> {
                    Err(decide(before).map(|(answer, _)| answer))
                };
                let Err(answer) = self.0.measure_and_replace(key, look);
                answer
            }
        }
    }
}

impl<K: Hash + Eq + Clone> ShrinkableKeyedStateStore<Access<K>> for Counters<K> {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.retain_recent(drop_below);
    }

    fn shrink_to_fit(&self) {
        self.0.shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
