//! Which client a request comes from, when proxies stand before the edge.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

use http::HeaderMap;
use process::networks::Networks;

/// What proxies append the address to that they were called from.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The proxies whose word on the client's address is taken. Anybody else could make one up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Networks);

impl TrustedProxies {
    /// The client's address: that of the peer, or when the peer is a trusted proxy, the last in `X-Forwarded-For` that is
    /// none. What stands before it came from the client.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        for hop in hops {
            if !self.0.contains(client) {
                break;
            }
            match address(hop.trim()) {
                Some(address) => client = address.to_canonical(),
                None => break,
            }
        }
        client
    }
}

/// An address as proxies write it, some of them with the port.
fn address(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse().ok().map(|address: SocketAddr| address.ip());
    hop.parse().ok().or_else(with_port)
}

impl FromStr for TrustedProxies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self)
    }
}

impl fmt::Display for TrustedProxies {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Which proxies stand before an edge; flatten it into its settings.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ProxySettings {
    /// Proxies whose X-Forwarded-For is believed, as addresses or networks separated by commas [default: none]
    #[arg(
        long,
        env = "MUSTER_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        default_value = "",
        hide_default_value = true
    )]
    pub trusted_proxies: TrustedProxies,
}
