//! One request over HTTP/1.1, by which the command `health` of a program asks a running one whether it serves. Images have no shell and no
//! other client.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use http::Uri;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{self, ClientConfig, RootCertStore, pki_types::ServerName},
};

use crate::{Failure, tcp};

/// How long the answer may take: a readiness check gives core 2 s.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// So much of an answer is read. A whole one is far shorter.
const MAX_BYTES: u64 = 64 << 10;

const READY: &str = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

/// Asks the surface at an address whether it is ready.
///
/// # Errors
/// [`Failure::Environment`], when it is not, or does not answer.
pub async fn is_ready(address: SocketAddr) -> Result<(), Failure> {
    let address = reachable(address);
    let asked = async { ask(tcp::connect(address).await?, READY).await };
    let answer = within_limit(&address.to_string(), asked).await?;
    if answer.status() == Some(200) {
        return Ok(());
    }
    let said = answer.text.lines().last().unwrap_or_default();
    Err(Failure::Environment(format!(
        "{address} is not ready: {said}"
    )))
}

/// What was answered to a request.
#[derive(Debug)]
pub struct Answer {
    /// Its header and its body.
    pub text: String,
}

impl Answer {
    /// The status; none if it is no answer over HTTP.
    pub fn status(&self) -> Option<u16> {
        let rest = self.text.strip_prefix("HTTP/1.1 ")?;
        rest.get(..3)?.parse().ok()
    }
}

/// Sends a request that asks for the connection to be closed, and reads the answer.
///
/// # Errors
/// The connection's.
pub async fn ask<S>(mut stream: S, request: &str) -> io::Result<Answer>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut answer = Vec::new();
    let read = stream.take(MAX_BYTES).read_to_end(&mut answer).await;
    // Who closes a connection over TLS does not always say so.
    if answer.is_empty() {
        read?;
    }
    Ok(Answer {
        text: String::from_utf8_lossy(&answer).into_owned(),
    })
}

/// The result of asking, within [`PROBE_TIMEOUT`].
///
/// # Errors
/// [`Failure::Environment`], when nothing answers at the place.
pub async fn within_limit<T>(
    place: &str,
    asked: impl Future<Output = io::Result<T>>,
) -> Result<T, Failure> {
    let silent = |why: String| Failure::Environment(format!("nothing answers on {place}: {why}"));
    timeout(PROBE_TIMEOUT, asked)
        .await
        .map_err(|_elapsed| silent(format!("no answer within {} s", PROBE_TIMEOUT.as_secs())))?
        .map_err(|error| silent(error.to_string()))
}

/// Asks for a path below a URL, as its clients would. Any certificate must be one that browsers take.
///
/// # Errors
/// Why it is not answered with 200.
pub async fn answers(url: &str, path: &str) -> Result<(), String> {
    let uri: Uri = url.parse().map_err(|_| "it is no URL".to_owned())?;
    let (Some(host), Some(authority)) = (uri.host(), uri.authority()) else {
        return Err("it names no host".to_owned());
    };
    let is_secure = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    let below = uri.path().trim_end_matches('/');
    let request = format!(
        "GET {below}{path} HTTP/1.1\r\nhost: {authority}\r\nuser-agent: muster\r\nconnection: close\r\n\r\n"
    );
    let host = host.trim_matches(['[', ']']);
    let asked = async {
        let stream = TcpStream::connect((host, port)).await?;
        if !is_secure {
            return ask(stream, &request).await;
        }
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(Arc::new(browser_tls()?));
        ask(connector.connect(name, stream).await?, &request).await
    };
    let answer = timeout(PROBE_TIMEOUT, asked).await;
    let answer = answer.map_err(|_elapsed| "it took too long".to_owned())?;
    match answer.map_err(|error| error.to_string())?.status() {
        Some(200) => Ok(()),
        Some(status) => Err(format!("it answers with {status}")),
        None => Err("what answers does not speak HTTP/1.1".to_owned()),
    }
}

/// What a client has that takes the certificates that browsers take.
///
/// # Errors
/// When there is no TLS.
pub fn browser_tls() -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// An address on which this machine reaches a port that listens on all addresses.
pub fn reachable(mut served: SocketAddr) -> SocketAddr {
    if served.ip().is_unspecified() {
        served.set_ip(match served.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    served
}
