//! Settings of every HTTP surface.

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

/// Settings of an HTTP surface. Flatten them into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
pub struct HttpSettings {
    /// Address of the HTTP port. It speaks HTTP/1.1; a load balancer in front can add TLS and HTTP/2
    #[arg(
        long,
        env = "MUSTER_HTTP_ADDR",
        value_name = "IP:PORT",
        default_value = "127.0.0.1:8080",
        value_parser = address
    )]
    pub http_addr: SocketAddr,
    /// Time limit of a request in seconds; after it, the answer is 503. A client can set a shorter limit with `grpc-timeout:
    /// 5S`
    // Below `process::serve::Limits::request`, at which the connection is closed without an answer.
    #[arg(long, env = "MUSTER_REQUEST_SECONDS", value_name = "SECONDS", default_value_t = 30,
          value_parser = clap::value_parser!(u16).range(1..=100))]
    pub request_seconds: u16,
    /// The proxies in front of it
    #[command(flatten)]
    pub proxies: ProxySettings,
}

/// Settings of a surface that runs as its own process. Flatten them into its settings.
#[derive(Debug, Clone, clap::Args)]
pub struct EdgeSettings {
    /// Its port
    #[command(flatten)]
    pub http: HttpSettings,
    /// The connection to core
    #[command(flatten)]
    pub core: CoreSettings,
    /// Its log
    #[command(flatten)]
    pub log: LogSettings,
}

/// Options of the calls that a surface makes for a request.
#[derive(Debug, Clone)]
pub struct CallOptions {
    /// The time limit of a request.
    pub request_time: Duration,
    /// The proxies whose `X-Forwarded-For` is trusted.
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
    /// The options of calls that the settings describe.
    pub fn calls(&self) -> CallOptions {
        CallOptions {
            request_time: Duration::from_secs(self.request_seconds.into()),
            trusted_proxies: self.proxies.trusted_proxies.clone(),
        }
    }

    /// The limits of the port.
    pub fn limits(&self) -> serve::Limits {
        serve::Limits {
            proxies: self.proxies.trusted_proxies.networks().clone(),
            ..serve::Limits::default()
        }
    }
}

impl CallOptions {
    /// The context of a call for this request.
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

/// Runs a surface as its own process until the signal to stop.
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
    serve::serve(listener, router, settings.http.limits(), stop).await;
    Ok(())
}
