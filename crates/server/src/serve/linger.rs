//! Reading the rest of a request's body after an early answer.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, header::EXPECT};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::runtime::Handle;

/// How much of a refused request's body is read and discarded, so that the client can read the answer.
const MAX_BYTES: usize = 4 << 20;

/// How long that may take.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// A request's body. When it is dropped, the unread rest is read and discarded: a client whose connection is closed while it
/// sends never reads the answer.
#[derive(Debug)]
pub struct Lingering {
    rest: Option<Incoming>,
    /// The client waits for `100 Continue`, so nothing of its body is on its way.
    waits: bool,
}

impl Lingering {
    pub(super) fn of(request: Request<Incoming>) -> Request<Self> {
        let waits = request.headers().contains_key(EXPECT);
        request.map(|body| Self {
            rest: Some(body),
            waits,
        })
    }
}

impl Body for Lingering {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.waits = false;
        match &mut self.rest {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.rest.as_ref().map(Body::size_hint).unwrap_or_default()
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        if self.waits || self.is_end_stream() {
            return;
        }
        if let (Some(rest), Ok(runtime)) = (self.rest.take(), Handle::try_current()) {
            runtime.spawn(tokio::time::timeout(LINGER_TIMEOUT, discard(rest)));
        }
    }
}

async fn discard(mut rest: Incoming) {
    let mut total = 0;
    while let Some(Ok(frame)) = poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await {
        total += frame.data_ref().map_or(0, Bytes::len);
        if total > MAX_BYTES {
            return;
        }
    }
}
