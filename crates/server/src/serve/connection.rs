//! One connection: its beginning, its requests and its end.

use std::{convert::Infallible, future::ready, pin::pin, sync::Arc, time::Duration};

use http::{HeaderValue, Request, Version, header::CONNECTION};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulConnection},
};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    BoxError, Handler, Peer, Port, Protocols,
    answers::{Answers, WaitsOn},
    framing,
    limits::Limits,
    listener::Stream,
    socket::Socket,
};
use crate::{connection_limit::Permit, shutdown};

/// A peer over HTTP/2 that does not answer a ping within this time is disconnected.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// Maximum number of concurrent requests on one connection over HTTP/2.
const MAX_STREAMS: u32 = 100;

/// How much of a request's body, and of all bodies of a connection, a client may send over HTTP/2 before it is read.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;

/// The largest header that hyper reads over HTTP/1.1; above it hyper answers 431 itself. Services may have a lower limit with an error
/// message.
const MAX_HEADER_BYTES: usize = 64 << 10;

/// A port that is served: what all of its connections have in common.
pub(super) struct Served {
    pub(super) port: Port,
    pub(super) handler: Handler,
    pub(super) stop: CancellationToken,
}

/// The protocol of the last request on a connection.
type LastVersion = watch::Receiver<Option<Version>>;

impl Served {
    /// Serves a connection until it ends, or another one needs its permit.
    pub(super) async fn connection(
        self: Arc<Self>,
        stream: Box<dyn Stream>,
        mut peer: Peer,
        permit: Permit,
    ) {
        let first_header = self.port.limits.first_header;
        let served = async {
            let Some(tls) = &self.port.tls else {
                return self.answer(stream, peer, &permit).await;
            };
            match timeout(first_header, tls.accept(stream)).await {
                Ok(Ok(stream)) => {
                    let certificates = stream.get_ref().1.peer_certificates();
                    peer.has_certificate = certificates.is_some_and(|all| !all.is_empty());
                    self.answer(Box::new(stream), peer, &permit).await;
                }
                Ok(Err(error)) => tracing::debug!(%error, ?peer, "TLS handshake failed"),
                Err(_elapsed) => tracing::debug!(?peer, "TLS handshake took too long"),
            }
        };
        tokio::select! {
            () = served => {}
            () = permit.is_needed() => {
                tracing::debug!(?peer, "closed an idle connection, since another one needs its permit");
            }
        }
    }

    /// Answers requests, until an answer is overdue.
    async fn answer(self: &Arc<Self>, stream: Box<dyn Stream>, peer: Peer, permit: &Permit) {
        let answers = Answers::default();
        let (version, last_version) = watch::channel(None);
        let handle = |mut request: Request<Incoming>| {
            let used = request.version();
            version.send_if_modified(|version| version.replace(used) != Some(used));
            request.extensions_mut().insert(peer);
            let answer = answers.begin(permit.busy());
            let answering = match framing::refuse(&request) {
                Some(refusal) => Box::pin(ready(refusal)),
                None => (self.handler)(request),
            };
            let served = Arc::clone(self);
            async move {
                let mut response = answering.await;
                if used < Version::HTTP_2 && served.stop.is_cancelled() {
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(CONNECTION, close);
                }
                Ok::<_, Infallible>(response.map(|body| answer.with_body(body)))
            }
        };
        let Port {
            protocols, limits, ..
        } = &self.port;
        let socket = Socket::new(
            stream,
            limits.first_header,
            limits.stall,
            last_version.clone(),
        );
        let builder = builder(*protocols, limits);
        let connection = builder.serve_connection(TokioIo::new(socket), service_fn(handle));
        tokio::select! {
            () = self.until_retired(connection, last_version, &answers, peer) => {}
            side = answers.overdue(*protocols, limits) => match side {
                WaitsOn::Client => {
                    tracing::debug!(?peer, "closed a connection whose client did not read an answer");
                }
                WaitsOn::Service => {
                    tracing::warn!("closed a connection whose request took too long");
                }
            }
        }
    }

    /// Serves a connection. At its age, or when the port stops, the client is asked to use another one, and requests under way may
    /// finish, as long as they go on.
    async fn until_retired<C>(
        &self,
        connection: C,
        last_version: LastVersion,
        answers: &Answers,
        peer: Peer,
    ) where
        C: GracefulConnection<Error = BoxError>,
    {
        let mut connection = pin!(connection);
        let mut retired = pin!(async {
            tokio::select! {
                () = self.aged() => {}
                () = self.stopping(last_version) => {}
            }
        });
        tokio::select! {
            biased;
            ended = connection.as_mut() => return note_end(ended, peer),
            () = retired.as_mut() => connection.as_mut().graceful_shutdown(),
        }
        tokio::select! {
            biased;
            ended = connection => note_end(ended, peer),
            () = answers.stand_still(self.port.limits.grace) => {
                tracing::debug!(?peer, "closed an old connection whose requests took too long");
            }
        }
    }

