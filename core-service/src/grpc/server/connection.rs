//! One connection of the gRPC port: its beginning, its calls and its end.

use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};

use http::{HeaderValue, Request, Response, Version, header::CONNECTION};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulConnection},
};
use process::{CancellationToken, connections::Place, telemetry::chain};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tonic::body::Body;
use tower::{Service, ServiceExt as _};

use super::{Limits, preface::Prefaced, unread::Unread};
use crate::grpc::origin::{Certified, Origin};

/// A peer that does not answer a ping within this time is disconnected.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// Maximum number of concurrent calls on one connection.
const STREAMS: u32 = 100;

/// How much of a call's message, and of all messages of a connection, a client may send before it is read.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;

/// The largest header over HTTP/1.1.
const HEADER_BYTES: usize = 64 << 10;

/// What all connections of a port have in common.
pub(super) struct Port<S> {
    pub(super) service: S,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) limits: Limits,
    pub(super) stop: CancellationToken,
}

impl<S> Port<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    /// Serves a connection until it ends, or another one needs its place.
    pub(super) async fn serve<I>(self: Arc<Self>, stream: I, origin: Origin, place: Place)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let served = async {
            let Some(tls) = &self.tls else {
                return self.answer(stream, origin, Certified(false), &place).await;
            };
            match timeout(self.limits.begin, tls.accept(stream)).await {
                Ok(Ok(stream)) => {
                    let certificates = stream.get_ref().1.peer_certificates();
                    let certified = Certified(certificates.is_some_and(|all| !all.is_empty()));
                    self.answer(stream, origin, certified, &place).await;
                }
                Ok(Err(error)) => {
                    tracing::debug!(error = %chain(&error), ?origin, "TLS handshake failed")
                }
                Err(_elapsed) => tracing::debug!(?origin, "TLS handshake took too long"),
            }
        };
        tokio::select! {
            () = served => {}
            () = place.is_needed() => {
                tracing::debug!(?origin, "closed an idle connection, since another one needs its place");
            }
        }
    }

    /// Answers calls, until the client does not read the answers.
    async fn answer<I>(&self, stream: I, origin: Origin, certified: Certified, place: &Place)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let unread = Unread::default();
        let (called, calls) = watch::channel(None);
        let call = |request: Request<Incoming>| {
            let version = request.version();
            called.send_replace(Some(version));
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(origin);
            request.extensions_mut().insert(certified);
            let busy = place.busy();
            let answer = self.service.clone().oneshot(request);
            let (unread, stop) = (unread.clone(), self.stop.clone());
            async move {
                let Ok(mut answer) = answer.await;
                if version < Version::HTTP_2 && stop.is_cancelled() {
                    let close = HeaderValue::from_static("close");
                    answer.headers_mut().insert(CONNECTION, close);
                }
                Ok::<_, Infallible>(answer.map(|body| unread.answer(body, busy)))
            }
        };
        let protocols = protocols(&self.limits);
        let stream = TokioIo::new(Prefaced::within(self.limits.begin, stream));
        let connection = protocols.serve_connection(stream, service_fn(call));
        tokio::select! {
            () = self.until_aged(connection, calls, &unread, origin) => {}
            () = unread.too_long(self.limits.unread) => {
                tracing::debug!(?origin, "closed a connection whose client did not read an answer");
            }
        }
    }

    /// Serves a connection. At its age, or when the port stops, the client is asked to use another one, and calls under way may
    /// finish, as long as they go on.
    async fn until_aged<C>(&self, connection: C, calls: Calls, unread: &Unread, origin: Origin)
    where
        C: GracefulConnection<Error = Failed>,
    {
        let mut connection = pin!(connection);
        let mut aged = pin!(async {
            tokio::select! {
                () = sleep(self.limits.age) => {}
                () = self.stopping(calls) => {}
            }
        });
        tokio::select! {
            biased;
            ended = connection.as_mut() => return ended_with(ended, origin),
            () = aged.as_mut() => connection.as_mut().graceful_shutdown(),
        }
        let Limits { grace, answer, .. } = self.limits;
        tokio::select! {
            biased;
            ended = connection => ended_with(ended, origin),
            () = unread.stand_still(grace, answer) => {
                tracing::debug!(?origin, "closed a connection whose calls took too long");
            }
        }
    }

    /// Completes when the port stops and the client can be told so. Over HTTP/2 it is told at once, and nothing that it sends in the
    /// meantime is lost. Over HTTP/1.1 answers tell it, and an idle connection is closed in the end.
    async fn stopping(&self, mut calls: Calls) {
        self.stop.cancelled().await;
        let over_http2 = calls.wait_for(|version| *version == Some(Version::HTTP_2));
        let _lingered = timeout(self.limits.linger, over_http2).await;
    }
}

/// The protocol of the last call.
type Calls = watch::Receiver<Option<Version>>;

type Failed = Box<dyn std::error::Error + Send + Sync>;

fn ended_with(ended: Result<(), Failed>, origin: Origin) {
    if let Err(error) = ended {
        tracing::debug!(error = %chain(&*error), ?origin, "connection failed");
    }
}

fn protocols(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut protocols = auto::Builder::new(TokioExecutor::new());
    protocols
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.begin)
        .max_buf_size(HEADER_BYTES);
    protocols
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(STREAMS);
    protocols
}
