//! Serving HTTP/1.1 on a public port.
//!
//! It has its own accept loop, since `axum::serve` sets no timer, so that an incomplete header would keep a connection open
//! without limit. It speaks HTTP/1.1 only, since hyper has no time limit on an incomplete HTTP/2 preface; a load balancer in
//! front can speak HTTP/2.

mod answer;
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
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_http::timeout::{TimeoutBody, TimeoutError};

use crate::{
    Failure,
    accepting::Accepting,
    connections::{Bounds, Connections, Place},
    networks::Networks,
    observe::Observe,
    open_files, shutdown, tcp,
};

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
    /// How long the header of a connection's first request may take.
    pub first_header: Duration,
    /// How long the header of a later request may take, and how long a connection may be idle. Long enough for the connections
    /// of a load balancer.
    pub header: Duration,
    /// How long a request's body may pause.
    pub body_idle: Duration,
    /// How long a request may take from its header to the beginning of its answer, and then from one piece of the answer to the next.
    /// After that the connection is closed. Services answer with an error well before this.
    pub request: Duration,
    /// How long an answer may take in all, however steadily it is sent and read. After that the connection is closed.
    pub answer: Duration,
    /// Maximum number of open connections. A further one takes the place of the one that has been idle for longest; while
    /// requests are under way on all of them, it waits.
    pub connections: usize,
    /// Maximum number of open connections of one client: an IPv4 address or an IPv6 network of 64 bits. A further one takes
    /// the place of the client's own longest idle one; while requests are under way on all of them, it is closed.
    pub per_client: usize,
    /// Proxies, to which the limit per client does not apply.
    pub proxies: Networks,
    /// How long connections and requests are still accepted after the signal to stop.
    pub linger: Duration,
    /// How long running requests may take after the signal to stop.
    pub drain: Duration,
}

/// Maximum number of open connections, if the limit of open files allows it.
const CONNECTIONS: usize = 4096;

/// Maximum number of open connections of one client. Many people may share an address.
const PER_CLIENT: usize = 1024;

/// The port may take one in so many of the open files that the program may have.
const PART_OF_FILES: u64 = 2;

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_header: Duration::from_secs(10),
            header: Duration::from_secs(30),
            body_idle: Duration::from_secs(10),
            request: Duration::from_mins(2),
            answer: Duration::from_hours(1),
            connections: open_files::connections(CONNECTIONS, PART_OF_FILES),
            per_client: open_files::connections(PER_CLIENT, 2 * PART_OF_FILES),
            proxies: Networks::default(),
            linger: shutdown::LINGER,
            drain: shutdown::DRAIN,
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

/// Serves until `stop` is cancelled. Then it goes on for [`Limits::linger`], but closes each connection after its next answer, and
/// lets running requests finish within [`Limits::drain`]. Each request gets an id and a log line ([`crate::observe`]).
pub async fn serve<S, B>(listener: TcpListener, service: S, limits: Limits, stop: CancellationToken)
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: http_body::Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
        + Send
        + Unpin
        + 'static,
{
    let service = Observe::new(service);
    let places = Connections::within(limits.bounds());
    let limits = Arc::new(limits);
    let mut connections = JoinSet::new();
    let mut accepting = Accepting::until(&stop, limits.linger);
    while let Some((stream, peer, place)) = accepting.next(accept(&listener, &places)).await {
        connections.spawn(connection::run(
            stream,
            peer,
            place,
            service.clone(),
            Arc::clone(&limits),
            stop.clone(),
        ));
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    let drained = tokio::time::timeout(limits.drain.saturating_sub(limits.linger), async {
        while connections.join_next().await.is_some() {}
    });
    if drained.await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "closed connections that did not finish in time"
        );
    }
}

impl Limits {
    fn bounds(&self) -> Bounds {
        Bounds {
            total: self.connections,
            per_client: self.per_client,
            local: self.per_client,
            excepted: self.proxies.clone(),
        }
    }
}

/// The next connection within the limits.
async fn accept(listener: &TcpListener, places: &Connections) -> (TcpStream, Peer, Place) {
    loop {
        let (stream, peer) = tcp::accept(listener).await;
        let peer = peer.ip();
        if let Some(place) = places.admit(Some(peer)).await {
            return (stream, Peer(peer), place);
        }
        tracing::debug!("closed a connection above the limit of its client");
    }
}
