//! Settings of the gateway.

use clap::Parser;
use http_kit::{CallOptions, EdgeCommand, EdgeSettings, ResponseCache};
use server::{
    cors::{CorsSettings, SharedWith},
    settings::public_url,
};

use crate::OpenApi;

/// Serves Muster's API as JSON over HTTP and calls core over gRPC.
///
/// The gateway holds no data, so any number of gateways can run in front of one core. It can start before core, and it
/// reconnects after an outage. While core is away, it answers 503.
#[derive(Debug, Clone, Parser)]
#[command(version = server::version!(), after_help = HELP)]
pub struct Settings {
    /// What it does in place of serving
    #[command(subcommand)]
    pub command: Option<EdgeCommand>,
    /// Its port and the connection to core
    #[command(flatten)]
    pub edge: EdgeSettings,
    /// Base of the URLs in the OpenAPI document and in links to next pages, as at core [default: the HTTP address]
    #[arg(long, env = "MUSTER_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// Which pages may call it
    #[command(flatten)]
    pub cors: CorsSettings,
}

const HELP: &str = "\
Paths: /api/v1 (the API), /api/v1/openapi.json (also .yaml, and
openapi-3.0.json for older tools), /.well-known/api-catalog, /healthz (this process runs), /readyz (core can be reached),
/version.

The gateway proves to core that it is an edge: set MUSTER_EDGE_TOKEN to the same secret as core's, or use mutual TLS.

Examples:
  http-gateway
  http-gateway --http-addr 0.0.0.0:80 --core-url http://core.internal:50051 --log-format json
  http-gateway --core-url https://core:50051 --core-ca ca.pem --core-cert me.pem --core-key me.key
  curl http://127.0.0.1:8080/api/v1/events

Exit codes: 0 stopped by a signal, 1 problem of the environment (port in use), 64 invalid settings, 70 a defect.";

/// Options of the router.
#[derive(Debug, Clone)]
pub struct Options {
    /// Options of calls to core.
    pub calls: CallOptions,
    /// The pages that may call what changes something without a credential.
    pub public_changes: SharedWith,
    /// The OpenAPI document to serve.
    pub openapi: OpenApi,
    /// The base of the URLs in it and in links to next pages, without a slash at its end.
    pub public_url: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            calls: CallOptions::default(),
            public_changes: SharedWith::Nobody,
            openapi: OpenApi::default(),
            public_url: "http://127.0.0.1:8080".to_owned(),
        }
    }
}

impl Settings {
    pub(crate) fn options(&self, cache: Option<ResponseCache>) -> Options {
        let http = &self.edge.http;
        let own = || format!("http://{}", http.http_addr);
        Options {
            calls: http.calls(cache),
            public_url: self.public_url.clone().unwrap_or_else(own),
            public_changes: self.cors.register_origins.clone(),
            openapi: OpenApi::default(),
        }
    }
}
