//! Answers that a client does not read.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, sleep, sleep_until};
use tonic::{Status, body::Body};

/// The answers of a connection that wait for their client.
#[derive(Debug, Clone, Default)]
pub(super) struct Unread(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    /// Since when each answer waits.
    since: HashMap<u64, Instant>,
}

impl Unread {
    /// An answer, which waits for its client from now on.
    pub(super) fn answer(&self, body: Body) -> Answer {
        let mut waiting = self.waiting();
        waiting.last += 1;
        let id = waiting.last;
        waiting.since.insert(id, Instant::now());
        drop(waiting);
        Answer {
            body: Box::pin(body),
            id,
            unread: self.clone(),
        }
    }

    /// Completes when an answer has waited for so long.
    pub(super) async fn too_long(&self, limit: Duration) {
        loop {
            let oldest = self.waiting().since.values().min().copied();
            match oldest {
                Some(since) if since.elapsed() >= limit => return,
                Some(since) => sleep_until(since + limit).await,
                None => sleep(limit).await,
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of an answer. It is asked for a frame only when the client has room for it.
#[derive(Debug)]
pub(super) struct Answer {
    body: Pin<Box<Body>>,
    id: u64,
    unread: Unread,
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let id = self.id;
        self.unread.waiting().since.remove(&id);
        let frame = ready!(self.body.as_mut().poll_frame(context));
        self.unread.waiting().since.insert(id, Instant::now());
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.unread.waiting().since.remove(&self.id);
    }
}
