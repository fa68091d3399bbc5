//! Until when a request may take, and its answer, which moves that on as long as it is sent.

use std::time::Duration;

use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::{sync::watch, time::Instant};

use super::Limits;
use crate::connections;

/// When the request of a connection is overdue; `None` without one.
pub(super) type Due = Option<Instant>;

/// Exists while a request runs.
pub(super) struct Busy {
    due: watch::Sender<Due>,
    pause: Duration,
    /// No answer takes longer.
    last: Instant,
    _request: connections::Busy,
}

impl Busy {
    /// A request that begins now.
    pub(super) fn begin(
        due: watch::Sender<Due>,
        limits: &Limits,
        request: connections::Busy,
    ) -> Self {
        let busy = Self {
            due,
            pause: limits.request,
            last: Instant::now() + limits.answer,
            _request: request,
        };
        busy.goes_on();
        busy
    }

    fn goes_on(&self) {
        let due = Instant::now() + self.pause;
        self.due.send_replace(Some(due.min(self.last)));
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // What remains of the answer must be written. An idle connection ends before this, by the limit on headers.
        self.due.send_replace(Some(Instant::now() + self.pause));
    }
}

/// The body of an answer. It is asked for a piece only when the client has taken those before.
pub(super) fn answer<B: Body>(body: B, busy: Busy) -> impl Body<Data = B::Data, Error = B::Error> {
    body.inspect_frame(move |_piece| busy.goes_on())
}
