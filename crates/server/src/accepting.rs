//! Accepting connections until a port stops.

use std::{
    pin::{Pin, pin},
    time::Duration,
};

use tokio::{task::yield_now, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::shutdown;

/// How many connections wait at most in the system's queue of a port.
const QUEUE: usize = 1024;

/// Accepts connections until the signal to stop, and for some time after it. In the end it takes those that wait in the system's
/// queue: their clients are already connected.
pub struct Accepting {
    closing: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_closing: bool,
    /// How many connections are taken from the queue in the end.
    left: usize,
}

impl Accepting {
    /// Accepts until `stop`, and for `linger` after it.
    pub fn until(stop: &CancellationToken, linger: Duration) -> Self {
        let stop = stop.clone();
        Self {
            closing: Box::pin(async move {
                stop.cancelled().await;
                shutdown::linger(linger).await;
            }),
            is_closing: false,
            left: QUEUE,
        }
    }

    /// The next connection that `accept` returns; `None` once the port stops.
    pub async fn next<T>(&mut self, accept: impl Future<Output = T>) -> Option<T> {
        let mut accept = pin!(accept);
        if !self.is_closing {
            tokio::select! {
                biased;
                () = self.closing.as_mut() => self.is_closing = true,
                accepted = accept.as_mut() => return Some(accepted),
            }
            // The runtime learns what waits.
            yield_now().await;
        }
        self.left = self.left.checked_sub(1)?;
        timeout(Duration::ZERO, accept).await.ok()
    }
}
