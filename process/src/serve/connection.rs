//! One connection: its requests and its end.

use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpStream, sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_http::timeout::TimeoutBody;

use super::{Limits, Peer, RequestBody, linger::Lingering};

/// The largest header that hyper reads; above it hyper answers 431 itself. Services may have a lower limit with an error
/// message.
const HEADER_BYTES: usize = 64 * 1024;

pub(super) async fn run<S, B>(
    stream: TcpStream,
    peer: Peer,
    service: S,
    limits: Arc<Limits>,
    shutdown: CancellationToken,
) where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let (due, dues) = watch::channel(None);
    let (header, body_idle, whole) = (limits.header, limits.body_idle, limits.request);
    let handle = move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        due.send_replace(Some(Instant::now() + whole));
        let busy = Busy(due.clone());
        let answer = service
            .clone()
            .call(Lingering::of(request).map(|body| TimeoutBody::new(body_idle, body)));
        async move {
            answer.await.map(|response| {
                response.map(|body| TrackedBody {
                    body: Box::pin(body),
                    _busy: busy,
                })
            })
        }
    };
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service_fn(handle))
    );
    let mut overdue = pin!(overdue(dues));
    let mut stopping = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection failed");
                }
                return;
            }
            () = overdue.as_mut() => {
                tracing::warn!("closed a connection whose request took too long");
                return;
            }
            () = shutdown.cancelled(), if !stopping => {
                stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Completes when a request is still running at its deadline.
async fn overdue(mut dues: watch::Receiver<Option<Instant>>) {
    loop {
        let due = *dues.borrow_and_update();
        let passed = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = passed => return,
            changed = dues.changed() => if changed.is_err() {
                // The connection has ended, so its own future completes.
                std::future::pending::<()>().await;
            },
        }
    }
}

/// Exists while a request runs.
struct Busy(watch::Sender<Option<Instant>>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.send_replace(None);
    }
}

/// An answer's body. Its connection counts as busy until the body is sent.
struct TrackedBody<B> {
    body: Pin<Box<B>>,
    _busy: Busy,
}

impl<B: Body> Body for TrackedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.body.as_mut().poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
