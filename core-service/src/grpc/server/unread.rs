//! Answers that a client does not read, and connections on which none goes on.

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
    /// When a piece of any answer was last sent.
    moved: Option<Instant>,
}

impl Unread {
    /// An answer, which waits for its client from now on. It keeps `guard` until it is sent or given up.
    pub(super) fn answer<G>(&self, body: Body, guard: G) -> Answer<G> {
        let mut waiting = self.waiting();
        waiting.last += 1;
        let id = waiting.last;
        waiting.since.insert(id, Instant::now());
        drop(waiting);
        Answer {
            body: Box::pin(body),
            id,
            unread: self.clone(),
            _guard: guard,
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

    /// Completes when no answer has gone on for `pause`, and at last after `longest`.
    pub(super) async fn stand_still(&self, pause: Duration, longest: Duration) {
        let begun = Instant::now();
        loop {
            let moved = self.waiting().moved.unwrap_or(begun).max(begun);
            let due = (moved + pause).min(begun + longest);
            if due <= Instant::now() {
                return;
            }
            sleep_until(due).await;
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of an answer. It is asked for a frame only when the client has room for it.
#[derive(Debug)]
pub(super) struct Answer<G> {
    body: Pin<Box<Body>>,
    id: u64,
    unread: Unread,
    _guard: G,
}

impl<G: Unpin> http_body::Body for Answer<G> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let id = self.id;
        self.unread.waiting().since.remove(&id);
        let frame = ready!(self.body.as_mut().poll_frame(context));
        let now = Instant::now();
        let mut waiting = self.unread.waiting();
        waiting.since.insert(id, now);
        waiting.moved = Some(now);
        drop(waiting);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<G> Drop for Answer<G> {
    fn drop(&mut self) {
        self.unread.waiting().since.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, StreamBody};

    use super::*;

    const PAUSE: Duration = Duration::from_mins(2);
    const LONGEST: Duration = Duration::from_hours(1);

    /// Reads an answer of so many pieces, each of which takes so long; returns when its connection stands still.
    async fn read(pieces: usize, time: Duration) -> Duration {
        let stream = futures_util::stream::unfold(0, move |number| async move {
            sleep(time).await;
            let frame = Frame::data(Bytes::from_static(b"x"));
            (number < pieces).then_some((Ok::<_, Status>(frame), number + 1))
        });
        let unread = Unread::default();
        let mut answer = unread.answer(Body::new(StreamBody::new(stream)), ());
        let reading = tokio::spawn(async move { while answer.frame().await.is_some() {} });
        let begun = Instant::now();
        unread.stand_still(PAUSE, LONGEST).await;
        reading.abort();
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_stands_still_when_no_answer_goes_on() {
        let nothing = read(0, LONGEST).await;
        assert_eq!(nothing.as_secs(), PAUSE.as_secs());
        // The end of an answer counts as a piece.
        let time = PAUSE * 9 / 10;
        let some = read(9, time).await;
        assert_eq!(some.as_secs(), (10 * time + PAUSE).as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn no_answer_keeps_a_connection_for_ever() {
        let forever = read(usize::MAX, Duration::from_secs(1)).await;
        assert_eq!(forever.as_secs(), LONGEST.as_secs());
    }
}
