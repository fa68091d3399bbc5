//! The clock of a memory, injected so that tests can set it.

use std::{fmt, sync::Arc, time::Duration};

use tokio::time::Instant;

/// A clock that never goes back.
#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    /// Counts from here.
    System(Instant),
    Given(Arc<dyn Fn() -> Duration + Send + Sync>),
}

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(Source::System(Instant::now()))
    }

    /// A clock of a test.
    pub fn given(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Source::Given(Arc::new(now)))
    }

    /// The time since some moment.
    pub(super) fn now(&self) -> Duration {
        match &self.0 {
            Source::System(start) => start.elapsed(),
            Source::Given(now) => now(),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Clock")
    }
}
