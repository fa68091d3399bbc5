//! One client on one connection.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::ensure;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, header::HOST};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use server::tcp;

/// Asks one thing after the other.
pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
}

/// What came back, and when.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The time until it began.
    pub(crate) first_byte: Duration,
    /// The time until it ended.
    pub(crate) took: Duration,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = tcp::connect(address).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Callers that wait for an answer get its failure.
        tokio::spawn(connection);
        let host = address.to_string();
        Ok(Self { sender, host })
    }

    /// The body of the answer, which must say that all went well.
    pub(crate) async fn ask(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<Bytes> {
        let Answer { status, body, .. } = self.send(request).await?;
        let text = String::from_utf8_lossy(&body);
        ensure!(status.is_success(), "{status}: {text}");
        Ok(body)
    }

    /// The answer, whatever it says.
    pub(crate) async fn send(
        &mut self,
        mut request: Request<Full<Bytes>>,
    ) -> anyhow::Result<Answer> {
        request.headers_mut().insert(HOST, self.host.parse()?);
        self.sender.ready().await?;
        let asked = Instant::now();
        let (head, body) = self.sender.send_request(request).await?.into_parts();
        let first_byte = asked.elapsed();
        let body = body.collect().await?.to_bytes();
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body,
            first_byte,
            took: asked.elapsed(),
        })
    }
}
