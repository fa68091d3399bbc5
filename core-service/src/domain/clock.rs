//! The one source of the present, injected so that tests decide it.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use super::instant::Instant;

/// Tells the time: the system's, or one that a test sets.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The machine's clock.
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands at `start` until it is advanced; clones share it.
    pub fn manual(start: Instant) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(start.micros()))))
    }

    /// The present moment.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that everything else is given"
    )]
    pub fn now(&self) -> Instant {
        match &self.0 {
            Source::System => jiff::Timestamp::now().into(),
            Source::Manual(micros) => Instant::from_micros(micros.load(Ordering::SeqCst)),
        }
    }

    /// Moves a manual clock forward; the system's clock is left alone.
    pub fn advance_seconds(&self, seconds: i64) {
        if let Source::Manual(micros) = &self.0 {
            micros.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
        }
    }
}
