//! Settings of every HTTP surface.

use std::{net::SocketAddr, time::Duration};

use futures_util::future::BoxFuture;
use rpc_client::{Core, CoreSettings};
use server::{
    CancellationToken, Failure,
    exposure::Exposure,
    probe,
    program::ProgramSettings,
    serve::Limits,
    settings::address,
    shutdown::{self, StopSettings},
};
use tokio::net::TcpListener;

use super::{CacheSettings, CallOptions, ProxySettings, ResponseCache, Router, body};

/// Settings of an HTTP surface. Flatten them into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "HTTP port")]
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
    // Below `server::serve::Limits::stall`, at which the connection is closed without an answer.
    #[arg(long, env = "MUSTER_REQUEST_SECONDS", value_name = "SECONDS", default_value_t = 30,
          value_parser = clap::value_parser!(u16).range(1..=100))]
    pub request_seconds: u16,
    /// The proxies in front of it
    #[command(flatten)]
    pub proxies: ProxySettings,
    /// Its response cache
    #[command(flatten)]
    pub cache: CacheSettings,
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
    /// How it stops
    #[command(flatten)]
    pub stop: StopSettings,
    /// What every program has
    #[command(flatten)]
    pub program: ProgramSettings,
}

/// What a surface does in place of serving. Add it to its settings as an optional subcommand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Subcommand)]
pub enum EdgeCommand {
    /// Check whether the process at this HTTP address is ready (`/readyz`): exit code 0, or 1 with the cause
    Health,
}

impl HttpSettings {
    /// The options of calls that the settings describe, with this cache in front.
    pub fn calls(&self, cache: Option<ResponseCache>) -> CallOptions {
        CallOptions {
            request_time: Duration::from_secs(self.request_seconds.into()),
            trusted_proxies: self.proxies.trusted_proxies.clone(),
            body_budget: body::budget(),
            cache,
        }
    }

    /// What of the surface others can reach.
    fn exposure(&self, public_url: Option<&str>) -> Exposure {
        Exposure {
            public_url: public_url.map(str::to_owned),
            http: Some(self.http_addr),
            has_proxies: !self.proxies.trusted_proxies.is_empty(),
            grpc: None,
        }
    }

    /// The limits of the port.
    pub fn limits(&self) -> Limits {
        Limits {
            proxies: self.proxies.trusted_proxies.clone(),
            ..Limits::http()
        }
    }
}

/// Makes a surface of a client of core, with this cache in front.
pub type MakeRouter<'a> =
    Box<dyn FnOnce(Core, Option<ResponseCache>) -> Result<Router, Failure> + Send + 'a>;

/// Runs a surface's command, or the surface as its own process until the signal to stop.
///
/// # Errors
/// When it cannot start, or the one that is asked is not ready.
pub fn run<'a>(
    settings: &'a EdgeSettings,
    public_url: Option<&'a str>,
    command: Option<EdgeCommand>,
    router: MakeRouter<'a>,
) -> BoxFuture<'a, Result<(), Failure>> {
    Box::pin(async move {
        let address = settings.http.http_addr;
        if command == Some(EdgeCommand::Health) {
            return probe::is_ready(address).await;
        }
        settings.program.telemetry.metrics.serve().await?;
        let stop = shutdown::on_signal(settings.stop)?;
        let core = settings.core.edge()?.leaving(stop.announced);
        let cache = settings.http.cache.cache(core.changes());
        let router = router(core, cache)?;
        let listener = server::serve::bind("--http-addr (MUSTER_HTTP_ADDR)", address).await?;
        tracing::info!(%address, "serving HTTP");
        settings.http.exposure(public_url).warn();
        serve(listener, router, settings.http.limits(), stop.begun).await;
        Ok(())
    })
}

/// Serves surfaces until `stop`, as [`server::serve::serve`] does. Boxed, so that it is compiled once.
pub fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) -> BoxFuture<'static, ()> {
    Box::pin(server::serve::serve(listener, router, limits, stop))
}
