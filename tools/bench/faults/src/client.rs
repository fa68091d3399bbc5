//! One connection to one replica, which is kept, and opened again when it was closed.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{
    StatusCode,
    header::{HeaderValue, LOCATION},
};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use server::tcp;
use tokio::{task::JoinHandle, time::timeout};

use crate::asked::Asked;

/// How long a client waits for an answer: far longer than any should take.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(1);

/// What came of a request.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// `None` if there was no answer.
    pub(crate) status: Option<StatusCode>,
    pub(crate) location: Option<String>,
    pub(crate) body: Bytes,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// There was no connection, so that nobody has seen the request.
    NotSent,
    /// The connection broke, or nothing came in time.
    Lost,
}

/// Asks one thing after the other.
pub(crate) struct Client {
    address: SocketAddr,
    line: Option<Line>,
}

/// A connection. It ends with this: a request that nobody waits for any more must not go on.
struct Line {
    sender: SendRequest<Full<Bytes>>,
    connection: JoinHandle<()>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl Client {
    pub(crate) const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            line: None,
        }
    }

    /// Closes its connection.
    pub(crate) fn close(&mut self) {
        self.line = None;
    }

    /// Whoever drops this before its end must close the connection.
    pub(crate) async fn ask(&mut self, asked: &Asked) -> Result<Answer, Unanswered> {
        let answer = timeout(TIMEOUT, self.try_twice(asked)).await;
        let answer = answer.unwrap_or(Err(Unanswered::Lost));
        if answer.is_err() {
            self.close();
        }
        answer
    }

    /// A request that was never sent, since the connection was closed before, is sent again on a new one, as every HTTP client does.
    async fn try_twice(&mut self, asked: &Asked) -> Result<Answer, Unanswered> {
        let is_kept = self.line.is_some();
        match self.send(asked).await {
            Err(Unanswered::NotSent) if is_kept => {
                self.close();
                self.send(asked).await
            }
            other => other,
        }
    }

    async fn send(&mut self, asked: &Asked) -> Result<Answer, Unanswered> {
        let not_sent = |_error| Unanswered::NotSent;
        let mut line = match self.line.take().filter(|line| !line.sender.is_closed()) {
            Some(line) => line,
            None => connect(self.address).await?,
        };
        line.sender.ready().await.map_err(not_sent)?;
        let host = self.address.to_string();
        let request = asked.request(&host).map_err(|_| Unanswered::NotSent)?;
        let answered = line.sender.send_request(request).await;
        let answered = answered.map_err(|error| {
            if error.is_canceled() {
                Unanswered::NotSent
            } else {
                Unanswered::Lost
            }
        })?;
        let (head, body) = answered.into_parts();
        let body = body.collect().await.map_err(|_| Unanswered::Lost)?;
        self.line = Some(line);
        let text = |value: &HeaderValue| value.to_str().map(str::to_owned).ok();
        Ok(Answer {
            status: Some(head.status),
            location: head.headers.get(LOCATION).and_then(text),
            body: body.to_bytes(),
        })
    }
}

async fn connect(address: SocketAddr) -> Result<Line, Unanswered> {
    let stream = timeout(CONNECT, tcp::connect(address)).await;
    let stream = stream.map_or(Err(Unanswered::NotSent), |stream| {
        stream.map_err(|_| Unanswered::NotSent)
    })?;
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(|_| Unanswered::NotSent)?;
    let connection = tokio::spawn(async move {
        // Its callers get its failure.
        let _ended = connection.await;
    });
    Ok(Line { sender, connection })
}
