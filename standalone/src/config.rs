//! Settings of `muster`: core's, and where the one HTTP port is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use clap::Parser;
use core_service::{
    admin,
    grpc::server::Address,
    settings::{DataSettings, MailSettings, PortSettings, RuleSettings},
};
use edge::http::HttpSettings;
use mcp_bridge::McpSettings;
use process::telemetry::LogSettings;

/// Muster: events, the people who register for them, and an API for programs and agents.
///
/// Without a command it serves everything in one process, on SQLite unless told otherwise, and migrates the database by
/// itself. A new database on a loopback address is filled with demo events, and a key to try them with is printed.
#[derive(Debug, Parser)]
#[command(name = "muster", version, after_help = EXAMPLES)]
pub struct Config {
    #[command(subcommand)]
    pub(crate) command: Option<admin::Command>,
    #[command(flatten)]
    pub(crate) http: HttpSettings,
    #[command(flatten)]
    pub(crate) mcp: McpSettings,
    #[command(flatten)]
    pub(crate) port: PortSettings,
    #[command(flatten)]
    pub(crate) data: DataSettings,
    #[command(flatten)]
    pub(crate) rules: RuleSettings,
    #[command(flatten)]
    pub(crate) mail: MailSettings,
    /// What to log
    #[command(flatten)]
    pub log: LogSettings,
}

const EXAMPLES: &str = "\
Paths: /api/v1 (the API), /docs (its reference, to read and try), /mcp (the Model Context Protocol), /healthz (this process
runs), /readyz (core answers).

Examples:
  muster
  muster --data-dir /var/lib/muster --http-addr 0.0.0.0:80 --public-url https://events.example.org
  muster --database-url postgres://muster:secret@db/muster

Exit codes: 0 stopped as asked, 1 something is in the way (a port in use, a database out of reach), 64 settings are wrong,
70 a defect.";

impl Config {
    /// The base of every URL that is handed out.
    pub(crate) fn public_url(&self) -> String {
        self.rules
            .public_url
            .clone()
            .unwrap_or_else(|| format!("http://{}", reachable(self.http.http_addr)))
    }

    /// How MCP is served: under the public URL's name, too.
    pub(crate) fn mcp_options(&self) -> mcp_bridge::Options {
        let mut options = self.mcp.options();
        let url = self.public_url();
        let authority = url.split("://").nth(1).unwrap_or_default();
        let host = authority.split('/').next().unwrap_or_default();
        options.hosts.push(host.to_owned());
        options.calls = self.http.calls();
        options
    }

    /// Whether only this machine can reach it, so that demo data and a printed key do no harm.
    pub(crate) fn is_local(&self) -> bool {
        let grpc_is_local = match &self.port.grpc_addr {
            Address::Tcp(address) => address.ip().is_loopback(),
            Address::Unix(_) => true,
        };
        grpc_is_local && self.http.http_addr.ip().is_loopback()
    }
}

/// The address by which this machine reaches a port that is served on all of its addresses.
pub(crate) fn reachable(mut served: SocketAddr) -> SocketAddr {
    if served.ip().is_unspecified() {
        served.set_ip(match served.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    served
}
