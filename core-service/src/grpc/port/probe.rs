//! Asking a core on this machine whether it serves, by gRPC's health service. The port also takes gRPC-web over HTTP/1.1, so that no
//! client of gRPC is needed.

use std::io;

use rustls::pki_types::ServerName;
use server::{
    Failure,
    probe::{Answer, ask, reachable, within_limit},
    serve::Address,
    tcp,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::UnixStream,
};
use tokio_rustls::TlsConnector;

use super::TlsSettings;

/// An empty request over gRPC-web, in base64.
const CHECK: &str = "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
content-type: application/grpc-web-text+proto\r\naccept: application/grpc-web-text+proto\r\ncontent-length: 8\r\n\r\nAAAAAAA=";

/// The answer of a core that serves: a message of two bytes, whose status is 1.
const SERVING: &str = "AAAAAAIIAQ==";

/// Any name: the certificate is known.
const NAME: &str = "localhost";

/// Asks the core that listens at an address with these settings. With mutual TLS, that it shows its certificate has to do.
///
/// # Errors
/// [`Failure::Environment`], when it does not serve, or does not answer.
pub async fn is_serving(address: &Address, tls: &TlsSettings) -> Result<(), Failure> {
    let connector = tls.connector_to_itself()?;
    let is_mutual = tls.tls_client_ca.is_some();
    let asked = async {
        match address {
            Address::Tcp(address) => {
                let stream = tcp::connect(reachable(*address)).await?;
                ask_over(connector, is_mutual, stream).await
            }
            Address::Unix(path) => {
                let stream = UnixStream::connect(path).await?;
                ask_over(connector, is_mutual, stream).await
            }
        }
    };
    let place = address.to_string();
    let Some(answer) = within_limit(&place, asked).await? else {
        return Ok(());
    };
    if answer.status() == Some(200) && answer.text.contains(SERVING) {
        return Ok(());
    }
    Err(Failure::Environment(format!(
        "core on {place} does not serve: it stops, or does not reach its database"
    )))
}

/// What is answered; none if only a client with a certificate gets an answer.
async fn ask_over<S>(
    tls: Option<TlsConnector>,
    is_mutual: bool,
    stream: S,
) -> io::Result<Option<Answer>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let Some(tls) = tls else {
        return ask(stream, CHECK).await.map(Some);
    };
    let name = ServerName::try_from(NAME).map_err(io::Error::other)?;
    let stream = tls.connect(name, stream).await?;
    if is_mutual {
        return Ok(None);
    }
    ask(stream, CHECK).await.map(Some)
}
