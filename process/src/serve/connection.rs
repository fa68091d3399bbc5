//! One connection: its requests and its end.

use std::{convert::Infallible, pin::pin, sync::Arc};

use futures_util::{FutureExt as _, StreamExt as _, stream::FuturesUnordered};
use http::{HeaderValue, Request, Response, header::CONNECTION};
use http_body::Body;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_http::timeout::TimeoutBody;

use super::{
    Limits, Peer, RequestBody,
    answer::{Busy, Due, Headers, answer},
    linger::Lingering,
};
use crate::{connections::Place, shutdown, telemetry::chain};

/// The largest header that hyper reads; above it hyper answers 431 itself. Services may have a lower limit with an error
/// message.
const HEADER_BYTES: usize = 64 * 1024;

pub(super) async fn run<I, S, B>(
    stream: I,
    peer: Peer,
    place: Place,
    service: S,
    limits: Arc<Limits>,
    stop: CancellationToken,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let first_header = Instant::now() + limits.first_header;
    let due = Due::at(first_header);
    let (overdue, headers) = (Arc::clone(&due), Headers::of(Arc::clone(&due)));
    let (header, body_idle) = (limits.header, limits.body_idle);
    // Cloning a token takes a lock.
    let (requests, stopping) = (place.clone(), Arc::new(stop.clone()));
    let times = Arc::clone(&limits);
    let handle = move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        let busy = Busy::begin(Arc::clone(&due), &times, requests.busy());
        let answering = service
            .clone()
            .call(Lingering::of(request).map(|body| TimeoutBody::new(body_idle, body)));
        let stopping = Arc::clone(&stopping);
        async move {
            let Ok(mut response) = answering.await;
            if stopping.is_cancelled() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            Ok::<_, Infallible>(response.map(|body| answer(body, busy)))
        }
    };
    let mut connection = pin!(
        http1::Builder::new()
            .timer(headers)
            .header_read_timeout(header)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service_fn(handle))
    );
    // They are looked at only when one of them has something to say, and not with every request.
    let mut ends = FuturesUnordered::from_iter([
        async { End::Overdue(overdue.passed().await) }.boxed(),
        async {
            place.is_needed().await;
            End::Needed
        }
        .boxed(),
        // An idle connection is closed only then: its client may be about to send.
        async {
            shutdown::after(&stop, limits.linger).await;
            End::Stopping
        }
        .boxed(),
    ]);
    loop {
        let end = tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(error = %chain(&error), "connection failed");
                }
                return;
            }
            Some(end) = ends.next() => end,
        };
        match end {
            End::Overdue(due) if due == first_header => {
                tracing::debug!("closed a connection whose first request did not come in time");
                return;
            }
            End::Overdue(_) if overdue.is_request() => {
                tracing::debug!("closed a connection whose next request did not come in time");
                return;
            }
            End::Overdue(_) => {
                tracing::warn!("closed a connection whose request took too long");
                return;
            }
            End::Needed => {
                tracing::debug!("closed an idle connection, since another one needs its place");
                return;
            }
            End::Stopping => connection.as_mut().graceful_shutdown(),
        }
    }
}

/// What ends a connection before its client does.
enum End {
    /// A request was due then.
    Overdue(Instant),
    /// Another connection needs its place.
    Needed,
    Stopping,
}

#[cfg(test)]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Poll, ready},
        time::Duration,
    };

    use bytes::Bytes;
    use http_body::Frame;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
        time::{Sleep, sleep},
    };
    use tower::service_fn;

    use super::*;
    use crate::connections::{Bounds, Connections};

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    /// What the client's end of a pipe takes before it is read.
    const PIPE: usize = 1 << 10;

    const PIECE: &[u8] = &[b'x'; 16 << 10];

    /// An answer of so many pieces, each of which takes so long.
    struct Slowly {
        left: usize,
        pause: Duration,
        next: Option<Pin<Box<Sleep>>>,
    }

    impl Body for Slowly {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            if self.left == 0 {
                return Poll::Ready(None);
            }
            let pause = self.pause;
            let next = self.next.get_or_insert_with(|| Box::pin(sleep(pause)));
            ready!(next.as_mut().poll(context));
            self.next = None;
            self.left -= 1;
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(PIECE)))))
        }
    }

    /// The client's end of a connection on which a request was sent, whose answer has so many pieces.
    async fn asked(left: usize, pause: Duration) -> DuplexStream {
        let (mut client, server) = tokio::io::duplex(PIPE);
        client.write_all(REQUEST).await.unwrap();
        let limits = Limits::default();
        let place = Connections::within(Bounds {
            total: 1,
            per_client: 1,
            local: 1,
            excepted: crate::networks::Networks::default(),
        });
        let place = place.admit(None).await.unwrap();
        let service = service_fn(move |_request: Request<RequestBody>| {
            let next = None;
            std::future::ready(Ok::<_, Infallible>(Response::new(Slowly {
                left,
                pause,
                next,
            })))
        });
        let peer = Peer([127, 0, 0, 1].into());
        let (limits, stop) = (Arc::new(limits), CancellationToken::new());
        tokio::spawn(run(server, peer, place, service, limits, stop));
        client
    }

    /// What is read until the connection ends, and how long that took.
    async fn read(mut client: DuplexStream) -> (String, Duration) {
        let (begun, mut text) = (Instant::now(), String::new());
        client.read_to_string(&mut text).await.unwrap();
        (text, begun.elapsed())
    }

    fn is_whole(text: &str) -> bool {
        text.ends_with("\r\n0\r\n\r\n")
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_goes_on_is_not_cut_off() {
        let pause = Limits::default().request * 9 / 10;
        let (text, time) = read(asked(20, pause).await).await;
        assert!(is_whole(&text), "{text}");
        assert_eq!(time.as_secs(), 20 * pause.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_stands_still_is_cut_off() {
        let limit = Limits::default().request;
        let (text, time) = read(asked(2, limit + Duration::from_secs(1)).await).await;
        assert!(!is_whole(&text), "{text}");
        assert_eq!(time.as_secs(), limit.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_its_client_does_not_read_is_cut_off() {
        let mut client = asked(usize::MAX, Duration::from_secs(1)).await;
        let begun = Instant::now();
        // Some pieces are kept on the way to it.
        let limit = 2 * Limits::default().request;
        while client.write_all(b" ").await.is_ok() && begun.elapsed() < 2 * limit {
            sleep(Duration::from_secs(1)).await;
        }
        assert!(begun.elapsed() <= limit, "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn no_answer_goes_on_for_ever() {
        let limit = Limits::default().answer;
        let (text, time) = read(asked(usize::MAX, Duration::from_secs(1)).await).await;
        assert!(!is_whole(&text));
        assert_eq!(time.as_secs(), limit.as_secs());
    }
}
