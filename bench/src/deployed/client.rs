//! One client on one connection.

use std::net::SocketAddr;

use anyhow::ensure;
use bytes::Bytes;
use http::{Request, header::HOST};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use process::tcp;

/// Asks one thing after the other.
pub(super) struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
}

impl Client {
    pub(super) async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = tcp::connect(address).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Callers that wait for an answer get its failure.
        tokio::spawn(connection);
        let host = address.to_string();
        Ok(Self { sender, host })
    }

    /// The body of the answer, which must say that all went well.
    pub(super) async fn ask(&mut self, mut request: Request<Full<Bytes>>) -> anyhow::Result<Bytes> {
        request.headers_mut().insert(HOST, self.host.parse()?);
        self.sender.ready().await?;
        let answer = self.sender.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        ensure!(
            status.is_success(),
            "{status}: {}",
            String::from_utf8_lossy(&body)
        );
        Ok(body)
    }
}
