//! Where the parts of a system are: on this machine's loopback, or each in a network namespace of its own, behind a router that can cut
//! one from another: then packets vanish without a word.

use std::{
    net::{IpAddr, Ipv4Addr},
    process::{Command, id},
};

use anyhow::{Context as _, ensure};

/// Places that are in the driver's own namespace: those of the clients, the database and the mail server.
const OUTSIDE: u8 = 0;

/// The first octets of the addresses on loopback, and of those behind the router.
const LOOPBACK: u8 = 127;
const BEHIND: u8 = 10;

/// The clients' address, and that of a part in its namespace.
const FIRST: u8 = 2;
const DATABASE: u8 = 3;
const MAIL: u8 = 4;

/// The end of the router in each network.
const ROUTER: u8 = 1;

/// Where a part is.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) ip: IpAddr,
    /// `None` on loopback.
    pub(crate) namespace: Option<String>,
}

/// The addresses of a system, and the namespaces that have them. They are removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Network {
    /// Different for drivers that run at the same time.
    octet: u8,
    /// `None` on loopback.
    router: Option<String>,
    namespaces: Vec<String>,
}

impl Network {
    /// Addresses on loopback.
    pub(crate) fn loopback() -> Self {
        Self {
            octet: octet(),
            router: None,
            namespaces: Vec::new(),
        }
    }

    /// A router with that many namespaces around it.
    ///
    /// # Errors
    /// Where this is not allowed, or the tools are missing.
    pub(crate) fn of_namespaces(count: u8) -> anyhow::Result<Self> {
        let name = format!("muster-faults-{}", id());
        let router = format!("{name}-router");
        let mut network = Self {
            octet: octet(),
            router: None,
            namespaces: Vec::new(),
        };
        ip(&format!("netns add {router}"))?;
        network.router = Some(router.clone());
        inside(&router, "echo 1 >/proc/sys/net/ipv4/ip_forward")?;
        ip(&format!("-n {router} link set lo up"))?;
        let outside = outside();
        let octet = network.octet;
        ip(&format!(
            "link add {outside} type veth peer name to{OUTSIDE} netns {router}"
        ))?;
        for last in [FIRST, DATABASE, MAIL] {
            ip(&format!(
                "address add {BEHIND}.{octet}.{OUTSIDE}.{last}/24 dev {outside}"
            ))?;
        }
        ip(&format!("link set {outside} up"))?;
        network.connect_router(OUTSIDE)?;
        ip(&format!(
            "route add {BEHIND}.{octet}.0.0/16 via {BEHIND}.{octet}.{OUTSIDE}.{ROUTER}"
        ))?;
        for number in 1..=count {
            let namespace = format!("{name}-{number}");
            ip(&format!("netns add {namespace}"))?;
            network.namespaces.push(namespace.clone());
            ip(&format!(
                "-n {namespace} link add eth0 type veth peer name to{number} netns {router}"
            ))?;
            for one in [
                "link set lo up".to_owned(),
                format!("address add {BEHIND}.{octet}.{number}.{FIRST}/24 dev eth0"),
                "link set eth0 up".to_owned(),
                format!("route add default via {BEHIND}.{octet}.{number}.{ROUTER}"),
            ] {
                ip(&format!("-n {namespace} {one}"))?;
            }
            network.connect_router(number)?;
        }
        Ok(network)
    }

    fn connect_router(&self, number: u8) -> anyhow::Result<()> {
        let router = self.router()?;
        let octet = self.octet;
        ip(&format!(
            "-n {router} address add {BEHIND}.{octet}.{number}.{ROUTER}/24 dev to{number}"
        ))?;
        ip(&format!("-n {router} link set to{number} up"))
    }

    fn router(&self) -> anyhow::Result<&str> {
        self.router.as_deref().context("there is no router")
    }

    /// The place of the part with this number, counted from 0.
    pub(crate) fn place(&self, number: u8) -> Place {
        Place {
            ip: self.address(number + 1, FIRST),
            namespace: self.namespaces.get(usize::from(number)).cloned(),
        }
    }

    /// Where the database can be reached, if it has an address.
    pub(crate) fn database(&self) -> Option<IpAddr> {
        self.router.as_ref()?;
        Some(self.address(OUTSIDE, DATABASE))
    }

    /// The mail server's address.
    pub(crate) fn mail(&self) -> IpAddr {
        match self.router {
            Some(_) => self.address(OUTSIDE, MAIL),
            None => Ipv4Addr::LOCALHOST.into(),
        }
    }

    fn address(&self, number: u8, last: u8) -> IpAddr {
        let first = if self.router.is_some() {
            BEHIND
        } else {
            LOOPBACK
        };
        Ipv4Addr::new(first, self.octet, number, last).into()
    }

    /// From now on, packets between the two vanish.
    pub(crate) fn cut(&self, one: IpAddr, other: IpAddr) -> anyhow::Result<()> {
        self.change("add", one, other)
    }

    /// They arrive again.
    pub(crate) fn mend(&self, one: IpAddr, other: IpAddr) -> anyhow::Result<()> {
        self.change("del", one, other)
    }

    fn change(&self, how: &str, one: IpAddr, other: IpAddr) -> anyhow::Result<()> {
        let router = self.router()?;
        for (from, to) in [(one, other), (other, one)] {
            ip(&format!(
                "-n {router} rule {how} from {from} to {to} blackhole"
            ))?;
        }
        Ok(())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // Links go with the namespaces of their ends, but some time later.
        let mut leftovers = Vec::new();
        if self.router.is_some() {
            leftovers.extend(ip(&format!("link del {}", outside())).err());
        }
        for namespace in self.namespaces.iter().chain(&self.router) {
            leftovers.extend(ip(&format!("netns del {namespace}")).err());
        }
        for leftover in leftovers {
            eprintln!("left behind: {leftover:#}");
        }
    }
}

/// The second octet of all addresses. 0 and 1 are those that others use most.
fn octet() -> u8 {
    u8::try_from(id() % 250).unwrap_or_default() + 2
}

/// The link to the router; a link's name has at most 15 characters.
fn outside() -> String {
    format!("muster{}", id() % 100_000_000)
}

fn ip(arguments: &str) -> anyhow::Result<()> {
    run(Command::new("ip").args(arguments.split_whitespace()))
        .with_context(|| format!("ip {arguments}"))
}

fn inside(namespace: &str, script: &str) -> anyhow::Result<()> {
    run(Command::new("ip").args(["netns", "exec", namespace, "sh", "-c", script]))
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let done = command.output().context("it cannot be started")?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{}", complaint.trim());
    Ok(())
}
