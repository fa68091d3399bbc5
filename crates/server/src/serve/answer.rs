//! Until when a connection may wait for a request, and until when that and its answer may take, which moves that on as long as it is sent.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use http_body::Body;
use http_body_util::BodyExt as _;
use hyper::rt::{Sleep, Timer};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::Limits;
use crate::connections;

/// When a connection is overdue: its next request, or what it has of one, or the answer. That is moved several times with every request, almost
/// always to a time after the one that is waited for, for which nobody has to be woken up.
pub(super) struct Due {
    start: Instant,
    /// Nanoseconds after the start.
    at: AtomicU64,
    /// What is waited for, which may be sooner.
    waits_for: AtomicU64,
    is_sooner: Notify,
    /// Whether it is a request that is due, and not an answer.
    is_request: AtomicBool,
}

impl Due {
    /// The first request is overdue then.
    pub(super) fn at(first: Instant) -> Arc<Self> {
        let due = Self {
            start: Instant::now(),
            at: AtomicU64::new(0),
            waits_for: AtomicU64::new(0),
            is_sooner: Notify::new(),
            is_request: AtomicBool::new(true),
        };
        due.set(first);
        Arc::new(due)
    }

    fn set(&self, at: Instant) {
        let after = at.saturating_duration_since(self.start).as_nanos();
        let after = u64::try_from(after).unwrap_or(u64::MAX);
        // In one order with what `passed` does: one of the two sees what the other has written.
        self.at.store(after, Ordering::SeqCst);
        if after < self.waits_for.load(Ordering::SeqCst) {
            self.is_sooner.notify_one();
        }
    }

    /// Whether it is a request that is due, and not an answer.
    pub(super) fn is_request(&self) -> bool {
        self.is_request.load(Ordering::Relaxed)
    }

    /// Completes when the connection is overdue, with the time at which that was to be.
    pub(super) async fn passed(&self) -> Instant {
        loop {
            let after = self.at.load(Ordering::SeqCst);
            self.waits_for.store(after, Ordering::SeqCst);
            if self.at.load(Ordering::SeqCst) < after {
                continue;
            }
            let at = self.start + Duration::from_nanos(after);
            tokio::select! {
                () = sleep_until(at) => if self.at.load(Ordering::SeqCst) <= after {
                    return at;
                },
                () = self.is_sooner.notified() => {}
            }
        }
    }
}

/// What hyper takes for a timer. It sets one when it begins to wait for a header, and only then: that moves what is due, so no request needs a
/// timer of its own.
pub(super) struct Headers {
    due: Arc<Due>,
    /// The first one is due already, and sooner.
    is_first: AtomicBool,
}

impl Headers {
    pub(super) const fn of(due: Arc<Due>) -> Self {
        let is_first = AtomicBool::new(true);
        Self { due, is_first }
    }
}

impl Timer for Headers {
    fn sleep(&self, time: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + time)
    }

    fn sleep_until(&self, at: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        if !self.is_first.swap(false, Ordering::Relaxed) {
            self.due.is_request.store(true, Ordering::Relaxed);
            self.due.set(at.into());
        }
        Box::pin(Never)
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into()
    }
}

/// The connection is closed by who waits for what is due.
struct Never;

impl Future for Never {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Sleep for Never {}

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
        busy.due.is_request.store(false, Ordering::Relaxed);
        busy.goes_on(now);
        busy
    }

    fn goes_on(&self, now: Instant) {
        self.due.set((now + self.pause).min(self.last));
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // What remains of the answer must be written. Once it is, hyper waits for the next header.
        self.due.set(Instant::now() + self.pause);
    }
}

/// The body of an answer. It is asked for a piece only when the client has taken those before.
pub(super) fn answer<B: Body>(body: B, busy: Busy) -> impl Body<Data = B::Data, Error = B::Error> {
    body.inspect_frame(move |_piece| busy.goes_on(Instant::now()))
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_due_later_or_sooner_than_is_waited_for_is_noticed() {
        let start = Instant::now();
        let due = Due::at(start + Duration::from_secs(1));
        let waiting = tokio::spawn({
            let due = Arc::clone(&due);
            async move { due.passed().await }
        });
        // It waits for the first time, and finds then that it is later.
        sleep(Duration::from_millis(500)).await;
        due.set(start + Duration::from_secs(100));
        sleep(Duration::from_secs(1)).await;
        assert!(!waiting.is_finished());
        due.set(start + Duration::from_secs(5));
        advance(Duration::from_secs(2)).await;
        assert!(!waiting.is_finished());
        let passed = waiting.await.unwrap();
        assert_eq!(passed, start + Duration::from_secs(5));
        assert!(start.elapsed() < Duration::from_secs(6));
    }

    #[tokio::test(start_paused = true)]
    async fn hyper_moves_what_is_due_for_each_header_but_the_first() {
        let start = Instant::now();
        let due = Due::at(start + Duration::from_secs(1));
        let headers = Headers::of(Arc::clone(&due));
        let after = |seconds| (start + Duration::from_secs(seconds)).into_std();
        let _first = headers.sleep_until(after(30));
        assert_eq!(due.passed().await, start + Duration::from_secs(1));
        let _next = headers.sleep_until(after(40));
        assert_eq!(due.passed().await, start + Duration::from_secs(40));
        assert!(due.is_request());
    }
}