    /// Completes when a connection that begins now is old.
    async fn aged(&self) {
        match self.port.limits.age {
            Some(age) => sleep(age).await,
            None => std::future::pending().await,
        }
    }

    /// Completes when the port stops and the client can be told so. Over HTTP/2 it is told at once, and nothing that it has sent is
    /// lost. Over HTTP/1.1 answers tell it, and an idle connection is closed in the end: its client may be about to send.
    async fn stopping(&self, mut last_version: LastVersion) {
        self.stop.cancelled().await;
        let over_http2 = last_version.wait_for(|version| *version == Some(Version::HTTP_2));
        tokio::select! {
            _version = over_http2 => {}
            () = shutdown::linger(self.port.limits.linger) => {}
        }
    }
}

fn note_end(ended: Result<(), BoxError>, peer: Peer) {
    if let Err(error) = ended {
        tracing::debug!(%error, ?peer, "connection failed");
    }
}

fn builder(protocols: Protocols, limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    if protocols == Protocols::Http1 {
        builder = builder.http1_only();
    }
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .max_buf_size(MAX_HEADER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(MAX_STREAMS);
    builder
}

#[cfg(test)]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Poll, ready},
    };

    use bytes::Bytes;
    use http::Response;
    use http_body::{Body, Frame};
    use http_body_util::BodyExt as _;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
        time::{Instant, Sleep},
    };

    use super::*;
    use crate::connection_limit::ConnectionLimit;

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

    /// The client's end of a connection of a port, on which a request was sent whose answer has so many pieces.
    async fn asked(protocols: Protocols, left: usize, pause: Duration) -> DuplexStream {
        let (mut client, socket) = tokio::io::duplex(PIPE);
        client.write_all(REQUEST).await.unwrap();
        let limits = Limits::http();
        let limit = ConnectionLimit::new(limits.bounds());
        let permit = limit.admit(None).await.unwrap();
        let served = Arc::new(Served {
            port: Port {
                protocols,
                tls: None,
                limits,
            },
            handler: Box::new(move |_request| {
                let next = None;
                let body = Slowly { left, pause, next };
                let body = body.map_err(Into::into).boxed_unsync();
                Box::pin(std::future::ready(Response::new(body)))
            }),
            stop: CancellationToken::new(),
        });
        let peer = Peer {
            address: None,
            has_certificate: false,
        };
        tokio::spawn(served.connection(Box::new(socket), peer, permit));
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
        let pause = Limits::http().stall * 9 / 10;
        let (text, time) = read(asked(Protocols::Http1, 20, pause).await).await;
        assert!(is_whole(&text), "{text}");
        assert_eq!(time.as_secs(), 20 * pause.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_stands_still_is_cut_off_unless_it_may_be_a_stream() {
        let pause = Limits::http().stall + Duration::from_secs(1);
        let (text, time) = read(asked(Protocols::Http1, 2, pause).await).await;
        assert!(!is_whole(&text), "{text}");
        assert_eq!(time.as_secs(), Limits::http().stall.as_secs());
        let (text, time) = read(asked(Protocols::Grpc, 2, pause).await).await;
        assert!(is_whole(&text), "{text}");
        assert_eq!(time.as_secs(), 2 * pause.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_its_client_does_not_read_is_cut_off() {
        for protocols in [Protocols::Http1, Protocols::Grpc] {
            let mut client = asked(protocols, usize::MAX, Duration::from_secs(1)).await;
            let begun = Instant::now();
            // Some pieces are kept on the way to it.
            let limit = 2 * Limits::http().stall;
            while client.write_all(b" ").await.is_ok() && begun.elapsed() < 2 * limit {
                sleep(Duration::from_secs(1)).await;
            }
            assert!(begun.elapsed() <= limit, "{:?}", begun.elapsed());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_answer_goes_on_for_ever() {
        let limit = Limits::http().answer;
        let (text, time) =
            read(asked(Protocols::Http1, usize::MAX, Duration::from_secs(1)).await).await;
        assert!(!is_whole(&text));
        assert_eq!(time.as_secs(), limit.as_secs());
    }
}
