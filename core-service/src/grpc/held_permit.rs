//! The permit that a call holds while it works. A call that waits gives it back, so that those that work get it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::Extensions;
use server::adaptive_limit::Permit;
use tokio::time::Instant;

/// How long before its deadline a call stops waiting: time to look once more, and for the answer's way.
const ANSWER_TIME: Duration = Duration::from_millis(500);

/// When a call is ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    /// Of a call that begins now and has this time.
    pub(super) fn after(limit: Duration) -> Self {
        Self(Instant::now() + limit)
    }
}

/// The permit of a call. The gate drops it with the call, if it has not been given back before.
#[derive(Debug, Clone)]
pub(super) struct HeldPermit(Arc<Mutex<Option<Permit>>>);

impl HeldPermit {
    /// Holds a permit.
    pub(super) fn new(permit: Permit) -> Self {
        Self(Arc::new(Mutex::new(Some(permit))))
    }

    /// Gives it back.
    pub(super) fn release(&self) {
        let permit = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(permit);
    }

    /// Whether it has been given back.
    pub(super) fn is_released(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }
}

/// How a call may wait: without its permit, and not for longer than its deadline allows.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits {
    permit: Option<HeldPermit>,
    deadline: Option<Deadline>,
}

impl Waits {
    /// Of the call with these extensions.
    pub(super) fn of(extensions: &Extensions) -> Self {
        Self {
            permit: extensions.get().cloned(),
            deadline: extensions.get().copied(),
        }
    }

    /// How long it may wait that wants to for this long.
    pub(super) fn limit(&self, wanted: Duration) -> Duration {
        self.deadline.map_or(wanted, |Deadline(at)| {
            let left = at.saturating_duration_since(Instant::now());
            wanted.min(left.saturating_sub(ANSWER_TIME))
        })
    }

    /// Gives back its permit.
    pub(super) fn release(&self) {
        if let Some(permit) = &self.permit {
            permit.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use server::adaptive_limit::{AdaptiveLimit, Kind};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_that_waits_holds_no_permit_and_ends_before_its_deadline() {
        let limit = AdaptiveLimit::new(1, 1);
        let mut extensions = Extensions::new();
        let held = HeldPermit::new(limit.acquire(Kind::Read).unwrap());
        extensions.insert(held.clone());
        extensions.insert(Deadline::after(Duration::from_secs(10)));
        let waits = Waits::of(&extensions);
        assert!(limit.is_full(Kind::Read));
        waits.release();
        assert!(held.is_released());
        let other = limit.acquire(Kind::Read).unwrap();
        held.release();
        assert!(limit.is_full(Kind::Read), "the permit is another's by now");
        drop(other);
        let short = Duration::from_secs(1);
        assert_eq!(waits.limit(short), short);
        let longest = Duration::from_millis(9_500);
        assert_eq!(waits.limit(Duration::from_secs(20)), longest);
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(waits.limit(short), Duration::ZERO);
    }
}
