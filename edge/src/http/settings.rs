//! Settings that every HTTP surface has, and how it runs by them.

use std::{net::SocketAddr, time::Duration};

use axum::Router;
use http::request::Parts;
use process::{
    Failure,
    observe::RequestId,
    serve::{self, Peer},
    settings::address,
    shutdown,
    telemetry::LogSettings,
};

use super::{ProxySettings, TrustedProxies};
use crate::{Context, Core, CoreSettings};

/// Where a surface is served and how; flatten it into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
pub struct HttpSettings {
    /// Where to serve HTTP. It is HTTP/1.1; let a load balancer in front do TLS and HTTP/2
    #[arg(
        long,
        env = "MUSTER_HTTP_ADDR",
        value_name = "IP:PORT",
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
}

/// Settings of a surface that runs as a program of its own; flatten them into its settings.
#[derive(Debug, Clone, clap::Args)]
pub struct EdgeSettings {
    /// Where it is served
    #[command(flatten)]
    pub http: HttpSettings,
    /// Where core is
    #[command(flatten)]
    pub core: CoreSettings,
    /// What to log
    #[command(flatten)]
    pub log: LogSettings,
}

/// What holds for every call that a surface makes for a request.
#[derive(Debug, Clone)]
pub struct CallOptions {
    /// How long it may take.
    pub request_time: Duration,
    /// The proxies that say which client a request comes from.
    pub trusted_proxies: TrustedProxies,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            request_time: Duration::from_secs(30),
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

impl HttpSettings {
    /// What the settings say of calls.
    pub fn calls(&self) -> CallOptions {
        CallOptions {
            request_time: Duration::from_secs(self.request_seconds.into()),
            trusted_proxies: self.proxies.trusted_proxies.clone(),
        }
    }
}

impl CallOptions {
    /// What goes with a call that is made now for that request.
    pub fn context(&self, request: &Parts) -> Context {
        let id = RequestId::in_extensions(&request.extensions);
        let context = Context::from_headers(&request.headers, &id, self.request_time);
        match request.extensions.get() {
            Some(Peer(peer)) => {
                context.for_client(self.trusted_proxies.client(*peer, &request.headers))
            }
            None => context,
        }
    }
}

/// Runs a surface as a program of its own until it is told to stop.
///
/// # Errors
/// When it cannot start.
pub async fn run(
    settings: &EdgeSettings,
    router: impl FnOnce(Core) -> Result<Router, Failure>,
) -> Result<(), Failure> {
    let stop = shutdown::on_signal()?;
    let router = router(settings.core.edge()?)?;
    let address = settings.http.http_addr;
    let listener = serve::bind("--http-addr (MUSTER_HTTP_ADDR)", address).await?;
    tracing::info!(%address, "serving HTTP");
    serve::serve(listener, router, serve::Limits::default(), stop).await;
    Ok(())
}
