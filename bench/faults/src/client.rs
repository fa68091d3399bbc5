//! One client of the gateway, on one connection that it keeps.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{
    Method, Request, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HOST},
};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use process::tcp;
use serde_json::Value;
use tokio::time::timeout;

/// How long a client waits for an answer: far longer than any should take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request, to be sent any number of times.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) key: Option<String>,
    pub(crate) body: Option<String>,
}

impl Asked {
    pub(crate) fn get(path: String, key: Option<&str>) -> Self {
        Self {
            method: Method::GET,
            path,
            key: key.map(str::to_owned),
            body: None,
        }
    }

    pub(crate) fn post(path: String, key: Option<&str>, body: &Value) -> Self {
        Self {
            method: Method::POST,
            body: Some(body.to_string()),
            ..Self::get(path, key)
        }
    }

    fn request(&self, host: SocketAddr) -> http::Result<Request<Full<Bytes>>> {
        let mut request = Request::builder()
            .method(&self.method)
            .uri(&self.path)
            .header(HOST, host.to_string());
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        if self.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        request.body(self.body.clone().unwrap_or_default().into())
    }
}

/// What came of a request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// `None` if the connection broke or nothing came in time.
    pub(crate) status: Option<StatusCode>,
    pub(crate) body: Bytes,
    pub(crate) took: Duration,
}

impl Answer {
    pub(crate) fn is_ok(&self) -> bool {
        self.status.is_some_and(|status| status.is_success())
    }

    pub(crate) fn json(&self) -> anyhow::Result<Value> {
        anyhow::ensure!(self.is_ok(), "{self:?}");
        Ok(serde_json::from_slice(&self.body)?)
    }
}

/// Asks one thing after the other, and connects again when its connection was closed.
pub(crate) struct Client {
    address: SocketAddr,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    pub(crate) const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            sender: None,
        }
    }

    pub(crate) async fn ask(&mut self, asked: &Asked) -> Answer {
        let started = Instant::now();
        let answered = timeout(PATIENCE, self.try_twice(asked)).await;
        let answered = answered.ok().and_then(Result::ok);
        if answered.is_none() {
            self.sender = None;
        }
        let (status, body) = answered.unzip();
        Answer {
            status,
            body: body.unwrap_or_default(),
            took: started.elapsed(),
        }
    }

    /// A request that was never sent, since the connection was closed before, is sent again, as every HTTP client does.
    async fn try_twice(&mut self, asked: &Asked) -> anyhow::Result<(StatusCode, Bytes)> {
        let first = self.send(asked).await;
        match first {
            Err(error) if error.downcast_ref().is_some_and(hyper::Error::is_canceled) => {
                self.sender = None;
                self.send(asked).await
            }
            other => other,
        }
    }

    async fn send(&mut self, asked: &Asked) -> anyhow::Result<(StatusCode, Bytes)> {
        if self.sender.as_ref().is_none_or(SendRequest::is_closed) {
            let stream = tcp::connect(self.address).await?;
            let (sender, connection) = handshake(TokioIo::new(stream)).await?;
            // Its callers get its failure.
            tokio::spawn(connection);
            self.sender = Some(sender);
        }
        let sender = self.sender.as_mut();
        let sender = sender.ok_or_else(|| anyhow::anyhow!("no connection"))?;
        sender.ready().await?;
        let answer = sender.send_request(asked.request(self.address)?).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((status, body))
    }
}
