//! Which client a request comes from, when proxies stand before the edge.

use std::{fmt, net::IpAddr, str::FromStr};

use http::HeaderMap;
use ipnet::IpNet;

/// What proxies append the address to that they were called from.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The proxies whose word on the client's address is taken. Anybody else could make one up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// The client's address: that of the peer, or when the peer is a trusted proxy, the last in `X-Forwarded-For` that is
    /// none. What stands before it came from the client.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        for hop in hops {
            if !self.contains(client) {
                break;
            }
            match hop.trim().parse::<IpAddr>() {
                Ok(address) => client = address.to_canonical(),
                Err(_) => break,
            }
        }
        client
    }

    fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for TrustedProxies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = |text: &str| {
            let text = text.trim();
            let single = text.parse::<IpAddr>().map(IpNet::from).ok();
            single.or_else(|| text.parse().ok()).ok_or_else(|| {
                format!("must be addresses or networks such as 10.0.0.0/8, separated by commas; \"{text}\" is neither")
            })
        };
        let parts = text.split(',').filter(|part| !part.trim().is_empty());
        parts.map(network).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for TrustedProxies {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let networks: Vec<_> = self.0.iter().map(IpNet::to_string).collect();
        out.write_str(&networks.join(","))
    }
}

/// Which proxies stand before an edge; flatten it into its settings.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ProxySettings {
    /// Proxies whose X-Forwarded-For is believed, as addresses or networks separated by commas
    #[arg(
        long,
        env = "MUSTER_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        default_value = ""
    )]
    pub trusted_proxies: TrustedProxies,
}
