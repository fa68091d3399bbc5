//! Where requests may go: to public addresses over HTTPS, and to what the operator admits.

use std::net::IpAddr;

use url::Host;

use crate::{Allowances, Fault, metadata::is_metadata, target::Target};

/// Decides about addresses. One for each client, so that a kept connection is never used under another.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) is_public: fn(IpAddr) -> bool,
    pub(crate) allowances: Allowances,
}

impl Policy {
    /// Whether a target may be asked, as far as is known before its name is looked up.
    pub(crate) fn check(&self, target: &Target) -> Result<(), Fault> {
        let Allowances { networks, hosts } = &self.allowances;
        if let Some(address) = literal(target) {
            return self.check_address(target, address);
        }
        let can_be_plain = !networks.is_empty() || hosts.admit(&target.host, target.port);
        if target.is_plain && !can_be_plain {
            return Err(Fault::Url);
        }
        Ok(())
    }

    /// Whether an address of a target may be connected to.
    pub(crate) fn check_address(&self, target: &Target, address: IpAddr) -> Result<(), Fault> {
        let Allowances { networks, hosts } = &self.allowances;
        let is_metadata = is_metadata(address);
        let is_admitted = if is_metadata {
            networks.name_exactly(address)
        } else {
            networks.contain(address) || hosts.admit(&target.host, target.port)
        };
        if is_admitted {
            return Ok(());
        }
        if is_metadata || !(self.is_public)(address) {
            return Err(Fault::Address);
        }
        if target.is_plain {
            return Err(Fault::Url);
        }
        Ok(())
    }

    /// Whether what is at an address is not for everyone: it has no public address, or the operator says that the network is theirs.
    pub(crate) fn is_private(&self, address: IpAddr) -> bool {
        !(self.is_public)(address) || self.allowances.networks.contain(address)
    }

    /// Whether a target may be private, where it is not known which address it has.
    pub(crate) fn may_be_private(&self, target: &Target) -> bool {
        let Allowances { networks, hosts } = &self.allowances;
        match literal(target) {
            Some(address) => self.is_private(address),
            None => !networks.is_empty() || hosts.admit(&target.host, target.port),
        }
    }
}

/// The address that a URL has where others have a name.
pub(crate) fn literal(target: &Target) -> Option<IpAddr> {
    match target.host {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address).to_canonical()),
        Host::Domain(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn check(networks: &str, hosts: &str, url: &str) -> Result<(), Fault> {
        let policy = Policy {
            is_public: crate::is_public,
            allowances: Allowances {
                networks: networks.parse().unwrap(),
                hosts: hosts.parse().unwrap(),
            },
        };
        policy.check(&Target::of(&Url::parse(url).unwrap()).unwrap())
    }

    #[test]
    fn public_addresses_over_https_need_no_allowance() {
        for url in [
            "https://1.1.1.1/",
            "https://[2606:4700::1111]/",
            "https://[::ffff:1.1.1.1]/",
            "https://app.example:8443/",
        ] {
            assert_eq!(check("", "", url), Ok(()), "{url}");
        }
        for url in ["http://1.1.1.1/", "http://app.example/"] {
            assert_eq!(check("", "", url), Err(Fault::Url), "{url}");
        }
        for url in [
            "https://10.0.0.1/",
            "https://[::ffff:10.0.0.1]/",
            "http://0x7f.1/",
        ] {
            assert_eq!(check("", "", url), Err(Fault::Address), "{url}");
        }
    }

    #[test]
    fn admitted_networks_and_hosts_may_be_plain() {
        for url in [
            "http://10.1.2.3/",
            "https://10.1.2.3/",
            "http://[::ffff:10.1.2.3]/",
            // Its address is not known yet.
            "http://app.example/",
        ] {
            assert_eq!(check("10.0.0.0/8", "", url), Ok(()), "{url}");
        }
        assert_eq!(check("10.0.0.0/8", "", "http://1.1.1.1"), Err(Fault::Url));
        let hosts = "app.example:8080";
        assert_eq!(check("", hosts, "http://app.example:8080/"), Ok(()));
        assert_eq!(check("", hosts, "http://app.example/"), Err(Fault::Url));
    }

    #[test]
    fn metadata_is_admitted_by_its_own_address_alone() {
        for (networks, url) in [
            ("0.0.0.0/0,::/0", "http://169.254.169.254/"),
            ("169.254.169.0/24", "https://169.254.169.254/"),
            ("0.0.0.0/0,::/0", "http://[::ffff:169.254.169.254]/"),
            ("0.0.0.0/0,::/0", "http://[64:ff9b::169.254.169.254]/"),
            ("169.254.169.254", "http://[64:ff9b::169.254.169.254]/"),
            ("::/0", "http://[fd00:ec2::254]/"),
            // Public, but Azure's.
            ("", "https://168.63.129.16/"),
        ] {
            assert_eq!(check(networks, "", url), Err(Fault::Address), "{url}");
        }
        for (networks, url) in [
            ("169.254.169.254", "http://169.254.169.254/"),
            ("169.254.169.254/32", "http://[::ffff:169.254.169.254]/"),
            ("::ffff:169.254.169.254", "http://169.254.169.254/"),
            ("fd00:ec2::254/128", "http://[fd00:ec2::254]/"),
        ] {
            assert_eq!(check(networks, "", url), Ok(()), "{url}");
        }
    }
}
