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

/// Connections are asked to move after this long, so that a rollout's new replicas get their share.
const CONNECTION_AGE: Duration = Duration::from_mins(5);
/// How long calls on a connection that is asked to move may still take.
const CONNECTION_GRACE: Duration = Duration::from_mins(1);
/// A peer that answers no ping within this is gone.
const KEEPALIVE: Duration = Duration::from_secs(20);
/// Streams that one connection may have open.
const STREAMS_PER_CONNECTION: u32 = 1024;
/// How long a browser may remember what a preflight allowed.
const PREFLIGHT_AGE: Duration = Duration::from_hours(1);

/// Where the port is.
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

/// PEM files of the port's certificate, and of the authority that clients' certificates must come from.
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
    /// PEM file with the authority that client certificates must come from (mutual TLS). Whoever has one is believed like an edge
    /// that knows --edge-token, so let the authority sign for edges only
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
        .map_err(|error| Failure::setting(format!("can't read {}: {error}", path.display())))
}

/// A port that is bound but not yet served.
#[derive(Debug)]
pub enum Listener {
    /// On TCP.
    Tcp(TcpListener),
    /// On a Unix socket.
    Unix(UnixListener, SocketFile),
}

/// A Unix socket's file, which goes with its port.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A socket left behind does no harm: the next start finds it dead and takes its place.
        let _removed = std::fs::remove_file(&self.0);
    }
}

impl Listener {
    /// Binds the port.
    ///
    /// # Errors
    /// When the port is in use or may not be bound.
    pub async fn bind(address: &Address) -> Result<Self, Failure> {
        let bound = match address {
            Address::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            Address::Unix(path) => bind_unix(path).await,
        };
        bound.map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::AddrInUse => "it is in use by another program".to_owned(),
                _ => error.to_string(),
            };
            Failure::Environment(format!(
                "can't listen on {address} for gRPC: {why}; choose another with --grpc-addr"
            ))
        })
    }

    /// The address that was bound, with the port that the system chose for port 0.
    ///
    /// # Errors
    /// When the system can't tell.
    pub fn address(&self) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            Self::Unix(_, file) => Ok(Address::Unix(file.0.clone())),
        }
    }
}

/// Binds a Unix socket, in place of one that a dead process left behind.
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

/// Serves until `stop`, then lets calls under way finish within `drain`. What goes on for longer is left to end with the
/// process: a client that watches health, for example, never ends its call itself.
///
/// # Errors
/// When the TLS files can't be used, or the port fails.
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
            Failure::setting(format!("can't use the TLS files: {}", chain(&error)))
        })?;
    }
    let stack = port
        .layer(browsers())
        .layer(GrpcWebLayer::new())
        .layer(gate)
        .add_routes(routes);
    // The port that the system chose, where it was to choose one.
    if let Ok(address) = listener.address() {
        tracing::info!(%address, "serving gRPC");
    }
    let stopped = stop.clone().cancelled_owned();
    // A large future, which would be a part of every one that waits for this.
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

/// Headers that web pages may send. What edges say of themselves is not among them.
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

/// What browsers need for gRPC-web. Any origin may call: a key travels in a header that only its holder can set.
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
