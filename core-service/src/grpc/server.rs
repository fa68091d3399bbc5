//! The gRPC port: TCP or a Unix socket, plain or TLS, gRPC and gRPC-web side by side.

use std::{
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use http::{
    HeaderName, Method,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use muster_api::metadata::{RATE_LIMIT, RATE_LIMIT_POLICY};
use process::{CancellationToken, Failure};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tonic::{
    service::Routes,
    transport::{Certificate, Identity, Server, ServerTlsConfig},
};
use tonic_web::GrpcWebLayer;
use tower_http::cors::{AllowOrigin, CorsLayer, ExposeHeaders};

use super::{
    gate::GateLayer,
    origin::{over_tcp, over_unix},
};

/// Connections are asked to close after this time, so that new replicas get their share of the load.
const CONNECTION_AGE: Duration = Duration::from_mins(5);
/// How long calls on a closing connection may still take.
const CONNECTION_GRACE: Duration = Duration::from_mins(1);
/// A peer that does not answer a ping within this time is disconnected.
const KEEPALIVE: Duration = Duration::from_secs(20);
/// Maximum number of concurrent streams on one connection.
const STREAMS_PER_CONNECTION: u32 = 1024;
/// How long a browser may cache the result of a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_hours(1);

/// The address of the port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// An IP address and port.
    Tcp(SocketAddr),
    /// A Unix socket, written `unix:///path`.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix://") {
            return if path.starts_with('/') {
                Ok(Self::Unix(path.into()))
            } else {
                Err("must be unix:///path".into())
            };
        }
        text.parse()
            .map(Self::Tcp)
            .map_err(|_| "must be IP:PORT, for example 127.0.0.1:50051, or unix:///path".into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Unix(path) => write!(out, "unix://{}", path.display()),
        }
    }
}

/// Settings of TLS on the gRPC port.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "TLS on the gRPC port (off unless a certificate is given)")]
pub struct TlsSettings {
    /// PEM file with the certificate chain
    #[arg(
        long,
        env = "MUSTER_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's private key
    #[arg(
        long,
        env = "MUSTER_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_key: Option<PathBuf>,
    /// PEM file with the authority of client certificates (mutual TLS). A client certificate proves an edge, as --edge-token
    /// does, so this authority must sign certificates for edges only
    #[arg(
        long,
        env = "MUSTER_TLS_CLIENT_CA",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_client_ca: Option<PathBuf>,
}

impl TlsSettings {
    fn config(&self) -> Result<Option<ServerTlsConfig>, Failure> {
        let (Some(cert), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        let mut config = ServerTlsConfig::new().identity(Identity::from_pem(pem(cert)?, pem(key)?));
        if let Some(authority) = &self.tls_client_ca {
            config = config.client_ca_root(Certificate::from_pem(pem(authority)?));
        }
        Ok(Some(config))
    }
}

fn pem(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::setting(format!("cannot read {}: {error}", path.display())))
}

/// A bound port.
#[derive(Debug)]
pub enum Listener {
    /// On TCP.
    Tcp(TcpListener),
    /// On a Unix socket.
    Unix(UnixListener, SocketFile),
}

/// A Unix socket's file, which is removed when the port closes.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A remaining socket file does no harm: the next start replaces it.
        let _removed = std::fs::remove_file(&self.0);
    }
}

impl Listener {
    /// Binds the port.
    ///
    /// # Errors
    /// When the port is in use or cannot be bound.
    pub async fn bind(address: &Address) -> Result<Self, Failure> {
        let bound = match address {
            Address::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            Address::Unix(path) => bind_unix(path).await,
        };
        bound.map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::AddrInUse => "another program uses it".to_owned(),
                _ => error.to_string(),
            };
            Failure::Environment(format!(
                "cannot listen on {address} for gRPC: {why}; choose another address with --grpc-addr"
            ))
        })
    }

    /// The address that was bound, with the port that the system chose for port 0.
    ///
    /// # Errors
    /// When the system does not know it.
    pub fn address(&self) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            Self::Unix(_, file) => Ok(Address::Unix(file.0.clone())),
        }
    }
}

/// Binds a Unix socket. It replaces one of a process that has ended.
async fn bind_unix(path: &Path) -> io::Result<Listener> {
    if path.exists() {
        if UnixStream::connect(path).await.is_ok() {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        std::fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    Ok(Listener::Unix(listener, SocketFile(path.to_owned())))
}

/// Serves until `stop`, then lets running calls finish within `drain`. Longer calls end with the process: a client that watches
/// health, for example, never ends its call.
///
/// # Errors
/// When a TLS file cannot be used, or the port fails.
pub async fn serve(
    listener: Listener,
    tls: &TlsSettings,
    gate: GateLayer,
    routes: Routes,
    stop: CancellationToken,
    drain: Duration,
) -> Result<(), Failure> {
    let broken = |error: tonic::transport::Error| {
        Failure::Environment(format!("the gRPC port failed: {}", chain(&error)))
    };
    let mut port = Server::builder()
        .accept_http1(true)
        .max_connection_age(CONNECTION_AGE)
        .max_connection_age_grace(CONNECTION_GRACE)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        .max_concurrent_streams(STREAMS_PER_CONNECTION);
    if let Some(config) = tls.config()? {
        port = port.tls_config(config).map_err(|error| {
            Failure::setting(format!("cannot use the TLS files: {}", chain(&error)))
        })?;
    }
    let stack = port
        .layer(browsers())
        .layer(GrpcWebLayer::new())
        .layer(gate)
        .add_routes(routes);
    // With port 0 the system chose the port.
    if let Ok(address) = listener.address() {
        tracing::info!(%address, "serving gRPC");
    }
    let stopped = stop.clone().cancelled_owned();
    // Boxed, since the future is large.
    let serving = Box::pin(async {
        match listener {
            Listener::Tcp(listener) => {
                stack
                    .serve_with_incoming_shutdown(over_tcp(listener), stopped)
                    .await
            }
            Listener::Unix(listener, _file) => {
                stack
                    .serve_with_incoming_shutdown(over_unix(listener), stopped)
                    .await
            }
        }
    });
    let overdue = async {
        stop.cancelled().await;
        tokio::time::sleep(drain).await;
    };
    tokio::select! {
        served = serving => served.map_err(broken),
        () = overdue => {
            tracing::warn!("stopped serving gRPC before every call had finished");
            Ok(())
        }
    }
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

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
