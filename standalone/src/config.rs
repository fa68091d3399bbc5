//! Settings of `muster`.

use clap::Parser;
use core_service::{
    admin,
    settings::{DataSettings, MailSettings, PortSettings, RuleSettings},
};
use http_kit::{HttpSettings, ResponseCache};
use mcp_bridge::McpSettings;
use server::{
    exposure::Exposure,
    probe::reachable,
    program::ProgramSettings,
    serve::Address,
    settings::{grpc_url_at, usual_grpc_url},
    shutdown::StopSettings,
};
use website::LookSettings;

use crate::listen::ListenSettings;

/// Muster: events, the people who register for them, and an API for programs and agents.
///
/// Without a command it serves everything in one process, on SQLite by default, and migrates the database itself. When nothing
/// says that it is used for real, it fills a new database with demo events and prints a key to try them (`--demo`).
#[derive(Debug, Parser)]
#[command(name = "muster", version = server::version!(), after_help = EXAMPLES)]
pub struct Config {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) http: HttpSettings,
    #[command(flatten)]
    pub(crate) mcp: McpSettings,
    #[command(flatten)]
    pub(crate) port: PortSettings,
    #[command(flatten)]
    pub(crate) data: DataSettings,
    /// Fill a new database with demo events and print a key to try them
    ///
    /// By default it does so when it listens on loopback addresses only, and `--public-url`, `--smtp-url`, `--database-url` and
    /// `--trusted-proxies` are unset: a proxy can make a loopback address public.
    #[arg(
        long,
        env = "MUSTER_DEMO",
        value_name = "on|off",
        help_heading = "Data",
        hide_possible_values = true
    )]
    pub(crate) demo: Option<Demo>,
    #[command(flatten)]
    pub(crate) rules: RuleSettings,
    #[command(flatten)]
    pub(crate) mail: MailSettings,
    #[command(flatten)]
    pub(crate) look: LookSettings,
    #[command(flatten)]
    pub(crate) stop: StopSettings,
    /// What every program has
    #[command(flatten)]
    pub program: ProgramSettings,
}

/// What it does in place of serving.
#[derive(Debug, Clone, clap::Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Admin(admin::Command),
    /// Try webhooks on your own computer
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Check whether the process at this HTTP address is ready (`/readyz`): exit code 0, or 1 with the cause
    Health,
}

/// A command on webhooks.
#[derive(Debug, Clone, clap::Subcommand)]
pub(crate) enum WebhookCommand {
    /// Pull the messages of an account, print them, and post them to a program on this machine, signed as real ones
    Listen(ListenSettings),
}

/// Whether to show demo data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Demo {
    On,
    Off,
}

const EXAMPLES: &str = "\
Paths: / (the site), /docs (the reference of the API), /api/v1 (the API), /mcp (the Model Context Protocol),
/healthz (this process runs), /readyz (core answers), /version.

Examples:
  muster
  muster --data-dir /var/lib/muster --http-addr 0.0.0.0:80 --public-url https://events.example.org
  muster --database-url postgres://muster:secret@db/muster

Exit codes: 0 stopped by a signal, 1 problem of the environment (port in use, database unreachable), 64 invalid settings,
70 a defect.";

impl Config {
    /// The base of every URL in answers and mails.
    pub(crate) fn public_url(&self) -> String {
        self.rules
            .public_url
            .clone()
            .unwrap_or_else(|| format!("http://{}", reachable(self.http.http_addr)))
    }

    /// The URL of the gRPC port as clients reach it.
    pub fn grpc_url(&self) -> String {
        if let Some(url) = &self.rules.grpc_url {
            return url.clone();
        }
        let public_url = self.public_url();
        let scheme = match self.port.tls.tls_cert {
            Some(_) => "https",
            None => "http",
        };
        match &self.port.grpc_addr {
            // A proxy is in front, which most likely serves the usual port.
            Address::Tcp(address)
                if address.ip().is_loopback() && self.rules.public_url.is_some() =>
            {
                usual_grpc_url(&public_url)
            }
            Address::Tcp(address) if address.ip().is_unspecified() => {
                grpc_url_at(&public_url, scheme, address.port())
            }
            Address::Tcp(address) => format!("{scheme}://{address}"),
            Address::Unix(_) => usual_grpc_url(&public_url),
        }
    }

    /// What of this machine others can reach.
    pub(crate) fn exposure(&self) -> Exposure {
        Exposure {
            public_url: self.rules.public_url.clone(),
            http: Some(self.http.http_addr),
            has_proxies: !self.http.proxies.trusted_proxies.is_empty(),
            grpc: Some((
                self.port.grpc_addr.clone(),
                self.port.tls.tls_cert.is_some(),
            )),
        }
    }

    /// MCP is also served under the public URL's host.
    pub(crate) fn mcp_options(&self, cache: Option<ResponseCache>) -> mcp_bridge::Options {
        let mut options = self.mcp.options();
        let url = self.public_url();
        let authority = url.split("://").nth(1).unwrap_or_default();
        let host = authority.split('/').next().unwrap_or_default();
        options.hosts.push(host.to_owned());
        options.calls = self.http.calls(cache);
        options.public_url = url;
        options
    }

    /// Whether demo data and a printed key are wanted, or at least safe.
    pub fn shows_demo(&self) -> bool {
        match self.demo {
            Some(demo) => demo == Demo::On,
            None => self.is_local() && !self.is_used_for_real(),
        }
    }

    /// Whether a setting says that others than this machine's user are served.
    fn is_used_for_real(&self) -> bool {
        self.rules.public_url.is_some()
            || self.mail.smtp_url.is_some()
            || self.data.database_url.is_some()
            || !self.http.proxies.trusted_proxies.is_empty()
    }

    /// Whether it listens on loopback addresses only.
    pub(crate) fn is_local(&self) -> bool {
        let grpc_is_local = match &self.port.grpc_addr {
            Address::Tcp(address) => address.ip().is_loopback(),
            Address::Unix(_) => true,
        };
        grpc_is_local && self.http.http_addr.ip().is_loopback()
    }
}
