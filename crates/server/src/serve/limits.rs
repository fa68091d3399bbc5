//! Limits of a port.

use std::time::Duration;

use crate::{connection_limit::Bounds, networks::Networks, open_files, shutdown};

/// Limits on the connections and requests of a port.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a TLS handshake may take, and then the header of a connection's first request, or the preface of HTTP/2.
    pub first_header: Duration,
    /// How long the header of a later request over HTTP/1.1 may take, and how long such a connection may be idle. Long enough for the
    /// connections of a load balancer.
    pub header: Duration,
    /// How long a request's body may pause.
    pub body_idle: Duration,
    /// How long an answer may wait until its client reads more of it. On public ports also how long it may take from the header of a
    /// request to the beginning of its answer, and then from one piece of the answer to the next. After that the connection is
    /// closed. Services answer with an error well before this, and edges give up on their own clients.
    pub stall: Duration,
    /// How long an answer may take in all, however steadily it is sent and read. After that the connection is closed.
    pub answer: Duration,
    /// The age at which clients are asked to move to another connection, so that new replicas get their share of the load; `None` if
    /// they never are.
    pub age: Option<Duration>,
    /// How long requests on such a connection may still take until their answers begin, and then from one piece of an answer to the
    /// next. More than services give a request.
    pub grace: Duration,
    /// Maximum number of open connections. A further one takes the place of the one that has been idle for longest; while
    /// requests are under way on all of them, it waits.
    pub connections: usize,
    /// Maximum number of open connections of one client: an IPv4 address or an IPv6 network of 64 bits. A further one takes
    /// the place of the client's own longest idle one; while requests are under way on all of them, it is closed.
    pub per_client: usize,
    /// The same for clients on this machine, where edges and proxies may run.
    pub local: usize,
    /// Proxies, to which the limits per client do not apply.
    pub proxies: Networks,
    /// How long connections and requests are still accepted after the signal to stop.
    pub linger: Duration,
    /// How long running requests may take after the signal to stop.
    pub drain: Duration,
}

/// Maximum number of open connections of a public port, if the limit of open files allows it; and of one of its clients. Many people
/// may share an address.
const HTTP_CONNECTIONS: usize = 4096;
const HTTP_PER_CLIENT: usize = 1024;

/// A public port may take one in so many of the open files that the program may have.
const HTTP_PART_OF_FILES: u64 = 2;

/// The same for gRPC, for one client, and for this machine.
const GRPC_CONNECTIONS: usize = 1024;
const GRPC_PER_CLIENT: usize = 128;
const GRPC_LOCAL: usize = 512;

/// A port for gRPC may take one in so many: in `muster` the HTTP port takes half of them.
const GRPC_PART_OF_FILES: u64 = 4;

impl Limits {
    /// Returns the limits of a public port over HTTP/1.1.
    pub fn http() -> Self {
        let per_client = open_files::connections(HTTP_PER_CLIENT, 2 * HTTP_PART_OF_FILES);
        Self {
            first_header: Duration::from_secs(10),
            header: Duration::from_secs(30),
            body_idle: Duration::from_secs(10),
            stall: Duration::from_mins(2),
            answer: Duration::from_hours(1),
            age: None,
            grace: Duration::from_mins(2),
            connections: open_files::connections(HTTP_CONNECTIONS, HTTP_PART_OF_FILES),
            per_client,
            local: per_client,
            proxies: Networks::default(),
            linger: shutdown::LINGER,
            drain: shutdown::DRAIN,
        }
    }

    /// Returns the limits of a port for gRPC.
    pub fn grpc() -> Self {
        Self {
            stall: Duration::from_mins(3),
            age: Some(Duration::from_mins(5)),
            connections: open_files::connections(GRPC_CONNECTIONS, GRPC_PART_OF_FILES),
            per_client: open_files::connections(GRPC_PER_CLIENT, 4 * GRPC_PART_OF_FILES),
            local: open_files::connections(GRPC_LOCAL, 2 * GRPC_PART_OF_FILES),
            ..Self::http()
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            total: self.connections,
            per_client: self.per_client,
            local: self.local,
            excepted: self.proxies.clone(),
        }
    }
}
