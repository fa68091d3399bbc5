//! One replica of core.

use std::{
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::{Request, Response};
use server::{
    adaptive_limit::{AdaptiveLimit, Kind, Permit},
    metrics,
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};
use tonic::{Status, body::Body};
use tower::util::BoxCloneSyncService;

/// The transport of a call: channels, or core itself in the same process.
pub(crate) type Transport = BoxCloneSyncService<Request<Body>, Response<Body>, Status>;

/// How long a failed replica is ejected: about the time of a restart.
const EJECTION_TIME: Duration = Duration::from_secs(5);

/// The same for one that closes a connection: longer than a replica that stops takes connections.
const CLOSING_EJECTION_TIME: Duration = Duration::from_secs(2);

/// How many reads, and how many writes, wait for a replica's answers at a time. Together they are what its connections take, so that
/// none waits for a stream.
const MAX_CALLS: u32 = 200;

/// The same for a replica that refuses calls. Up to 64 calls may wait in it for messages; these are some more.
const MIN_CALLS: u32 = 96;

/// How long a call waits for its answer before its replica is checked, and the least time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(400);

/// All permits are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// A replica, and whether it is ejected: then it gets no calls while others do.
pub(crate) struct Endpoint {
    /// `None` if this is the only way to core.
    pub(crate) address: Option<SocketAddr>,
    pub(crate) transport: Transport,
    /// `None` if it is in this process, where it limits its calls itself.
    limit: Option<AdaptiveLimit>,
    /// Until when it is ejected. Then it is probed before it gets calls again.
    ejected_until: Mutex<Option<Instant>>,
    /// Wakes the calls that wait for it when it is ejected.
    ejected: Notify,
    /// When it was last checked because of a call without an answer.
    checked: Mutex<Option<Instant>>,
    /// Held while it is checked because of an answer.
    pub(crate) doubted: tokio::sync::Mutex<()>,
}

impl Endpoint {
    /// A replica on a socket.
    pub(crate) fn remote(address: Option<SocketAddr>, transport: Transport) -> Self {
        let limit = AdaptiveLimit::for_remote(MIN_CALLS, MAX_CALLS);
        Self::new(address, transport, Some(limit))
    }

    /// Core in this process.
    pub(crate) const fn in_process(transport: Transport) -> Self {
        Self::new(None, transport, None)
    }

    const fn new(
        address: Option<SocketAddr>,
        transport: Transport,
        limit: Option<AdaptiveLimit>,
    ) -> Self {
        Self {
            address,
            transport,
            limit,
            ejected_until: Mutex::new(None),
            ejected: Notify::const_new(),
            checked: Mutex::new(None),
            doubted: tokio::sync::Mutex::const_new(()),
        }
    }

    /// Returns a permit for a call, if it needs one.
    pub(crate) fn admit(&self, kind: Option<Kind>) -> Result<Option<Permit>, Full> {
        match (&self.limit, kind) {
            (Some(limit), Some(kind)) => limit.acquire(kind).map(Some).ok_or(Full),
            _ => Ok(None),
        }
    }

    /// Returns whether it has no permit for a call of this kind.
    pub(crate) fn is_full(&self, kind: Kind) -> bool {
        self.limit.as_ref().is_some_and(|limit| limit.is_full(kind))
    }

    /// Whether it may get calls.
    pub(crate) fn is_available(&self) -> bool {
        self.ejected_until().is_none()
    }

    /// Whether it was ejected long enough to be probed; true for one caller only.
    pub(crate) fn claim_trial(&self) -> bool {
        let mut ejected_until = self.ejected_until();
        let now = Instant::now();
        let is_due = ejected_until.is_some_and(|until| until <= now);
        if is_due {
            *ejected_until = Some(now + EJECTION_TIME);
        }
        is_due
    }

    /// Records that it answered.
    pub(crate) fn succeeded(&self) {
        *self.ejected_until() = None;
    }

    /// Records that it did not answer.
    pub(crate) fn failed(&self) {
        let until = Instant::now() + EJECTION_TIME;
        if self.ejected_until().replace(until).is_none() {
            metrics::measure(|all| all.core_ejections.add_one([]));
        }
        self.ejected.notify_waiters();
    }

    /// Records that it closed a connection, perhaps since it stops. Calls under way go on.
    pub(crate) fn closed_a_connection(&self) {
        self.ejected_until()
            .get_or_insert(Instant::now() + CLOSING_EJECTION_TIME);
    }

    /// Waits until it is ejected. As long as it does not answer, it is checked by `check`, for all calls together.
    pub(crate) async fn ejection<Check>(&self, check: impl Fn() -> Check)
    where
        Check: Future<Output = ()> + Send + 'static,
    {
        while timeout(CHECK_INTERVAL, self.ejected.notified())
            .await
            .is_err()
        {
            if self.claim_check() {
                tokio::spawn(check());
            }
        }
    }

    /// Whether it was not checked for a while; true for one caller only.
    pub(crate) fn claim_check(&self) -> bool {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let due = checked.is_none_or(|last| now.duration_since(last) >= CHECK_INTERVAL);
        if due {
            *checked = Some(now);
        }
        due
    }

    fn ejected_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.ejected_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
