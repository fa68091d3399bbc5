//! One replica of core.

use std::{
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::{Request, Response};
use tokio::time::Instant;
use tonic::{Status, body::Body, transport};
use tower::{ServiceExt, util::BoxCloneSyncService};

/// What carries a call: a channel, or core itself in the same process.
pub(crate) type Transport = BoxCloneSyncService<Request<Body>, Response<Body>, Status>;

/// How long a replica that failed is left alone. Short, since one that restarts is back in as long.
const REST: Duration = Duration::from_secs(5);

/// How long connecting may take. Replicas are near.
const CONNECT: Duration = Duration::from_secs(2);

/// How often each replica is asked whether it is there, and how long it may take to answer: together the time after which
/// one that hangs, or whose machine is gone, fails its calls. Nothing else would tell.
const PING: Duration = Duration::from_secs(2);

/// A replica, and whether it is to be left alone.
pub(crate) struct Endpoint {
    /// `None` when there is only this way to core, ever.
    pub(crate) address: Option<SocketAddr>,
    pub(crate) transport: Transport,
    /// Until when it is left alone; then it is tried before it gets calls again.
    resting: Mutex<Option<Instant>>,
}

impl Endpoint {
    pub(crate) const fn new(address: Option<SocketAddr>, transport: Transport) -> Self {
        Self {
            address,
            transport,
            resting: Mutex::new(None),
        }
    }

    /// Whether it may get calls.
    pub(crate) fn is_well(&self) -> bool {
        self.resting().is_none()
    }

    /// Whether it has been left alone for long enough to be tried; true for one caller only.
    pub(crate) fn claim_trial(&self) -> bool {
        let mut resting = self.resting();
        let now = Instant::now();
        let due = resting.is_some_and(|until| until <= now);
        if due {
            *resting = Some(now + REST);
        }
        due
    }

    /// It answered.
    pub(crate) fn succeeded(&self) {
        *self.resting() = None;
    }

    /// It did not answer.
    pub(crate) fn failed(&self) {
        *self.resting() = Some(Instant::now() + REST);
    }

    fn resting(&self) -> MutexGuard<'_, Option<Instant>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A channel that connects when it is first used, and again after a failure.
pub(crate) fn channel(endpoint: transport::Endpoint) -> Transport {
    let channel = endpoint
        .connect_timeout(CONNECT)
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PING)
        .keep_alive_while_idle(true)
        .connect_lazy();
    BoxCloneSyncService::new(channel.map_err(|error| Status::from_error(error.into())))
}
