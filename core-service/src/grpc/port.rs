//! The gRPC port: TCP or a Unix socket, plain or TLS; gRPC and gRPC-web side by side.

mod probe;
mod tls;

use std::{io, time::Duration};

use http::{
    HeaderName, Method, Request,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use hyper::body::Incoming;
use muster_api::metadata::{RATE_LIMIT, RATE_LIMIT_POLICY};
use server::{
    CancellationToken, Failure,
    serve::{Address, Limits, Listener, Port, Protocols},
};
use tonic::{body::Body, service::Routes};
use tonic_web::GrpcWebLayer;
use tower::ServiceBuilder;
use tower_http::cors::{AllowOrigin, CorsLayer, ExposeHeaders};

use super::gate::GateLayer;

pub use probe::is_serving;
pub use tls::TlsSettings;

/// How long a browser may cache the result of a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_hours(1);

/// Binds the port.
///
/// # Errors
/// [`Failure::Environment`] with one line that says what to change.
pub async fn bind(address: &Address) -> Result<Listener, Failure> {
    Listener::bind(address).await.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AddrInUse => "another program uses it".to_owned(),
            _ => error.to_string(),
        };
        Failure::Environment(format!(
            "cannot listen on {address} for gRPC: {why}; choose another address with --grpc-addr"
        ))
    })
}

/// Serves until `stop`, as [`Port::serve`] does. Calls that take too long then end with the process: a client that watches health, for
/// example, never ends its call.
///
/// # Errors
/// When a TLS file cannot be used.
pub async fn serve(
    listener: Listener,
    tls: &TlsSettings,
    gate: GateLayer,
    services: Routes,
    stop: CancellationToken,
    limits: Limits,
) -> Result<(), Failure> {
    let tls = tls.acceptor()?;
    let service = ServiceBuilder::new()
        .map_request(|request: Request<Incoming>| request.map(Body::new))
        .layer(browsers())
        .layer(GrpcWebLayer::new())
        .layer(gate)
        .service(services);
    // With port 0 the system chose the port.
    if let Ok(address) = listener.address() {
        tracing::info!(%address, "serving gRPC");
    }
    let port = Port {
        protocols: Protocols::Grpc,
        tls,
        limits,
    };
    port.serve(listener, service, stop).await;
    Ok(())
}

/// Headers that web pages may send. Headers of edges are not among them.
const FROM_BROWSERS: [HeaderName; 8] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    HeaderName::from_static("grpc-timeout"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("x-grpc-web"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-user-agent"),
];

/// CORS for gRPC-web. Any origin may call: only the holder of a key can set the header that contains it.
fn browsers() -> CorsLayer {
    let exposed = [
        "grpc-status",
        "grpc-message",
        "grpc-status-details-bin",
        "x-request-id",
        RATE_LIMIT,
        RATE_LIMIT_POLICY,
    ];
    CorsLayer::new()
        .allow_origin(AllowOrigin::any())
        .allow_methods([Method::POST])
        .allow_headers(FROM_BROWSERS)
        .expose_headers(ExposeHeaders::list(exposed.map(HeaderName::from_static)))
        .max_age(PREFLIGHT_AGE)
}
