//! The port from which Prometheus reads.

use std::{convert::Infallible, future::ready, net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::Full;
use tokio_util::sync::CancellationToken;
use tower::service_fn;

use crate::{
    Failure,
    metrics::{MEDIA_TYPE, begin, measure, text},
    observe::Quiet,
    serve::{self, Limits, RequestBody, bind},
    settings::address,
};

/// Maximum number of open connections: some servers that read, and someone who looks.
const CONNECTIONS: usize = 16;

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The path of the metrics.
const PATH: &str = "/metrics";

/// Settings of the metrics. Flatten them into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Metrics")]
pub struct MetricsSettings {
    /// Address of a port with metrics for Prometheus, at /metrics. Everyone who reaches it can read them, so it must not be public. Without it,
    /// nothing is measured
    #[arg(long, env = "MUSTER_METRICS_ADDR", value_name = "IP:PORT", value_parser = address)]
    pub metrics_addr: Option<SocketAddr>,
}

impl MetricsSettings {
    /// Begins to measure, and serves what is measured until the process ends, if a port is set. Does nothing otherwise.
    ///
    /// # Errors
    /// When the port cannot be opened.
    pub async fn serve(&self) -> Result<(), Failure> {
        let Some(address) = self.metrics_addr else {
            return Ok(());
        };
        begin();
        let listener = bind("--metrics-addr (MUSTER_METRICS_ADDR)", address).await?;
        // With port 0 the system chose the port.
        let address = listener.local_addr().unwrap_or(address);
        tracing::info!(%address, "serving metrics");
        let limits = Limits {
            connections: CONNECTIONS,
            per_client: CONNECTIONS,
            local: CONNECTIONS,
            stall: ANSWER_TIMEOUT,
            ..Limits::http()
        };
        // Also while the program stops: then they are of most interest.
        let never = CancellationToken::new();
        let service = service_fn(|request: Request<RequestBody>| {
            ready(Ok::<_, Infallible>(answer(&request)))
        });
        tokio::spawn(serve::serve(listener, service, limits, never));
        Ok(())
    }
}

fn answer(request: &Request<RequestBody>) -> Response<Full<Bytes>> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let (status, media_type, body) = if is_read && request.uri().path() == PATH {
        // Whoever reads them is not what is measured.
        measure(|all| all.http_in_flight.down([]));
        let text = text();
        measure(|all| all.http_in_flight.up([]));
        (StatusCode::OK, MEDIA_TYPE, text)
    } else {
        let text = format!("GET {PATH} is all that there is\n");
        (StatusCode::NOT_FOUND, "text/plain; charset=utf-8", text)
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let media_type = http::HeaderValue::from_static(media_type);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response.extensions_mut().insert(Quiet);
    response
}
