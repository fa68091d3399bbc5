//! Channels to a replica of core.

use std::{
    array, io,
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::Uri;
use hyper_util::rt::TokioIo;
use server::tcp;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::UnixStream,
    time::{Instant, timeout},
};
use tonic::{
    Status,
    transport::{Channel, ClientTlsConfig, Endpoint, Error},
};
use tower::{Service, ServiceExt as _, service_fn, util::BoxCloneSyncService};

use super::endpoint::Transport;

/// How long connecting may take, and a TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long after a timeout further attempts fail at once. A channel makes an attempt for each call that waits, one after the other:
/// without this, the last of many calls would wait for all of them.
const TIMEOUT_TTL: Duration = Duration::from_millis(50);

/// The interval of pings and the time limit of their answers. Together they are the time after which calls to a hung or unreachable
/// replica fail. Less would break connections to replicas that are only busy.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_millis(1_500);

/// How much of an answer, and of all answers together, may be on its way before it is read.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 5 << 20;

/// The longest header or trailer of an answer, in bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;

/// How many channels there are to a replica. Core takes 100 calls at a time on each connection.
pub(crate) const CHANNELS: usize = 4;

/// A channel that has fewer calls gets the next one: calls that are sent together cost less.
const FEW_CALLS: usize = 50;

/// A transport over TCP, with TLS if that is configured.
pub(crate) fn tcp(address: SocketAddr, tls: Option<ClientTlsConfig>) -> Result<Transport, Error> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))?;
    if let Some(tls) = tls {
        endpoint = endpoint.tls_config(tls.timeout(CONNECT_TIMEOUT))?;
    }
    Ok(transport(
        endpoint,
        &connector(move || tcp::connect(address)),
    ))
}

/// A transport over a Unix socket.
pub(crate) fn unix(path: PathBuf) -> Transport {
    let endpoint = Endpoint::from_static("http://localhost");
    transport(
        endpoint,
        &connector(move || UnixStream::connect(path.clone())),
    )
}

/// A connector that limits the time of an attempt. Clones share their timeouts.
fn connector<S, F>(
    connect: impl Fn() -> F + Clone + Send + 'static,
) -> impl Service<Uri, Response = TokioIo<S>, Error = io::Error, Future: Send> + Clone + Send + 'static
where
    F: Future<Output = io::Result<S>> + Send + 'static,
    S: Send + 'static,
{
    let last_timeout = Arc::<LastTimeout>::default();
    service_fn(move |_uri| {
        let (connecting, last_timeout) = (connect(), Arc::clone(&last_timeout));
        async move {
            if last_timeout.is_recent() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let Ok(connected) = timeout(CONNECT_TIMEOUT, connecting).await else {
                last_timeout.set(Instant::now());
                return Err(io::ErrorKind::TimedOut.into());
            };
            connected.map(TokioIo::new)
        }
    })
}

/// When an attempt to connect last took too long.
#[derive(Default)]
struct LastTimeout(Mutex<Option<Instant>>);

impl LastTimeout {
    fn is_recent(&self) -> bool {
        self.lock().is_some_and(|last| last.elapsed() < TIMEOUT_TTL)
    }

    fn set(&self, at: Instant) {
        *self.lock() = Some(at);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Channels that connect when a call needs them. A call goes to the first one with few calls, or to the one with the fewest.
fn transport<C, S>(endpoint: Endpoint, connector: &C) -> Transport
where
    C: Service<Uri, Response = TokioIo<S>, Error = io::Error, Future: Send>
        + Clone
        + Send
        + 'static,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let endpoint = endpoint
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true);
    let channels: [_; CHANNELS] = array::from_fn(|_| {
        let channel = endpoint.connect_with_connector_lazy(connector.clone());
        Counted {
            channel,
            calls: Arc::default(),
        }
    });
    BoxCloneSyncService::new(service_fn(move |request| {
        // The first of equal ones.
        let chosen = channels
            .iter()
            .min_by_key(|channel| channel.calls().max(FEW_CALLS));
        let chosen = chosen.cloned();
        async move {
            let Counted { channel, calls } =
                chosen.ok_or_else(|| Status::internal("core has no channel"))?;
            let answer = channel.oneshot(request).await;
            drop(calls);
            answer.map_err(|error| Status::from_error(error.into()))
        }
    }))
}

/// A channel and its calls that wait for the beginning of an answer: each of them has a clone.
#[derive(Clone)]
struct Counted {
    channel: Channel,
    calls: Arc<()>,
}

impl Counted {
    fn calls(&self) -> usize {
        Arc::strong_count(&self.calls) - 1
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::{io::DuplexStream, time::sleep};

    use super::*;

    /// A connector to nowhere, which counts its attempts.
    fn silent(
        attempts: &Arc<AtomicUsize>,
    ) -> impl Service<Uri, Response = TokioIo<DuplexStream>, Error = io::Error, Future: Send>
    + Clone
    + Send
    + 'static {
        let attempts = Arc::clone(attempts);
        connector(move || {
            attempts.fetch_add(1, Ordering::Relaxed);
            std::future::pending()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_wait_for_the_same_connection_share_its_timeout() {
        let attempts = Arc::default();
        let endpoint = Endpoint::from_static("http://localhost");
        let transport = transport(endpoint, &silent(&attempts));
        let start = Instant::now();
        let calls = (0..10).map(|_| {
            let request = http::Request::new(tonic::body::Body::empty());
            transport.clone().oneshot(request)
        });
        for answer in futures_util::future::join_all(calls).await {
            answer.unwrap_err();
        }
        assert!(
            start.elapsed() < 2 * CONNECT_TIMEOUT,
            "{:?}",
            start.elapsed()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_is_shared_for_a_moment_only() {
        let attempts = Arc::default();
        let connector = silent(&attempts);
        let connect = || connector.clone().oneshot(Uri::default());
        connect().await.unwrap_err();
        let start = Instant::now();
        connect().await.unwrap_err();
        assert_eq!(start.elapsed(), Duration::ZERO);
        sleep(TIMEOUT_TTL).await;
        connect().await.unwrap_err();
        assert_eq!(start.elapsed(), TIMEOUT_TTL + CONNECT_TIMEOUT);
    }
}
