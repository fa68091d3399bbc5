//! The client's address of a request, also behind proxies.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use server::networks::Networks;

/// The header to which each proxy appends the address of its own client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The client's address: the peer's, or if the peer is a trusted proxy, the last address in `X-Forwarded-For` that is no trusted proxy.
/// Earlier entries come from the client.
pub fn client_address(trusted: &Networks, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    for hop in hops {
        if !trusted.contains(client) {
            break;
        }
        match address(hop.trim()) {
            Some(address) => client = address.to_canonical(),
            None => break,
        }
    }
    client
}

/// Parses an address as proxies write it, with or without a port.
fn address(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse().ok().map(|address: SocketAddr| address.ip());
    hop.parse().ok().or_else(with_port)
}

/// Settings of trusted proxies. Flatten them into an edge's settings.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ProxySettings {
    /// Proxies whose X-Forwarded-For is trusted, as IP addresses or networks separated by commas [default: none]
    #[arg(
        long,
        env = "MUSTER_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        default_value = "",
        hide_default_value = true
    )]
    pub trusted_proxies: Networks,
}
