//! Networks of IP addresses, as operators name trusted proxies, and the names of this machine.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
};

use http::uri::Authority;
use ipnet::IpNet;

/// Any number of networks; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them contains the address. An IPv4 address that is mapped to IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Networks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = |text: &str| {
            let text = text.trim();
            let single = text.parse::<IpAddr>().map(IpNet::from).ok();
            single.or_else(|| text.parse().ok()).ok_or_else(|| {
                format!("must be addresses or networks such as 10.0.0.0/8, separated by commas, not \"{text}\"")
            })
        };
        let parts = text.split(',').filter(|part| !part.trim().is_empty());
        parts.map(network).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Networks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let networks: Vec<_> = self.0.iter().map(IpNet::to_string).collect();
        out.write_str(&networks.join(","))
    }
}

/// The names of this machine, under which no foreign page can be served.
pub const THIS_MACHINE: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Whether a host, with or without a port, is a name of this machine.
pub fn is_this_machine(host: &str) -> bool {
    let authority = host.parse::<Authority>();
    authority.is_ok_and(|one| THIS_MACHINE.contains(&one.host()) && !one.as_str().contains('@'))
}

/// Whether a URL's host is a name of this machine.
pub fn is_on_this_machine(url: &str) -> bool {
    let authority = url.split_once("://").map(|(_, rest)| rest);
    let authority = authority.and_then(|rest| rest.split('/').next());
    authority.is_some_and(is_this_machine)
}

/// The network that counts as one client: a subscriber has 2^64 IPv6 addresses.
pub fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// The network of an address, from which nobody finds one subscriber: the first 24 bits of an IPv4 address, 48 of an IPv6 one.
pub fn coarse(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read_or_refused_by_name() {
        let refused = "10.0.0.0/8,proxy.internal".parse::<Networks>();
        assert!(refused.unwrap_err().contains("\"proxy.internal\""));
        let read: Networks = "10.0.0.0/8, 192.0.2.1,".parse().unwrap();
        assert_eq!(read.to_string(), "10.0.0.0/8,192.0.2.1/32");
    }

    #[test]
    fn a_coarse_network_has_no_subscriber() {
        for (address, network) in [
            ("192.0.2.1", "192.0.2.0/24"),
            ("::ffff:192.0.2.1", "192.0.2.0/24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ] {
            assert_eq!(coarse(address.parse().unwrap()), network);
        }
    }

    #[test]
    fn a_subscriber_is_one_client_with_all_of_its_addresses() {
        for (address, client) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(subscriber(address).to_string(), client);
        }
    }

    #[test]
    fn an_address_is_in_a_network_however_it_is_written() {
        let read: Networks = "10.0.0.0/8,fc00::/7".parse().unwrap();
        for address in ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1"] {
            assert!(read.contains(address.parse().unwrap()), "{address}");
        }
        for address in ["11.1.2.3", "2001:db8::1"] {
            assert!(!read.contains(address.parse().unwrap()), "{address}");
        }
        assert!(!Networks::default().contains([127, 0, 0, 1].into()));
    }
}
