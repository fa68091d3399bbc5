//! Until when a request may take, and its answer, which moves that on as long as it is sent.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::Limits;
use crate::connections;

/// When the request of a connection is overdue. It is moved with every request and every piece of an answer, almost always to a later time,
/// for which nobody has to be woken up.
pub(super) struct Due {
    start: Instant,
    /// Nanoseconds after the start.
    at: AtomicU64,
    is_sooner: Notify,
}

impl Due {
    /// The first request is overdue then.
    pub(super) fn at(first: Instant) -> Arc<Self> {
        let due = Self {
            start: Instant::now(),
            at: AtomicU64::new(0),
            is_sooner: Notify::new(),
        };
        due.set(first);
        Arc::new(due)
    }

    fn set(&self, at: Instant) {
        let after = at.saturating_duration_since(self.start).as_nanos();
        let after = u64::try_from(after).unwrap_or(u64::MAX);
        if after < self.at.swap(after, Ordering::AcqRel) {
            self.is_sooner.notify_one();
        }
    }

    fn get(&self) -> Instant {
        self.start + Duration::from_nanos(self.at.load(Ordering::Acquire))
    }

    /// Completes when a request is overdue, with the time at which that was to be.
    pub(super) async fn passed(&self) -> Instant {
        loop {
            let at = self.get();
            tokio::select! {
                () = sleep_until(at) => if self.get() <= at {
                    return at;
                },
                () = self.is_sooner.notified() => {}
            }
        }
    }
}

/// Exists while a request runs.
pub(super) struct Busy {
    due: Arc<Due>,
    pause: Duration,
    /// No answer takes longer.
    last: Instant,
    _request: connections::Busy,
}

impl Busy {
    /// A request that begins now.
    pub(super) fn begin(due: Arc<Due>, limits: &Limits, request: connections::Busy) -> Self {
        let now = Instant::now();
        let busy = Self {
            due,
            pause: limits.request,
            last: now + limits.answer,
            _request: request,
        };
        busy.goes_on(now);
        busy
    }

    fn goes_on(&self, now: Instant) {
        self.due.set((now + self.pause).min(self.last));
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // What remains of the answer must be written. An idle connection ends before this, by the limit on headers.
        self.due.set(Instant::now() + self.pause);
    }
}

/// The body of an answer. It is asked for a piece only when the client has taken those before.
pub(super) fn answer<B: Body>(body: B, busy: Busy) -> impl Body<Data = B::Data, Error = B::Error> {
    body.inspect_frame(move |_piece| busy.goes_on(Instant::now()))
}
