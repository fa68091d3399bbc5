//! Serving a port: accepting connections within limits, answering their requests, and stopping.
//!
//! Every port of every program is served here, over HTTP/1.1 alone or over HTTP/2 as well ([`Protocols`]). It has its own accept loop:
//! `axum::serve` sets no timer, so that an incomplete header would keep a connection open without limit; tonic's server has no limit
//! on connections, none on the time of an incomplete HTTP/2 preface, and never asks a client to move to another connection before it
//! ends one.

mod answers;
mod connection;
mod framing;
mod limits;
mod linger;
mod listener;
mod socket;

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body_util::{BodyExt as _, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use tokio::{net::TcpListener, task::JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt as _};
use tower_http::timeout::{TimeoutBody, TimeoutError};

use crate::{Failure, accepting::Accepting, connection_limit::ConnectionLimit, observe::Observe};

pub use limits::Limits;
pub use linger::Lingering;
pub use listener::{Address, Listener, SocketFile};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer on its way to the connection.
type AnswerBody = UnsyncBoxBody<Bytes, BoxError>;

/// A service without its type, so that connections are compiled once.
type Handler =
    Box<dyn Fn(Request<Incoming>) -> BoxFuture<'static, Response<AnswerBody>> + Send + Sync>;

/// The body of a request on a public port. Reading fails when the client sends nothing for [`Limits::body_idle`].
pub type RequestBody = TimeoutBody<Lingering>;

/// The other end of a connection. Every request has it in its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its address; `None` over a Unix socket. It is taken when the connection is accepted: once the client has disconnected, the
    /// socket has none, although its requests are still read.
    pub address: Option<SocketAddr>,
    /// Whether it has shown a client certificate that the port accepts.
    pub has_certificate: bool,
}

/// The protocols of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocols {
    /// HTTP/1.1 alone, as on public ports. A load balancer in front can speak HTTP/2.
    Http1,
    /// HTTP/2 and HTTP/1.1, for gRPC and gRPC-web.
    Grpc,
}

/// What a port speaks, and within which limits.
pub struct Port {
    /// Its protocols.
    pub protocols: Protocols,
    /// What makes its connections secure; `None` if it is plain.
    pub tls: Option<TlsAcceptor>,
    /// Its limits.
    pub limits: Limits,
}

/// Returns whether reading a request's body failed because its client paused for too long.
pub fn is_stalled(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<TimeoutError>() || error.source().is_some_and(is_stalled)
}

/// Opens a TCP port. `flag` is its setting, for the message.
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

/// Serves a public port over HTTP/1.1, as [`Port::serve`] does. Each request gets an id and a log line ([`crate::observe`]).
pub async fn serve<S, B>(listener: TcpListener, service: S, limits: Limits, stop: CancellationToken)
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    let body_idle = limits.body_idle;
    let service = Observe::new(service).map_request(move |request| {
        Lingering::of(request).map(|body| TimeoutBody::new(body_idle, body))
    });
    let port = Port {
        protocols: Protocols::Http1,
        tls: None,
        limits,
    };
    port.serve(Listener::Tcp(listener), service, stop).await;
}

impl Port {
    /// Serves until `stop` is cancelled. Then it goes on for [`Limits::linger`], but asks clients to use other connections, and lets
    /// running requests finish within [`Limits::drain`].
    pub async fn serve<S, B>(self, listener: Listener, service: S, stop: CancellationToken)
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send,
        B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let handler = move |request| -> BoxFuture<'static, Response<AnswerBody>> {
            let answering = service.clone().oneshot(request);
            Box::pin(async move {
                match answering.await {
                    Ok(answer) => answer.map(|body| body.map_err(Into::into).boxed_unsync()),
                    Err(never) => match never {},
                }
            })
        };
        self.serve_connections(listener, Box::new(handler), stop)
            .await;
    }

    async fn serve_connections(
        self,
        listener: Listener,
        handler: Handler,
        stop: CancellationToken,
    ) {
        let limit = ConnectionLimit::new(self.limits.bounds());
        let mut accepting = Accepting::until(&stop, self.limits.linger);
        let drain = self.limits.drain.saturating_sub(self.limits.linger);
        let served = Arc::new(connection::Served {
            port: self,
            handler,
            stop,
        });
        let mut connections = JoinSet::new();
        while let Some((stream, peer, permit)) =
            accepting.next(listener.accept_within(&limit)).await
        {
            connections.spawn(Arc::clone(&served).connection(stream, peer, permit));
            while connections.try_join_next().is_some() {}
        }
        drop(listener);
        let drained = tokio::time::timeout(drain, async {
            while connections.join_next().await.is_some() {}
        });
        if drained.await.is_err() {
            tracing::warn!(
                connections = connections.len(),
                "closed connections that did not finish in time"
            );
        }
    }
}
