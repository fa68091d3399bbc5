//! Settings of the bridge.

use clap::Parser;
use http_kit::{CallOptions, EdgeCommand, EdgeSettings, ResponseCache};
use secrecy::SecretString;
use server::{
    cors::{List, Origin},
    settings::{public_url, secret},
};

/// Serves Muster's API to agents over the Model Context Protocol (MCP) and calls core over gRPC.
///
/// The bridge holds no data and no sessions, so any number of bridges can run in front of one core. It can start before core,
/// and it reconnects after an outage.
#[derive(Debug, Clone, Parser)]
#[command(version = server::version!(), after_help = HELP)]
pub struct Settings {
    /// What it does in place of serving
    #[command(subcommand)]
    pub command: Option<EdgeCommand>,
    /// Serve MCP on standard input and output instead of HTTP, for one client on this machine
    #[arg(long, help_heading = "MCP")]
    pub stdio: bool,
    /// With --stdio: the API key
    #[arg(
        long,
        env = "MUSTER_API_KEY",
        value_name = "KEY",
        help_heading = "MCP",
        hide_env_values = true
    )]
    pub api_key: Option<SecretString>,
    /// URL under which people and programs reach Muster. With https, browsers are told to use nothing else
    #[arg(long, env = "MUSTER_PUBLIC_URL", value_name = "URL", value_parser = public_url, help_heading = "MCP")]
    pub public_url: Option<String>,
    /// Settings of MCP over HTTP
    #[command(flatten)]
    pub mcp: McpSettings,
    /// Its port and the connection to core
    #[command(flatten)]
    pub edge: EdgeSettings,
}

const HELP: &str = "\
Paths: /mcp (the Model Context Protocol), /healthz (this process runs), /readyz (core can be reached), /version.

The bridge proves to core that it is an edge: set MUSTER_EDGE_TOKEN to the same secret as core's, or use mutual TLS. With --stdio it needs no proof.

Examples:
  mcp-bridge --core-url http://core.internal:50051 --mcp-hosts mcp.example.org
  MUSTER_API_KEY=mus_live_... mcp-bridge --stdio --core-url http://127.0.0.1:50051
  claude mcp add --transport http muster http://127.0.0.1:8080/mcp

Exit codes: 0 stopped by a signal, 1 problem of the environment (port in use), 64 invalid settings, 70 a defect.";

/// Settings of MCP over HTTP. Flatten them into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "MCP")]
pub struct McpSettings {
    /// Host names under which MCP is served, separated by commas, with or without a port; `*` for any. Local names are always
    /// served
    #[arg(
        long,
        env = "MUSTER_MCP_HOSTS",
        value_name = "HOSTS",
        default_value = ""
    )]
    pub mcp_hosts: List<String>,
    /// Origins of web pages that may call MCP (CORS), separated by commas, for example `https://app.example.org`. Calls from
    /// other origins are refused, except local origins, which some clients send
    #[arg(
        long,
        env = "MUSTER_MCP_ORIGINS",
        value_name = "ORIGINS",
        default_value = ""
    )]
    pub mcp_origins: List<Origin>,
    /// Maximum number of concurrent MCP requests; further ones are answered with 503. One key may have an eighth of them; its
    /// further ones are answered with 429
    #[arg(long, env = "MUSTER_MCP_CONCURRENCY", value_name = "COUNT", default_value_t = 512,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub mcp_concurrency: u16,
    /// Secret of at least 32 characters that protects confirmations while a client holds them. It must be the same for all
    /// replicas [default: random, for one process]
    #[arg(long, env = "MUSTER_MCP_STATE_KEY", value_name = "SECRET", hide_env_values = true, value_parser = secret)]
    pub mcp_state_key: Option<SecretString>,
}

/// Options of the bridge.
#[derive(Debug, Clone)]
pub struct Options {
    /// Options of calls to core.
    pub calls: CallOptions,
    /// Hosts under which it is served, in addition to local names; `*` for any.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call it.
    pub origins: Vec<Origin>,
    /// Maximum number of concurrent requests.
    pub concurrency: usize,
    /// The secret that seals confirmations; random if absent.
    pub state_key: Option<SecretString>,
    /// The public URL; empty if it is not known.
    pub public_url: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            calls: CallOptions::default(),
            hosts: Vec::new(),
            origins: Vec::new(),
            concurrency: 512,
            state_key: None,
            public_url: String::new(),
        }
    }
}

impl McpSettings {
    /// The options that these settings describe.
    pub fn options(&self) -> Options {
        Options {
            hosts: self.mcp_hosts.0.clone(),
            origins: self.mcp_origins.0.clone(),
            concurrency: self.mcp_concurrency.into(),
            state_key: self.mcp_state_key.clone(),
            ..Options::default()
        }
    }
}

impl Settings {
    pub(crate) fn options(&self, cache: Option<ResponseCache>) -> Options {
        Options {
            calls: self.edge.http.calls(cache),
            public_url: self.public_url.clone().unwrap_or_default(),
            ..self.mcp.options()
        }
    }
}
