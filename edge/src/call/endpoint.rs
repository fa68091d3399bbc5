//! One replica of core.

use std::{
    io,
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use process::tcp;
use tokio::{net::TcpStream, time::Instant};
use tonic::{
    Status,
    body::Body,
    transport::{self, Channel},
};
use tower::{ServiceExt, service_fn, util::BoxCloneSyncService};

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

/// A channel to an address, which connects when it is first used, and again after a failure.
pub(crate) fn over_tcp(endpoint: transport::Endpoint, address: SocketAddr) -> Transport {
    transport(kept_alive(endpoint).connect_with_connector_lazy(service_fn(
        // The address, not what the endpoint's URL says: with TLS that is the name in the certificate.
        move |_: Uri| connect(address),
    )))
}

/// The same to a Unix socket, which the endpoint names.
pub(crate) fn over_unix(endpoint: transport::Endpoint) -> Transport {
    transport(kept_alive(endpoint).connect_lazy())
}

async fn connect(address: SocketAddr) -> io::Result<TokioIo<TcpStream>> {
    let connected = tokio::time::timeout(CONNECT, tcp::connect(address)).await;
    connected
        .unwrap_or_else(|_elapsed| Err(io::ErrorKind::TimedOut.into()))
        .map(TokioIo::new)
}

fn kept_alive(endpoint: transport::Endpoint) -> transport::Endpoint {
    endpoint
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PING)
        .keep_alive_while_idle(true)
}

fn transport(channel: Channel) -> Transport {
    BoxCloneSyncService::new(channel.map_err(|error| Status::from_error(error.into())))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_connection_to_core_sends_small_requests_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let connection = connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(connection.inner().nodelay().unwrap());
    }
}
