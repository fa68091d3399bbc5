//! How the gateway is set up.

use clap::Parser;
use edge::http::{CallOptions, EdgeSettings};

/// Serves Muster's API as JSON over HTTP, translating to core's gRPC.
///
/// The gateway holds no data and no rules: run as many as you like, in front of the same core. It starts before core does
/// and finds it again after an outage; until then it answers 503.
#[derive(Debug, Clone, Parser)]
#[command(version, after_help = HELP)]
pub struct Settings {
    /// Where it is served, and where core is
    #[command(flatten)]
    pub edge: EdgeSettings,
}

const HELP: &str = "\
Paths: /api/v1 (the API), /docs (its reference, to read and try), /api/v1/openapi.json, /.well-known/api-catalog,
/healthz (this process runs), /readyz (core can be reached).

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
    /// What holds for every call to core.
    pub calls: CallOptions,
    /// The OpenAPI document that is served.
    pub openapi: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            calls: CallOptions::default(),
            openapi: muster_api::OPENAPI,
        }
    }
}

impl Settings {
    pub(crate) fn options(&self) -> Options {
        Options {
            calls: self.edge.http.calls(),
            ..Options::default()
        }
    }
}
