//! One connection: its requests and its end.

use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};

use http::{HeaderValue, Request, Response, header::CONNECTION};
use http_body::Body;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpStream, sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_http::timeout::TimeoutBody;

use super::{Limits, Peer, RequestBody, linger::Lingering};
use crate::{
    connections::{self, Place},
    guarded::Guarded,
    shutdown,
};

/// The largest header that hyper reads; above it hyper answers 431 itself. Services may have a lower limit with an error
/// message.
const HEADER_BYTES: usize = 64 * 1024;

pub(super) async fn run<S, B>(
    stream: TcpStream,
    peer: Peer,
    place: Place,
    service: S,
    limits: Arc<Limits>,
    stop: CancellationToken,
) where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let first_header = Instant::now() + limits.first_header;
    let (due, dues) = watch::channel(Some(first_header));
    let (header, body_idle, whole) = (limits.header, limits.body_idle, limits.request);
    let (requests, stopping) = (place.clone(), stop.clone());
    let handle = move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        due.send_replace(Some(Instant::now() + whole));
        let busy = Busy {
            due: due.clone(),
            whole,
            _request: requests.busy(),
        };
        let answer = service
            .clone()
            .call(Lingering::of(request).map(|body| TimeoutBody::new(body_idle, body)));
        let stopping = stopping.clone();
        async move {
            let Ok(mut response) = answer.await;
            if stopping.is_cancelled() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            Ok::<_, Infallible>(response.map(|body| Guarded::new(body, busy)))
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
    // An idle connection is closed only then: its client may be about to send.
    let mut closing = pin!(shutdown::after(&stop, limits.linger));
    let mut is_closing = false;
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection failed");
                }
                return;
            }
            due = overdue.as_mut() => {
                if due == first_header {
                    tracing::debug!("closed a connection whose first request did not come in time");
                } else {
                    tracing::warn!("closed a connection whose request took too long");
                }
                return;
            }
            () = place.is_needed() => {
                tracing::debug!("closed an idle connection, since another one needs its place");
                return;
            }
            () = closing.as_mut(), if !is_closing => {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Completes when a request is still running at its deadline, or the first has not come by then.
async fn overdue(mut dues: watch::Receiver<Option<Instant>>) -> Instant {
    loop {
        let due = *dues.borrow_and_update();
        let passed = async {
            match due {
                Some(due) => {
                    tokio::time::sleep_until(due).await;
                    due
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            due = passed => return due,
            changed = dues.changed() => if changed.is_err() {
                // The connection has ended, so its own future completes.
                std::future::pending::<()>().await;
            },
        }
    }
}

/// Exists while a request runs.
struct Busy {
    due: watch::Sender<Option<Instant>>,
    whole: Duration,
    _request: connections::Busy,
}

impl Drop for Busy {
    fn drop(&mut self) {
        // What remains of the answer must be written. An idle connection ends before this, by the limit on headers.
        self.due.send_replace(Some(Instant::now() + self.whole));
    }
}
