//! The origin of calls, as core knows it from accepting their connections.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Stream, TryStreamExt as _, stream};
use http::Extensions;
use process::tcp;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::server::{Connected, TlsConnectInfo};

/// The origin of a call.
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
    /// The peer's IP address, over a network.
    pub const fn ip(self) -> Option<IpAddr> {
        match self {
            Self::Tcp(peer) => Some(peer.ip()),
            Self::InProcess | Self::Unix => None,
        }
    }

    /// The origin of a request from a port.
    pub(super) fn of(extensions: &Extensions) -> Option<Self> {
        let tls = || extensions.get().map(TlsConnectInfo::<Self>::get_ref);
        extensions.get().or_else(tls).copied()
    }
}

/// Whether the peer has a client certificate. The port accepts only those of the authority in `--tls-client-ca`.
pub(super) fn has_certificate(extensions: &Extensions) -> bool {
    let tls = extensions.get::<TlsConnectInfo<Origin>>();
    tls.and_then(TlsConnectInfo::peer_certs)
        .is_some_and(|certificates| !certificates.is_empty())
}

/// An accepted connection. Its address is taken when it is accepted: once the client has disconnected, the socket has none,
/// although its requests are still read.
#[derive(Debug)]
pub(super) struct Accepted<S> {
    stream: S,
    origin: Origin,
}

/// All connections of a TCP port.
pub(super) fn over_tcp(
    listener: TcpListener,
) -> impl Stream<Item = io::Result<Accepted<TcpStream>>> {
    stream::unfold(listener, |listener| async {
        let (stream, peer) = tcp::accept(&listener).await;
        let origin = Origin::Tcp(peer);
        Some((Ok(Accepted { stream, origin }), listener))
    })
}

/// All connections of a Unix socket.
pub(super) fn over_unix(
    listener: UnixListener,
) -> impl Stream<Item = io::Result<Accepted<UnixStream>>> {
    let origin = Origin::Unix;
    UnixListenerStream::new(listener).map_ok(move |stream| Accepted { stream, origin })
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

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::StreamExt as _;

    use super::*;

    /// The port's side of a new connection, and the client's.
    async fn connected() -> (Accepted<TcpStream>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let client = client.await.unwrap();
        let accepted = pin!(over_tcp(listener)).next().await.unwrap();
        (accepted.unwrap(), client)
    }

    #[tokio::test]
    async fn an_accepted_socket_sends_small_answers_at_once() {
        let (accepted, _client) = connected().await;
        assert!(accepted.stream.nodelay().unwrap());
    }

    #[tokio::test]
    async fn a_connection_says_where_it_came_from_after_its_client_has_reset_it() {
        let (accepted, client) = connected().await;
        let address = client.local_addr().unwrap();
        client.set_zero_linger().unwrap();
        drop(client);
        assert!(accepted.stream.readable().await.is_ok());
        assert!(accepted.stream.peer_addr().is_err());
        assert_eq!(accepted.connect_info(), Origin::Tcp(address));
    }
}
