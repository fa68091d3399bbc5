//! Which targets operators admit besides public ones: networks and hosts of their own.

use std::{fmt, net::IpAddr, str::FromStr};

use ipnet::IpNet;
use url::Host;

/// What operators admit besides public addresses over HTTPS. Nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowances {
    /// Networks whose addresses are admitted, also over plain HTTP.
    pub networks: Networks,
    /// Hosts that are admitted wherever their names lead, also over plain HTTP.
    pub hosts: HostRules,
}

/// Networks that are admitted. Read from addresses and networks, separated by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

/// Hosts that are admitted. Read from `name`, `name:port` and `*.suffix`, separated by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRules(Vec<HostRule>);

/// A host that is admitted, or all hosts below a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    /// In lower case, without a dot at the end.
    name: String,
    is_suffix: bool,
    /// All ports if there is none.
    port: Option<u16>,
}

impl Networks {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Whether one of them is this address alone.
    pub(crate) fn name_exactly(&self, address: IpAddr) -> bool {
        self.0.contains(&IpNet::from(address))
    }
}

impl HostRules {
    pub(crate) fn admit(&self, host: &Host<String>, port: u16) -> bool {
        let Host::Domain(name) = host else {
            return false;
        };
        self.0.iter().any(|rule| rule.admits(name, port))
    }
}

impl HostRule {
    fn admits(&self, name: &str, port: u16) -> bool {
        let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
        let is_named = if self.is_suffix {
            let above = name.strip_suffix(&self.name);
            above.is_some_and(|above| above.len() > 1 && above.ends_with('.'))
        } else {
            name == self.name
        };
        is_named && self.port.is_none_or(|admitted| admitted == port)
    }
}

impl FromStr for Networks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = |text: &str| {
            let single = text.parse::<IpAddr>().map(IpNet::from).ok();
            let network = single.or_else(|| text.parse().ok()).ok_or_else(|| {
                format!("must be addresses or networks such as 10.0.0.0/8, separated by commas, not \"{text}\"")
            })?;
            Ok(canonical(network))
        };
        parts(text).map(network).collect::<Result<_, _>>().map(Self)
    }
}

/// The network of IPv4 addresses if they are mapped to IPv6, since addresses are compared as IPv4.
fn canonical(network: IpNet) -> IpNet {
    const MAPPED_BITS: u8 = 96;
    let prefix = network.prefix_len().checked_sub(MAPPED_BITS);
    let (IpNet::V6(_), IpAddr::V4(address), Some(prefix)) =
        (network, network.addr().to_canonical(), prefix)
    else {
        return network;
    };
    IpNet::new(IpAddr::V4(address), prefix).unwrap_or(network)
}

impl FromStr for HostRules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parts(text)
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl FromStr for HostRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "must be hosts such as hooks.internal, hooks.internal:8443 or *.internal, separated by commas; \"{text}\" is none"
            )
        };
        let is_address = || format!("must be names; \"{text}\" is an address: admit its network");
        if text.parse::<IpAddr>().is_ok() || text.starts_with('[') {
            return Err(is_address());
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) => {
                let port = port.parse().ok().filter(|port| *port > 0);
                (name, Some(port.ok_or_else(wrong)?))
            }
            None => (text, None),
        };
        let suffix = name.strip_prefix("*.");
        match Host::parse(suffix.unwrap_or(name)) {
            Ok(Host::Domain(name)) => {
                let name = name.strip_suffix('.').unwrap_or(&name);
                if name.is_empty() || name.contains('*') {
                    return Err(wrong());
                }
                Ok(Self {
                    name: name.to_owned(),
                    is_suffix: suffix.is_some(),
                    port,
                })
            }
            Ok(_) => Err(is_address()),
            Err(_) => Err(wrong()),
        }
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

impl fmt::Display for Networks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let networks: Vec<_> = self.0.iter().map(IpNet::to_string).collect();
        out.write_str(&networks.join(","))
    }
}

impl fmt::Display for HostRules {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<_> = self.0.iter().map(HostRule::to_string).collect();
        out.write_str(&rules.join(","))
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.is_suffix { "*." } else { "" };
        write!(out, "{below}{}", self.name)?;
        match self.port {
            Some(port) => write!(out, ":{port}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(rules: &str, host: &str, port: u16) -> bool {
        let rules: HostRules = rules.parse().unwrap();
        rules.admit(&Host::parse(host).unwrap(), port)
    }

    #[test]
    fn a_host_is_admitted_by_its_name_its_port_or_what_is_above_it() {
        for (rules, host, port) in [
            ("hooks.internal", "hooks.internal", 80),
            ("HOOKS.internal.", "hooks.INTERNAL", 443),
            ("hooks.internal", "hooks.internal.", 80),
            ("hooks.internal:8443", "hooks.internal", 8443),
            ("a.example, *.internal", "x.y.internal", 1),
            ("*.internal:8080", "x.internal", 8080),
            ("bücher.example", "xn--bcher-kva.example", 443),
        ] {
            assert!(admits(rules, host, port), "{rules} {host}");
        }
        for (rules, host, port) in [
            ("", "hooks.internal", 80),
            ("hooks.internal", "x.hooks.internal", 80),
            ("hooks.internal:8443", "hooks.internal", 443),
            ("*.internal", "internal", 80),
            ("*.internal", "evilinternal", 80),
            ("hooks.internal", "hooks.internal.evil.example", 80),
        ] {
            assert!(!admits(rules, host, port), "{rules} {host}");
        }
    }

    #[test]
    fn a_rule_that_is_no_host_is_refused_by_name() {
        for text in [
            "*",
            "*.",
            "a.*.example",
            "https://hooks.internal",
            "hooks.internal:0",
            "hooks.internal:https",
            "hooks internal",
            "user@hooks.internal",
            "hooks.internal/path",
            ".",
        ] {
            let refused = text.parse::<HostRules>().unwrap_err();
            assert!(refused.contains(&format!("\"{text}\"")), "{refused}");
        }
        for text in ["10.0.0.1", "::1", "[::1]:80", "10.0.0.1:80", "2130706433"] {
            let refused = text.parse::<HostRules>().unwrap_err();
            assert!(refused.contains("is an address"), "{refused}");
        }
    }

    #[test]
    fn rules_are_written_as_they_are_read() {
        let text = "hooks.internal,hooks.internal:8443,*.internal";
        assert_eq!(text.parse::<HostRules>().unwrap().to_string(), text);
        let text = "10.0.0.0/8,192.168.1.1/32,fd00::/8";
        assert_eq!(text.parse::<Networks>().unwrap().to_string(), text);
        assert_eq!(Networks::default().to_string(), "");
    }

    #[test]
    fn networks_are_read_or_refused_by_name() {
        let refused = "10.0.0.0/8,hooks.internal".parse::<Networks>();
        assert!(refused.unwrap_err().contains("\"hooks.internal\""));
        let mapped: Networks = "::ffff:10.0.0.0/104, ::ffff:1.2.3.4".parse().unwrap();
        assert_eq!(mapped.to_string(), "10.0.0.0/8,1.2.3.4/32");
    }
}
