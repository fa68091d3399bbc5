//! Connecting: the name is looked up, every address is checked, and a checked address is connected to.

use std::{
    future::Future,
    io,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tower_service::Service;
use url::Host;

use crate::{Fault, Resolve, policy, policy::Policy, target::Target};

/// How many of a name's addresses are tried.
const MAX_ADDRESSES: usize = 4;

/// How long one address may take, so that one that does not answer leaves time for the others.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(3);

/// How long all of it may take. A request that gets another connection first leaves this one to itself, without the request's limit.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How many connections the pool takes, over all hosts, of which strangers have as many as they like. One more serves one
/// request.
const MAX_POOLED_CONNECTIONS: usize = 256;

/// Why there is no connection.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{fault}")]
pub(crate) struct ConnectError {
    pub(crate) fault: Fault,
    /// `None` where no address was tried.
    pub(crate) is_private: Option<bool>,
}

impl From<Fault> for ConnectError {
    fn from(fault: Fault) -> Self {
        let is_private = None;
        Self { fault, is_private }
    }
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) is_private: bool,
}

/// Connects for the client. Clones share everything.
#[derive(Clone)]
pub(crate) struct Connector {
    resolver: Arc<dyn Resolve>,
    policy: Arc<Policy>,
    tls: Arc<ClientConfig>,
    permits: Arc<Semaphore>,
}

impl Connector {
    pub(crate) fn new(
        resolver: Arc<dyn Resolve>,
        policy: Arc<Policy>,
        tls: Arc<ClientConfig>,
    ) -> Self {
        Self {
            resolver,
            policy,
            tls,
            permits: Arc::new(Semaphore::new(MAX_POOLED_CONNECTIONS)),
        }
    }

    async fn connect(self, uri: Uri) -> Result<Link, ConnectError> {
        let target = Target::of_connection(&uri).ok_or(Fault::Url)?;
        let (tcp, address) = self.dial(&target).await?;
        let is_private = self.policy.is_private(address);
        let stream: Box<dyn Stream> = if target.is_plain {
            Box::new(tcp)
        } else {
            let name = server_name(&target.host).ok_or(Fault::Url)?;
            let tls = TlsConnector::from(self.tls).connect(name, tcp).await;
            let failed = |_| ConnectError {
                fault: Fault::Tls,
                is_private: Some(is_private),
            };
            Box::new(tls.map_err(failed)?)
        };
        Ok(Link {
            stream: TokioIo::new(stream),
            peer: Peer { is_private },
            permit: self.permits.try_acquire_owned().ok(),
        })
    }

    async fn dial(&self, target: &Target) -> Result<(TcpStream, IpAddr), ConnectError> {
        let addresses = self.addresses(target).await?;
        let is_private = addresses.iter().any(|one| self.policy.is_private(*one));
        let mut fault = Fault::Refused;
        for address in addresses.into_iter().take(MAX_ADDRESSES) {
            let connecting = TcpStream::connect((address, target.port));
            match timeout(ADDRESS_TIMEOUT, connecting).await {
                Ok(Ok(stream)) => {
                    // A request is written whole; without this its end would wait for an acknowledgement. It may fail.
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, address));
                }
                Ok(Err(_)) => {}
                Err(_) => fault = Fault::Slow,
            }
        }
        Err(ConnectError {
            fault,
            is_private: Some(is_private),
        })
    }

    /// The addresses of a target, all of which are allowed. A name with one that is not allowed is not trusted with the others.
    async fn addresses(&self, target: &Target) -> Result<Vec<IpAddr>, Fault> {
        let addresses = match (policy::literal(target), &target.host) {
            (Some(address), _) => vec![address],
            (None, Host::Domain(name)) => {
                let resolved = self.resolver.resolve(name).await;
                let resolved = resolved.map_err(|_| Fault::Address)?;
                // The form that is checked is the one that is connected to.
                let canonical = resolved.into_iter().map(|address| address.to_canonical());
                canonical.collect()
            }
            (None, _) => Vec::new(),
        };
        if addresses.is_empty() {
            return Err(Fault::Address);
        }
        for address in &addresses {
            self.policy.check_address(target, *address)?;
        }
        Ok(addresses)
    }
}

/// The name that the server's certificate must have.
fn server_name(host: &Host<String>) -> Option<ServerName<'static>> {
    match host {
        Host::Domain(name) => ServerName::try_from(name.clone()).ok(),
        Host::Ipv4(address) => Some(ServerName::from(IpAddr::V4(*address))),
        Host::Ipv6(address) => Some(ServerName::from(IpAddr::V6(*address))),
    }
}

impl Service<Uri> for Connector {
    type Response = Link;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Link, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = timeout(CONNECT_TIMEOUT, self.clone().connect(uri));
        Box::pin(async move { connecting.await.unwrap_or(Err(Fault::Slow.into())) })
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// An open connection.
pub(crate) struct Link {
    stream: TokioIo<Box<dyn Stream>>,
    peer: Peer,
    /// Its permit to be pooled, if there was one left.
    permit: Option<OwnedSemaphorePermit>,
}

impl Connection for Link {
    fn connected(&self) -> Connected {
        let connected = Connected::new().extra(self.peer);
        if self.permit.is_none() {
            connected.poison();
        }
        connected
    }
}

impl Read for Link {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for Link {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}
