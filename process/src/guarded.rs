//! A body that keeps something until it is sent.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use http_body::{Body, Frame, SizeHint};

/// A body with a guard that is dropped once the body is sent or given up.
#[derive(Debug)]
pub struct Guarded<B, G> {
    body: Pin<Box<B>>,
    _guard: G,
}

impl<B, G> Guarded<B, G> {
    /// Keeps `guard` as long as `body`.
    pub fn new(body: B, guard: G) -> Self {
        Self {
            body: Box::pin(body),
            _guard: guard,
        }
    }
}

impl<B: Body, G: Unpin> Body for Guarded<B, G> {
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
