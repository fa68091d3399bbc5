//! How the gateway is set up.

use std::{net::SocketAddr, time::Duration};

use clap::Parser;
use edge::{CoreSettings, ProxySettings, TrustedProxies};
use process::{settings::address, telemetry::LogSettings};

/// Serves Muster's API as JSON over HTTP, translating to core's gRPC.
///
/// The gateway holds no data and no rules: run as many as you like, in front of the same core. It starts before core does
/// and finds it again after an outage; until then it answers 503.
#[derive(Debug, Clone, Parser)]
#[command(version, after_help = HELP)]
pub struct Settings {
    /// Where to listen. It speaks HTTP/1.1; let a load balancer in front do TLS and HTTP/2
    #[arg(
        long,
        env = "MUSTER_HTTP_ADDR",
        value_name = "ADDR",
        default_value = "127.0.0.1:8080",
        value_parser = address
    )]
    pub http_addr: SocketAddr,
    /// How long a request may take before it is answered with 503, in seconds. A client asks for less with `grpc-timeout: 5S`
    // Below `process::serve::Limits::request`, at which the connection is closed without an answer.
    #[arg(long, env = "MUSTER_REQUEST_SECONDS", value_name = "SECONDS", default_value_t = 30,
          value_parser = clap::value_parser!(u16).range(1..=100))]
    pub request_seconds: u16,
    /// Which proxies stand before it
    #[command(flatten)]
    pub proxies: ProxySettings,
    /// Where core is
    #[command(flatten)]
    pub core: CoreSettings,
    /// What to log
    #[command(flatten)]
    pub log: LogSettings,
}

const HELP: &str = "\
Paths: /api/v1 (the API), /docs (its reference, to read and try), /api/v1/openapi.json, /healthz (this process runs),
/readyz (core can be reached).

To core it proves itself by the secret in MUSTER_EDGE_TOKEN, the same as core's, or by mutual TLS.

Examples:
  http-gateway
  http-gateway --http-addr 0.0.0.0:80 --core-url http://core.internal:50051 --log-format json
  http-gateway --core-url https://core:50051 --core-ca ca.pem --core-cert me.pem --core-key me.key
  curl http://127.0.0.1:8080/api/v1/events

Exit codes: 0 stopped as asked, 1 something is in the way (a port in use), 64 settings are wrong, 70 a defect.";

/// What the router itself needs to know.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long a request may take.
    pub request_time: Duration,
    /// The proxies that say which client a request comes from.
    pub trusted_proxies: TrustedProxies,
    /// The OpenAPI document that is served.
    pub openapi: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            request_time: Duration::from_secs(30),
            trusted_proxies: TrustedProxies::default(),
            openapi: muster_api::OPENAPI,
        }
    }
}

impl Settings {
    pub(crate) fn options(&self) -> Options {
        Options {
            request_time: Duration::from_secs(self.request_seconds.into()),
            trusted_proxies: self.proxies.trusted_proxies.clone(),
            ..Options::default()
        }
    }
}
