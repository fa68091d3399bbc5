//! Serving HTTP/1.1 on a public port.
//!
//! It has its own accept loop, since `axum::serve` sets no timer, so that an incomplete header would keep a connection open
//! without limit. It speaks HTTP/1.1 only, since hyper has no time limit on an incomplete HTTP/2 preface; a load balancer in
//! front can speak HTTP/2.

mod connection;
mod linger;

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use http::{Request, Response};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_http::timeout::{TimeoutBody, TimeoutError};

use crate::{Failure, observe::Observe, tcp};

pub use linger::Lingering;

/// The body of a request. Reading fails when the client sends nothing for [`Limits::body_idle`].
pub type RequestBody = TimeoutBody<Lingering>;

/// The address of the connection's other end. [`serve()`] puts it into the extensions of every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// Whether reading a request's body failed because its client paused for too long.
pub fn is_stalled(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<TimeoutError>() || error.source().is_some_and(is_stalled)
}

/// Limits on connections and requests.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a request's header may take, and how long a connection may be idle. Long enough for the connections of a load
    /// balancer, short enough to close silent sockets.
    pub header: Duration,
    /// How long a request's body may pause.
    pub body_idle: Duration,
    /// How long one request may take from its header to the last byte of its answer. After that the connection is closed.
    /// Services answer with an error well before this.
    pub request: Duration,
    /// Maximum number of open connections; further ones wait to be accepted.
    pub connections: usize,
    /// How long running requests may take after the signal to stop.
    pub drain: Duration,
}

/// How long running requests may take after the signal to stop, on every port.
pub const DRAIN: Duration = Duration::from_secs(20);

impl Default for Limits {
    fn default() -> Self {
        Self {
            header: Duration::from_secs(30),
            body_idle: Duration::from_secs(10),
            request: Duration::from_mins(2),
            connections: 4096,
            drain: DRAIN,
        }
    }
}

/// Opens a port. `flag` is its setting, for the message.
///
/// # Errors
/// [`Failure::Environment`] with one line that says what to change.
pub async fn bind(flag: &str, address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        let problem = match error.kind() {
            std::io::ErrorKind::AddrInUse => "another program has this port".to_owned(),
            std::io::ErrorKind::PermissionDenied => "ports below 1024 need privileges".to_owned(),
            std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
            _ => error.to_string(),
        };
        Failure::Environment(format!(
            "cannot listen on {address}: {problem}; choose another with {flag}"
        ))
    })
}

/// Serves until `shutdown` is cancelled, then lets running requests finish within [`Limits::drain`]. Each request gets an id
/// and a log line ([`crate::observe`]).
pub async fn serve<S, B>(
    listener: TcpListener,
    service: S,
    limits: Limits,
    shutdown: CancellationToken,
) where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: http_body::Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
        + Send
        + 'static,
{
    let service = Observe::new(service);
    let limits = Arc::new(limits);
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    while let Some((stream, peer, place)) = accept(&listener, &places, &shutdown).await {
        let connection = connection::run(
            stream,
            peer,
            service.clone(),
            Arc::clone(&limits),
            shutdown.clone(),
        );
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    let drained = tokio::time::timeout(limits.drain, async {
        while connections.join_next().await.is_some() {}
    });
    if drained.await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "closed connections that did not finish in time"
        );
    }
}

/// The next connection within the limit, or `None` after the signal to stop.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
    shutdown: &CancellationToken,
) -> Option<(TcpStream, Peer, OwnedSemaphorePermit)> {
    let next = async {
        // The semaphore is never closed.
        let place = Arc::clone(places).acquire_owned().await.ok()?;
        let (stream, peer) = tcp::accept(listener).await;
        Some((stream, Peer(peer.ip()), place))
    };
    tokio::select! {
        biased;
        () = shutdown.cancelled() => None,
        accepted = next => accepted,
    }
}
