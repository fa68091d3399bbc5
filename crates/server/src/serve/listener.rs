//! The socket of a port: TCP or Unix.

use std::{
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, UnixListener, UnixStream},
};

use super::Peer;
use crate::{
    connection_limit::{ConnectionLimit, Permit},
    tcp,
};

/// The address of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// An IP address and port.
    Tcp(SocketAddr),
    /// A Unix socket, written `unix:///path`.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix://") {
            return if path.starts_with('/') {
                Ok(Self::Unix(path.into()))
            } else {
                Err("must be unix:///path".into())
            };
        }
        text.parse()
            .map(Self::Tcp)
            .map_err(|_| "must be IP:PORT, for example 127.0.0.1:50051, or unix:///path".into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Unix(path) => write!(out, "unix://{}", path.display()),
        }
    }
}

/// A bound port.
#[derive(Debug)]
pub enum Listener {
    /// On TCP.
    Tcp(TcpListener),
    /// On a Unix socket.
    Unix(UnixListener, SocketFile),
}

/// A Unix socket's file, which is removed when the port closes.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A remaining socket file does no harm: the next start replaces it.
        let _removed = std::fs::remove_file(&self.0);
    }
}

/// A connection over any socket, plain or secure.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl Listener {
    /// Binds a port.
    ///
    /// # Errors
    /// When the port is in use or cannot be bound.
    pub async fn bind(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            Address::Unix(path) => bind_unix(path).await,
        }
    }

    /// Returns the address that was bound, with the port that the system chose for port 0.
    ///
    /// # Errors
    /// When the system does not know it.
    pub fn address(&self) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            Self::Unix(_, file) => Ok(Address::Unix(file.0.clone())),
        }
    }

    /// Accepts the next connection within the limit.
    pub(super) async fn accept_within(
        &self,
        limit: &ConnectionLimit,
    ) -> (Box<dyn Stream>, Peer, Permit) {
        loop {
            let (stream, address) = self.accept().await;
            let peer = Peer {
                address,
                has_certificate: false,
            };
            if let Some(permit) = limit.admit(address.map(|address| address.ip())).await {
                return (stream, peer, permit);
            }
            tracing::debug!(?peer, "closed a connection above the limit of its client");
        }
    }

    async fn accept(&self) -> (Box<dyn Stream>, Option<SocketAddr>) {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = tcp::accept(listener).await;
                (Box::new(stream), Some(peer))
            }
            Self::Unix(listener, _file) => {
                let (stream, _) = tcp::until_accepted(|| listener.accept()).await;
                (Box::new(stream), None)
            }
        }
    }
}

/// Binds a Unix socket. It replaces one of a process that has ended.
async fn bind_unix(path: &Path) -> io::Result<Listener> {
    if path.exists() {
        if UnixStream::connect(path).await.is_ok() {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        std::fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    Ok(Listener::Unix(listener, SocketFile(path.to_owned())))
}
