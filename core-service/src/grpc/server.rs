//! The gRPC port: TCP or a Unix socket, plain or TLS; gRPC, gRPC-web and Connect side by side.
//!
//! It has its own accept loop, since tonic's has no limit on connections, no time limit on an incomplete HTTP/2 preface, and
//! never asks a client to move to another connection before it ends one.

mod connection;
mod listener;
mod preface;
mod probe;
mod protocols;
mod tls;
mod unread;

use std::{convert::Infallible, sync::Arc, time::Duration};

use http::{
    HeaderName, Method, Request, Response,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use muster_api::metadata::{RATE_LIMIT, RATE_LIMIT_POLICY};
use process::{
    CancellationToken, Failure,
    accepting::Accepting,
    connections::{Bounds, Connections, Place},
    networks::Networks,
    open_files, shutdown, tcp,
};
use tokio::task::JoinSet;
use tonic::{body::Body, service::Routes};
use tonic_web::GrpcWebLayer;
use tower::{Service, ServiceBuilder};
use tower_http::cors::{AllowOrigin, CorsLayer, ExposeHeaders};

use self::{connection::Port, protocols::ByProtocol};
use super::{
    connect::{ConnectLayer, MessageLayer, Schema},
    gate::GateLayer,
    origin::Origin,
};

pub use listener::{Address, Listener, SocketFile};
pub use probe::is_serving;
pub use tls::TlsSettings;

/// How long a browser may cache the result of a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_hours(1);

/// How long to wait after a failed accept on a Unix socket, as [`tcp::accept`] does.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Limits on connections.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a TLS handshake may take, how long a client may take to say which protocol it speaks, and how long a header may
    /// take over HTTP/1.1.
    pub begin: Duration,
    /// How long sending a message may pause.
    pub message_idle: Duration,
    /// How long an answer may wait until its client reads more of it. Longer than edges wait for their own clients.
    pub unread: Duration,
    /// Clients are asked to move to another connection after this time, so that new replicas get their share of the load.
    pub age: Duration,
    /// How long calls on such a connection may still take until their answers begin, and then from one piece of an answer to the next.
    /// More than the gate gives a call.
    pub grace: Duration,
    /// How long answers on such a connection may still take in all, however steadily they are sent and read.
    pub answer: Duration,
    /// Maximum number of open connections. A further one takes the place of the one that has been idle for longest; while
    /// calls are under way on all of them, it waits.
    pub connections: usize,
    /// Maximum number of open connections of one client: an IPv4 address or an IPv6 network of 64 bits. A further one takes
    /// the place of the client's own longest idle one; while calls are under way on all of them, it is closed.
    pub per_client: usize,
    /// The same for this machine, where edges may run.
    pub local: usize,
    /// How long connections and calls are still accepted after the signal to stop.
    pub linger: Duration,
    /// How long running calls may take after the signal to stop.
    pub drain: Duration,
}

/// Maximum number of open connections, if the limit of open files allows it.
const CONNECTIONS: usize = 1024;

/// Maximum number of open connections of one client.
const PER_CLIENT: usize = 128;

/// The same for this machine.
const LOCAL: usize = 512;

/// The port may take one in so many of the open files that the program may have. In `muster` the HTTP port takes half of them.
const PART_OF_FILES: u64 = 4;

impl Default for Limits {
    fn default() -> Self {
        Self {
            begin: Duration::from_secs(10),
            message_idle: Duration::from_secs(10),
            unread: Duration::from_mins(3),
            age: Duration::from_mins(5),
            grace: Duration::from_mins(2),
            answer: Duration::from_hours(1),
            connections: open_files::connections(CONNECTIONS, PART_OF_FILES),
            per_client: open_files::connections(PER_CLIENT, 4 * PART_OF_FILES),
            local: open_files::connections(LOCAL, 2 * PART_OF_FILES),
            linger: shutdown::LINGER,
            drain: shutdown::DRAIN,
        }
    }
}

impl Limits {
    fn bounds(&self) -> Bounds {
        Bounds {
            total: self.connections,
            per_client: self.per_client,
            local: self.local,
            excepted: Networks::default(),
        }
    }
}

