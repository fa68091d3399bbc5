//! The transport of calls, as core knows it from accepting their connections.

use std::net::{IpAddr, SocketAddr};

use http::Extensions;
use server::serve::Peer;

/// The transport of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// This process.
    InProcess,
    /// A Unix socket.
    Unix,
    /// A TCP connection of this peer.
    Tcp(SocketAddr),
}

impl Transport {
    /// The peer's IP address, over a network.
    pub const fn ip(self) -> Option<IpAddr> {
        match self {
            Self::Tcp(peer) => Some(peer.ip()),
            Self::InProcess | Self::Unix => None,
        }
    }
}

/// The transport of a request from a port.
pub(super) fn of(extensions: &Extensions) -> Option<Transport> {
    let peer = extensions.get::<Peer>()?;
    Some(peer.address.map_or(Transport::Unix, Transport::Tcp))
}

/// Whether the connection of a request from a port has a client certificate. The port accepts only those of the authority in
/// `--tls-client-ca`.
pub(super) fn has_certificate(extensions: &Extensions) -> bool {
    let peer = extensions.get::<Peer>();
    peer.is_some_and(|peer| peer.has_certificate)
}
