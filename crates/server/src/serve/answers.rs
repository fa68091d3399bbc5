//! The answers of a connection that are under way, and how long each waits.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, sleep_until};

use super::{Protocols, limits::Limits};
use crate::connection_limit::Busy;

/// The answers of a connection that are under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    last_id: u64,
    waits: HashMap<u64, Wait>,
    /// When a piece of any answer was last sent.
    moved: Option<Instant>,
}

/// What an answer waits for.
#[derive(Debug, Clone, Copy)]
struct Wait {
    begun: Instant,
    since: Instant,
    on: WaitsOn,
}

/// The side that has to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitsOn {
    /// The service has to make the next piece.
    Service,
    /// The client has to read the last piece.
    Client,
}

impl Wait {
    /// Returns when the answer is overdue. Answers of gRPC may be streams, whose services may be silent.
    fn due(&self, protocols: Protocols, limits: &Limits) -> Instant {
        let end = self.begun + limits.answer;
        match (protocols, self.on) {
            (Protocols::Grpc, WaitsOn::Service) => end,
            _ => end.min(self.since + limits.stall),
        }
    }
}

impl Answers {
    /// Begins an answer, which waits for the service.
    pub(super) fn begin(&self, busy: Busy) -> Answer<()> {
        let now = Instant::now();
        let mut state = self.state();
        state.last_id += 1;
        let id = state.last_id;
        let wait = Wait {
            begun: now,
            since: now,
            on: WaitsOn::Service,
        };
        state.waits.insert(id, wait);
        drop(state);
        Answer {
            body: (),
            entry: Entry {
                id,
                answers: self.clone(),
                _busy: busy,
            },
        }
    }

    /// Completes when an answer is overdue, with the side that it waits for.
    pub(super) async fn overdue(&self, protocols: Protocols, limits: &Limits) -> WaitsOn {
        loop {
            let now = Instant::now();
            let next = {
                let state = self.state();
                let dues = state.waits.values();
                let dues = dues.map(|wait| (wait.due(protocols, limits), wait.on));
                dues.min_by_key(|(due, _)| *due)
            };
            match next {
                Some((due, on)) if due <= now => return on,
                // One that begins later is not due earlier than that.
                Some((due, _)) => sleep_until(due.min(now + limits.stall)).await,
                None => sleep_until(now + limits.stall.min(limits.answer)).await,
            }
        }
    }

    /// Completes when no answer has gone on for `pause`.
    pub(super) async fn stand_still(&self, pause: Duration) {
        let begun = Instant::now();
        loop {
            let moved = self.state().moved.unwrap_or(begun).max(begun);
            if moved.elapsed() >= pause {
                return;
            }
            sleep_until(moved + pause).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer, or its body. A body is asked for a piece only when the client has room for it.
#[derive(Debug)]
pub(super) struct Answer<B> {
    body: B,
    entry: Entry,
}

/// The entry of an answer, which ends with it.
#[derive(Debug)]
struct Entry {
    id: u64,
    answers: Answers,
    _busy: Busy,
}

impl Entry {
    fn waits_on(&self, on: WaitsOn) {
        let now = Instant::now();
        let mut state = self.answers.state();
        if on == WaitsOn::Client {
            state.moved = Some(now);
        }
        if let Some(wait) = state.waits.get_mut(&self.id)
            && wait.on != on
        {
            (wait.on, wait.since) = (on, now);
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.answers.state().waits.remove(&self.id);
    }
}

impl Answer<()> {
    /// Returns the body of the answer, which waits for the client to read it.
    pub(super) fn with_body<B>(self, body: B) -> Answer<B> {
        self.entry.waits_on(WaitsOn::Client);
        Answer {
            body,
            entry: self.entry,
        }
    }
}

impl<B: Body + Unpin> Body for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.entry.waits_on(WaitsOn::Service);
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        self.entry.waits_on(WaitsOn::Client);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use http_body_util::{BodyExt as _, StreamBody};
    use tokio::time::sleep;

    use super::*;
    use crate::connection_limit::{Bounds, ConnectionLimit};

    const PAUSE: Duration = Duration::from_mins(2);
    const LONG: Duration = Duration::from_hours(1);

    /// Reads an answer of so many pieces, each of which takes so long; returns when its connection stands still.
    async fn read(pieces: usize, time: Duration) -> Duration {
        let stream = futures_util::stream::unfold(0, move |number| async move {
            sleep(time).await;
            let frame = Frame::data(Bytes::from_static(b"x"));
            (number < pieces).then_some((Ok::<_, Infallible>(frame), number + 1))
        });
        let limit = ConnectionLimit::new(Bounds {
            total: 1,
            per_client: 1,
            local: 1,
            excepted: crate::networks::Networks::default(),
        });
        let permit = limit.admit(None).await.unwrap();
        let answers = Answers::default();
        let mut answer = answers
            .begin(permit.busy())
            .with_body(StreamBody::new(Box::pin(stream)));
        let reading = tokio::spawn(async move { while answer.frame().await.is_some() {} });
        let begun = Instant::now();
        answers.stand_still(PAUSE).await;
        reading.abort();
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_stands_still_when_no_answer_goes_on() {
        let nothing = read(0, LONG).await;
        assert_eq!(nothing.as_secs(), PAUSE.as_secs());
        // The end of an answer counts as a piece.
        let time = PAUSE * 9 / 10;
        let some = read(9, time).await;
        assert_eq!(some.as_secs(), (10 * time + PAUSE).as_secs());
    }
}
