//! The gRPC port: TCP or a Unix socket, plain or TLS; gRPC and gRPC-web side by side.

mod probe;
mod tls;

use std::io;

use http::Request;
use hyper::body::Incoming;
use server::{
    CancellationToken, Failure,
    cors::SharedWith,
    serve::{Address, Limits, Listener, Port, Protocols},
};
use tonic::{body::Body, service::Routes};
use tonic_web::GrpcWebLayer;
use tower::ServiceBuilder;

use super::{browsers::Browsers, gate::GateLayer};

pub use probe::is_serving;
pub use tls::TlsSettings;

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
/// example, never ends its call. Browsers may call it from `pages`, to register people.
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
    (pages, public_url): (&SharedWith, &str),
) -> Result<(), Failure> {
    let tls = tls.acceptor()?;
    let service = ServiceBuilder::new()
        .map_request(|request: Request<Incoming>| request.map(Body::new))
        .layer_fn(|inner| Browsers::new(inner, pages.clone(), public_url))
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
