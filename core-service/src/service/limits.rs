//! Rate limits on registrations, which also limit how many mails strangers can cause. Each core counts in its own memory: the
//! effective limit is multiplied by the number of cores, and a restart resets it.

use std::{
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use governor::{
    Quota, RateLimiter, clock::Reference as _, middleware::StateInformationMiddleware,
    state::keyed::HashMapStateStore,
};

use super::Error;
use crate::domain::{
    clock::Clock,
    rate::{Limit, LimitSettings},
};

/// How often counters without effect are removed from memory.
const TIDY_SECONDS: i64 = 60;

/// The remaining allowance of a client address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// The limit in a window.
    pub quota: u32,
    /// The window, in seconds.
    pub window_seconds: u64,
    /// The remaining number.
    pub remaining: u32,
    /// Seconds until one more is allowed.
    pub reset_seconds: u64,
}

/// The rate limiters.
#[derive(Debug)]
pub(super) struct Limiters {
    address: Option<Limiter<IpAddr>>,
    event: Option<Limiter<String>>,
    recipient: Option<Limiter<String>>,
}

impl Limiters {
    pub(super) fn new(settings: LimitSettings, clock: &Clock) -> Self {
        Self {
            address: Limiter::new(settings.per_address, clock),
            event: Limiter::new(settings.per_event, clock),
            recipient: Limiter::new(settings.per_recipient, clock),
        }
    }

    /// Counts a request of a client, whose address is not always known.
    pub(super) fn count_address(&self, client: Option<IpAddr>) -> Result<Option<Allowance>, Error> {
        let (Some(limiter), Some(client)) = (&self.address, client) else {
            return Ok(None);
        };
        let counted = limiter.count(&network(client));
        let refused = |wait| Error::RateLimited {
            wait,
            allowance: Some(limiter.allowance(0, wait)),
        };
        counted.map(Some).map_err(refused)
    }

    /// Counts a registration for an event.
    pub(super) fn count_event(&self, slug: &str) -> Result<(), Error> {
        count(self.event.as_ref(), slug)
    }

    /// Counts a mail to a normalised address. Only mails that are really sent count: otherwise refused requests of strangers
    /// could use up a person's limit.
    pub(super) fn count_recipient(&self, email_norm: &str) -> Result<(), Error> {
        count(self.recipient.as_ref(), email_norm)
    }
}

fn count(limiter: Option<&Limiter<String>>, key: &str) -> Result<(), Error> {
    let Some(limiter) = limiter else {
        return Ok(());
    };
    // The allowance would reveal requests of others, so the error only says when to try again.
    limiter
        .count(&key.to_owned())
        .map(|_allowance| ())
        .map_err(|wait| Error::RateLimited {
            wait,
            allowance: None,
        })
}

/// The network that counts as one client: a subscriber has 2^64 IPv6 addresses.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// One rate limit, counted for each key.
#[derive(Debug)]
struct Limiter<K: Hash + Eq + Clone> {
    quota: u32,
    window: Duration,
    states: States<K>,
    clock: Clock,
    /// When to remove counters next, in microseconds since the epoch.
    tidy_at: AtomicI64,
}

type States<K> = RateLimiter<K, HashMapStateStore<K>, Ticks, StateInformationMiddleware>;

impl<K: Hash + Eq + Clone> Limiter<K> {
    fn new(limit: Limit, clock: &Clock) -> Option<Self> {
        let Limit::Rate { count, per } = limit else {
            return None;
        };
        let window = per.length();
        let quota = Quota::with_period(window / count.get())?.allow_burst(count);
        let ticks = Ticks(clock.clone());
        Some(Self {
            quota: count.get(),
            window,
            states: RateLimiter::new(quota, HashMapStateStore::default(), ticks),
            clock: clock.clone(),
            tidy_at: AtomicI64::new(0),
        })
    }

    /// Counts one more, or returns how long to wait.
    fn count(&self, key: &K) -> Result<Allowance, Duration> {
        self.tidy();
        match self.states.check_key(key) {
            Ok(state) => {
                let each = self.window / self.quota.max(1);
                Ok(self.allowance(state.remaining_burst_capacity(), each))
            }
            Err(refused) => {
                let now = Ticks(self.clock.clone()).read();
                Err(refused.earliest_possible().duration_since(now).into())
            }
        }
    }

    fn allowance(&self, remaining: u32, reset: Duration) -> Allowance {
        Allowance {
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
pub(super) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0 || wait.is_zero())
}

/// The injected clock, as the limiter reads it.
#[derive(Debug, Clone)]
struct Ticks(Clock);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{instant::Instant, rate::Period};

    fn limiters(clock: &Clock) -> Limiters {
        let settings = LimitSettings {
            per_address: Limit::new(2, Period::Minute),
            per_event: Limit::Off,
            per_recipient: Limit::new(1, Period::Hour),
        };
        Limiters::new(settings, clock)
    }

    #[test]
    fn an_address_has_so_many_in_a_window_and_is_told_what_is_left() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        let client = "192.0.2.1".parse().ok();
        let left = |remaining| Allowance {
            quota: 2,
            window_seconds: 60,
            remaining,
            reset_seconds: 30,
        };
        assert_eq!(limiters.count_address(client).unwrap(), Some(left(1)));
        assert_eq!(limiters.count_address(client).unwrap(), Some(left(0)));
        let refused = limiters.count_address(client);
        let Err(Error::RateLimited { wait, allowance }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((wait.as_secs(), allowance), (30, Some(left(0))));
        let other = "192.0.2.2".parse().ok();
        assert!(limiters.count_address(other).is_ok());
        assert!(limiters.count_address(None).unwrap().is_none());
        clock.advance_seconds(30);
        assert!(limiters.count_address(client).is_ok());
    }

    #[test]
    fn the_addresses_of_one_subscriber_count_together() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        for address in ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"] {
            assert!(limiters.count_address(address.parse().ok()).is_ok());
        }
        let next = "2001:db8:1:2::7".parse().ok();
        assert!(limiters.count_address(next).is_err());
        let other = "2001:db8:1:3::1".parse().ok();
        assert!(limiters.count_address(other).is_ok());
        let mapped = "::ffff:192.0.2.1".parse().unwrap();
        assert_eq!(network(mapped), "192.0.2.1".parse::<IpAddr>().unwrap());
    }

    #[test]
    fn what_is_forgotten_would_be_allowed_anyway() {
        let clock = Clock::manual(Instant::from_micros(1_800_000_000_000_000));
        let limiters = limiters(&clock);
        let known = || limiters.recipient.as_ref().unwrap().states.len();
        limiters.count_recipient("ada@example.org").unwrap();
        clock.advance_seconds(120);
        limiters.count_recipient("bob@example.org").unwrap();
        assert!(limiters.count_recipient("ada@example.org").is_err());
        assert_eq!(known(), 2);
        clock.advance_seconds(2 * 3_600);
        assert!(limiters.count_recipient("cleo@example.org").is_ok());
        assert_eq!(known(), 1);
        assert!(limiters.count_recipient("ada@example.org").is_ok());
        for _ in 0..100 {
            limiters.count_event("meetup").unwrap();
        }
    }
}
