//! The client over which all requests go: HTTP/1.1 over connections that are kept for a while, without redirects, proxies and cookies.

use std::{error::Error as _, time::Duration};

use bytes::Bytes;
use http_body_util::Full;
use hyper_util::{
    client::legacy::{self, connect::CaptureConnection},
    rt::{TokioExecutor, TokioTimer},
};

use crate::{
    Fault,
    connector::{ConnectError, Connector, Peer},
};

/// How many idle connections to one host are kept.
pub const MAX_IDLE_PER_HOST: usize = 4;

/// For how long an idle connection is kept: less than the 60 seconds after which common load balancers close it, perhaps just as the next
/// request is on its way.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// The bytes of the largest head of an answer.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// How all requests name their sender.
pub(crate) const AGENT: &str = concat!("Muster/", env!("CARGO_PKG_VERSION"));

pub(crate) type Client = legacy::Client<Connector, Full<Bytes>>;

pub(crate) fn new(connector: Connector) -> Client {
    legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
        .http1_max_buf_size(MAX_HEAD_BYTES)
        .build(connector)
}

/// Why a request has no answer, and whether its target is private, where that is known.
pub(crate) fn failure(error: &legacy::Error) -> ConnectError {
    let cause = error.source();
    let connecting = cause.and_then(|cause| cause.downcast_ref::<ConnectError>());
    connecting
        .copied()
        .unwrap_or_else(|| Fault::Interrupted.into())
}

/// Who got the request; `None` before there is a connection.
pub(crate) fn peer(connection: &CaptureConnection) -> Option<Peer> {
    let mut extensions = http::Extensions::new();
    if let Some(connected) = connection.connection_metadata().as_ref() {
        connected.get_extras(&mut extensions);
    }
    extensions.remove()
}