/// Serves until `stop`. Then it goes on for [`Limits::linger`], but asks clients to use other connections, and lets running calls
/// finish within [`Limits::drain`]. Longer calls end with the process: a client that watches health, for example, never ends its
/// call.
///
/// # Errors
/// When a TLS file cannot be used, and never for the descriptors that the build has compiled.
pub async fn serve(
    listener: Listener,
    tls: &TlsSettings,
    gate: GateLayer,
    services: Routes,
    stop: CancellationToken,
    limits: Limits,
) -> Result<(), Failure> {
    let tls = tls.acceptor()?;
    let direct = ServiceBuilder::new()
        .layer(gate)
        .layer(MessageLayer)
        .service(services);
    let translated = ServiceBuilder::new()
        .layer(browsers())
        .layer(ConnectLayer::new(Schema::new()?))
        .layer(GrpcWebLayer::new())
        .service(direct.clone());
    let service = ByProtocol { direct, translated };
    // With port 0 the system chose the port.
    if let Ok(address) = listener.address() {
        tracing::info!(%address, "serving gRPC");
    }
    let drain = limits.drain.saturating_sub(limits.linger);
    let port = Arc::new(Port {
        service,
        tls,
        limits,
        stop: stop.clone(),
    });
    let mut tasks = accept_all(listener, &port, &stop).await;
    let finished = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(drain, finished).await.is_err() {
        tracing::warn!("stopped serving gRPC before every call had finished");
    }
    Ok(())
}

/// Serves all connections until the port stops. Returns those that are still open; the port itself is closed.
async fn accept_all<S>(
    listener: Listener,
    port: &Arc<Port<S>>,
    stop: &CancellationToken,
) -> JoinSet<()>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    let connections = Connections::within(port.limits.bounds());
    let mut tasks = JoinSet::new();
    let mut accepting = Accepting::until(stop, port.limits.linger);
    while let Some((socket, origin, place)) =
        accepting.next(admitted(&listener, &connections)).await
    {
        let port = Arc::clone(port);
        match socket {
            Socket::Tcp(stream) => tasks.spawn(port.serve(stream, origin, place)),
            Socket::Unix(stream) => tasks.spawn(port.serve(stream, origin, place)),
        };
        while tasks.try_join_next().is_some() {}
    }
    tasks
}

/// The next connection within the limits.
async fn admitted(listener: &Listener, connections: &Connections) -> (Socket, Origin, Place) {
    loop {
        let (socket, origin) = accept(listener).await;
        if let Some(place) = connections.admit(origin.ip()).await {
            return (socket, origin, place);
        }
        tracing::debug!(?origin, "closed a connection above the limit of its client");
    }
}

enum Socket {
    Tcp(tokio::net::TcpStream),
    Unix(tokio::net::UnixStream),
}

/// The next connection. Its address is taken now: once the client has disconnected, the socket has none, although its requests
/// are still read.
async fn accept(listener: &Listener) -> (Socket, Origin) {
    match listener {
        Listener::Tcp(listener) => {
            let (stream, peer) = tcp::accept(listener).await;
            (Socket::Tcp(stream), Origin::Tcp(peer))
        }
        Listener::Unix(listener, _file) => loop {
            match listener.accept().await {
                Ok((stream, _)) => return (Socket::Unix(stream), Origin::Unix),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        },
    }
}

/// Headers that web pages may send. Headers of edges are not among them.
const FROM_BROWSERS: [HeaderName; 10] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    HeaderName::from_static("connect-protocol-version"),
    HeaderName::from_static("connect-timeout-ms"),
    HeaderName::from_static("grpc-timeout"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("x-grpc-web"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-user-agent"),
];

/// CORS for gRPC-web and Connect. Any origin may call: only the holder of a key can set the header that contains it.
fn browsers() -> CorsLayer {
    let exposed = [
        "grpc-status",
        "grpc-message",
        "grpc-status-details-bin",
        "x-request-id",
        RATE_LIMIT,
        RATE_LIMIT_POLICY,
    ];
    CorsLayer::new()
        .allow_origin(AllowOrigin::any())
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(FROM_BROWSERS)
        .expose_headers(ExposeHeaders::list(exposed.map(HeaderName::from_static)))
        .max_age(PREFLIGHT_AGE)
}
