//! Where calls come from, as core itself knows it from the moment a connection is accepted.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    task::{Context, Poll},
};

use http::Extensions;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpStream, UnixStream},
};
use tonic::transport::server::{Connected, TlsConnectInfo};

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This process.
    InProcess,
    /// A Unix socket.
    Unix,
    /// A TCP connection of this peer.
    Tcp(SocketAddr),
}

impl Origin {
    /// The peer's address, where there is a network between.
    pub const fn ip(self) -> Option<IpAddr> {
        match self {
            Self::Tcp(peer) => Some(peer.ip()),
            Self::InProcess | Self::Unix => None,
        }
    }

    /// The origin of a request that came by a port.
    pub(super) fn of(extensions: &Extensions) -> Option<Self> {
        let tls = || extensions.get().map(TlsConnectInfo::<Self>::get_ref);
        extensions.get().or_else(tls).copied()
    }
}

/// Whether the peer has shown a certificate. The port takes none but those of the authority that `--tls-client-ca` names.
pub(super) fn has_certificate(extensions: &Extensions) -> bool {
    let tls = extensions.get::<TlsConnectInfo<Origin>>();
    tls.and_then(TlsConnectInfo::peer_certs)
        .is_some_and(|certificates| !certificates.is_empty())
}

/// An accepted connection. Its address is the one that was accepted: a socket whose client has gone has none any more, while
/// its requests are still read.
#[derive(Debug)]
pub(super) struct Accepted<S> {
    stream: S,
    origin: Origin,
}

impl Accepted<TcpStream> {
    pub(super) fn tcp((stream, peer): (TcpStream, SocketAddr)) -> Self {
        Self {
            stream,
            origin: Origin::Tcp(peer),
        }
    }
}

impl Accepted<UnixStream> {
    pub(super) fn unix(stream: UnixStream) -> Self {
        Self {
            stream,
            origin: Origin::Unix,
        }
    }
}

impl<S> Connected for Accepted<S> {
    type ConnectInfo = Origin;

    fn connect_info(&self) -> Origin {
        self.origin
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Accepted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Accepted<S> {
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

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
