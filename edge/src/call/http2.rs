//! Calls on one connection to core, in HTTP/2.

use std::{
    fmt, io,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use h2::{
    Ping, PingPong, RecvStream,
    client::{Builder, SendRequest},
};
use http::{Request, Response};
use http_body::Frame;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::AbortHandle,
    time::{sleep, timeout},
};
use tonic::body::Body;

/// The interval of pings and the time limit of their answers. Together they are the time after which calls to a hung or unreachable
/// replica fail. Less would break connections to replicas that are only busy.
const PING: Duration = Duration::from_secs(1);
const PONG: Duration = Duration::from_millis(1_500);

/// In how many parts an answer to a ping is awaited. When this process stood still, one of them is over at once, and in the next one it
/// reads the answer that came meanwhile.
const PARTS: u32 = 2;

/// How much of an answer, and of all answers together, may be on its way before it is read.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 5 << 20;

/// How many calls there may be until the replica says how many it takes.
const CALLS_AT_FIRST: usize = 100;

/// The longest header or trailer of an answer, in bytes.
const HEADER_BYTES: u32 = 16 << 10;

/// An open connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Connection {
    sender: SendRequest<Bytes>,
    heard: Heard,
}

/// Whether anything of an answer has come since this was last asked.
type Heard = Arc<AtomicBool>;

/// A call that was not sent, since its connection was closed.
#[derive(Debug)]
pub(crate) struct NotSent(h2::Error);

impl fmt::Display for NotSent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the connection is closed")
    }
}

impl std::error::Error for NotSent {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl Connection {
    /// Begins to speak HTTP/2.
    pub(crate) async fn begin<S>(stream: S) -> io::Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(CALLS_AT_FIRST)
            .max_header_list_size(HEADER_BYTES);
        let begun = builder.handshake(stream).await;
        let (sender, mut connection) = begun.map_err(io::Error::other)?;
        let pings = connection.ping_pong();
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to core ended");
            }
        });
        let heard = Heard::default();
        if let Some(pings) = pings {
            tokio::spawn(keep_alive(pings, Arc::clone(&heard), task.abort_handle()));
        }
        Ok(Self { sender, heard })
    }

    /// The connection, if it takes another call.
    pub(crate) async fn ready(self) -> Option<Self> {
        let Self { sender, heard } = self;
        let sender = sender.ready().await.ok()?;
        Some(Self { sender, heard })
    }

    /// Sends a request and waits for the beginning of the answer. Core learns when this is given up.
    pub(crate) async fn call(
        self,
        head: Request<()>,
        message: Bytes,
    ) -> Result<Response<Body>, Box<dyn std::error::Error + Send + Sync>> {
        let Self { mut sender, heard } = self;
        let (answer, mut stream) = sender.send_request(head, false).map_err(NotSent)?;
        // The message is in memory anyway, so it need not wait for room.
        if let Err(error) = stream.send_data(message, true) {
            // The stream has ended meanwhile; the answer says how.
            tracing::debug!(%error, "a call ended before its message was sent");
        }
        let answer = answer.await?;
        heard.store(true, Ordering::Relaxed);
        Ok(answer.map(|stream| {
            Body::new(Incoming {
                stream,
                heard,
                has_ended: false,
            })
        }))
    }
}

/// Ends a connection whose other side is silent. A pong may come late behind a large answer on a slow line; then the answer counts.
async fn keep_alive(mut pings: PingPong, heard: Heard, connection: AbortHandle) {
    loop {
        sleep(PING).await;
        heard.store(false, Ordering::Relaxed);
        let mut pong = pin!(pings.ping(Ping::opaque()));
        let mut silent = 0;
        loop {
            match timeout(PONG / PARTS, &mut pong).await {
                Ok(Ok(_pong)) => break,
                Ok(Err(_ended)) => return,
                Err(_elapsed) if heard.swap(false, Ordering::Relaxed) => silent = 0,
                Err(_elapsed) => silent += 1,
            }
            if silent == PARTS {
                connection.abort();
                return;
            }
        }
    }
}

/// The body of an answer. Core learns when it is dropped.
struct Incoming {
    stream: RecvStream,
    heard: Heard,
    has_ended: bool,
}

impl http_body::Body for Incoming {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        if let Some(data) = ready!(self.stream.poll_data(context)) {
            return Poll::Ready(Some(data.map(|data| {
                self.heard.store(true, Ordering::Relaxed);
                // So that core sends more. It fails only if more is released than was received.
                let released = self.stream.flow_control().release_capacity(data.len());
                debug_assert!(released.is_ok(), "{released:?}");
                Frame::data(data)
            })));
        }
        let trailers = ready!(self.stream.poll_trailers(context));
        self.has_ended = true;
        Poll::Ready(trailers.map(|map| map.map(Frame::trailers)).transpose())
    }
}

#[cfg(test)]
mod tests;
