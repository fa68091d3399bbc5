//! How the bridge is set up.

use std::str::FromStr;

use clap::Parser;
use edge::http::{CallOptions, EdgeSettings};
use secrecy::SecretString;

use crate::Origin;

/// Serves Muster to agents over the Model Context Protocol, translating to core's gRPC.
///
/// The bridge holds no data, no rules and no sessions: run as many as you like, in front of the same core. It starts before
/// core does and finds it again after an outage.
#[derive(Debug, Clone, Parser)]
#[command(version, after_help = HELP)]
pub struct Settings {
    /// Speak MCP on standard input and output instead of HTTP, for a client on this machine
    #[arg(long)]
    pub stdio: bool,
    /// With --stdio: the API key to call with
    #[arg(
        long,
        env = "MUSTER_API_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub api_key: Option<SecretString>,
    /// Who may connect, and how many
    #[command(flatten)]
    pub mcp: McpSettings,
    /// Where it is served, and where core is
    #[command(flatten)]
    pub edge: EdgeSettings,
}

const HELP: &str = "\
Paths: /mcp (the Model Context Protocol), /healthz (this process runs), /readyz (core can be reached).

To core it proves itself by the secret in MUSTER_EDGE_TOKEN, the same as core's, or by mutual TLS; with --stdio it needs no proof.

Examples:
  mcp-bridge --core-url http://core.internal:50051 --mcp-hosts mcp.example.org
  MUSTER_API_KEY=mus_live_... mcp-bridge --stdio --core-url http://127.0.0.1:50051
  claude mcp add --transport http muster http://127.0.0.1:8080/mcp --header \"Authorization: Bearer $KEY\"

Exit codes: 0 stopped as asked, 1 something is in the way (a port in use), 64 settings are wrong, 70 a defect.";

/// Who may connect over HTTP, and how many; flatten it into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "MCP")]
pub struct McpSettings {
    /// Host names that MCP is served under, separated by commas, with or without port; `*` for any. Names of this machine
    /// itself are always served
    #[arg(
        long,
        env = "MUSTER_MCP_HOSTS",
        value_name = "HOSTS",
        default_value = ""
    )]
    pub mcp_hosts: List<String>,
    /// Web pages that may call MCP, as origins separated by commas, for example `https://app.example.org`: their browsers let them
    /// (CORS). A call of any other origin is refused, except this machine's own, which clients that are no browsers send too
    #[arg(
        long,
        env = "MUSTER_MCP_ORIGINS",
        value_name = "ORIGINS",
        default_value = ""
    )]
    pub mcp_origins: List<Origin>,
    /// How many MCP requests may run at once; more are answered with 503
    #[arg(long, env = "MUSTER_MCP_CONCURRENCY", value_name = "COUNT", default_value_t = 512,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub mcp_concurrency: u16,
    /// Secret of at least 32 characters that seals a confirmation on its way through the client; the same for all replicas. Made
    /// up at start when left out, which suits one process
    #[arg(long, env = "MUSTER_MCP_STATE_KEY", value_name = "SECRET", hide_env_values = true, value_parser = state_key)]
    pub mcp_state_key: Option<SecretString>,
}

/// The shortest secret that seals confirmations, in bytes: the strength of HMAC-SHA256.
const LEAST_KEY_BYTES: usize = 32;

fn state_key(text: &str) -> Result<SecretString, String> {
    if text.len() < LEAST_KEY_BYTES {
        return Err(format!(
            "must be at least {LEAST_KEY_BYTES} characters long, for example what `openssl rand -hex 32` prints"
        ));
    }
    Ok(text.into())
}

/// What is separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T: FromStr> FromStr for List<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        let items = text.split(',').map(str::trim);
        let items = items.filter(|item| !item.is_empty()).map(str::parse);
        Ok(Self(items.collect::<Result<_, _>>()?))
    }
}

/// What the bridge itself needs to know.
#[derive(Debug, Clone)]
pub struct Options {
    /// What holds for every call to core.
    pub calls: CallOptions,
    /// Hosts that it is served under, besides this machine's own names; `*` for any.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call it.
    pub origins: Vec<Origin>,
    /// How many requests may run at once.
    pub concurrency: usize,
    /// What seals confirmations; made up when absent.
    pub state_key: Option<SecretString>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            calls: CallOptions::default(),
            hosts: Vec::new(),
            origins: Vec::new(),
            concurrency: 512,
            state_key: None,
        }
    }
}

impl McpSettings {
    /// The options that these settings make.
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
    pub(crate) fn options(&self) -> Options {
        Options {
            calls: self.edge.http.calls(),
            ..self.mcp.options()
        }
    }
}
