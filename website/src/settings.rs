//! Settings of the website.

use clap::Parser;
use http_kit::{CallOptions, EdgeCommand, EdgeSettings, ResponseCache};
use server::{brand::Brand, settings::public_url};

use crate::{Look, LookSettings, Views};

/// Serves Muster's pages and calls core over gRPC.
///
/// The website holds no data, so any number of websites can run in front of one core. It can start before core, and it reconnects
/// after an outage. While core is away, its pages say so with 503. Covers come from `/api/v1`, so a proxy should serve the website
/// and the gateway under one origin, as `muster` does.
#[derive(Debug, Clone, Parser)]
#[command(version = server::version!(), after_help = HELP)]
pub struct Settings {
    /// What it does in place of serving
    #[command(subcommand)]
    pub command: Option<EdgeCommand>,
    /// Its port and the connection to core
    #[command(flatten)]
    pub edge: EdgeSettings,
    /// Base of the URLs in pages, as at core [default: the HTTP address]
    #[arg(long, env = "MUSTER_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// URL of the gRPC port as clients reach it, which the reference and guides show; `https://` says that it has TLS [default: port 50051 of
    /// the public URL]
    #[arg(long, env = "MUSTER_GRPC_URL", value_name = "URL", value_parser = public_url)]
    pub grpc_url: Option<String>,
    /// The name and the colour of the site
    #[command(flatten)]
    pub brand: Brand,
    /// The look of its pages
    #[command(flatten)]
    pub look: LookSettings,
}

const HELP: &str = "\
Paths: / and /events (the catalogue and its events), /events.ics, /events.atom, /o (organizers), /oembed, /use-cases, /guides,
/registrations (private pages of registrants), /check-in (tickets), /sign-in, /sign-out, /invitations, /dashboard (for people who are signed
in), /assets, /sitemap.xml, /sitemaps, /robots.txt, /llms.txt, /.well-known/security.txt (with core's --security-contact),
/healthz (this process runs), /readyz (core can be reached), /version.

Over https the session's cookie is sent over https only: --public-url says which it is.

The website proves to core that it is an edge: set MUSTER_EDGE_TOKEN to the same secret as core's, or use mutual TLS.

Examples:
  website
  website --http-addr 0.0.0.0:80 --core-url http://core.internal:50051 --public-url https://events.example.org

Exit codes: 0 stopped by a signal, 1 problem of the environment (port in use), 64 invalid settings, 70 a defect.";

/// Options of the router.
#[derive(Debug, Clone)]
pub struct Options {
    /// Options of calls to core.
    pub calls: CallOptions,
    /// The base of the site's own URLs, without a slash at its end.
    pub public_url: String,
    /// The URL of core's gRPC port as clients reach it, if it is not the usual one.
    pub grpc_url: Option<String>,
    /// What the operator made of the site's looks.
    pub look: Look,
    /// Where views of pages are counted. Who serves the router has them recorded.
    pub views: Views,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            calls: CallOptions::default(),
            public_url: "http://127.0.0.1:8080".to_owned(),
            grpc_url: None,
            look: Look::default(),
            views: Views::default(),
        }
    }
}

impl Settings {
    pub(crate) fn options(&self, look: Look, cache: Option<ResponseCache>) -> Options {
        let http = &self.edge.http;
        let own = || format!("http://{}", http.http_addr);
        Options {
            calls: http.calls(cache),
            public_url: self.public_url.clone().unwrap_or_else(own),
            grpc_url: self.grpc_url.clone(),
            look,
            views: Views::default(),
        }
    }
}
