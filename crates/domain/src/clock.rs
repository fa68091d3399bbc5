//! The only source of the current time, injected so that tests can set it.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use super::instant::Instant;

/// The current time: the system's, or one that a test sets.
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

    /// A clock that stays at `start` until it is advanced. Clones share it.
    pub fn manual(start: Instant) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(start.micros()))))
    }

    /// The current time.
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

    /// Moves a manual clock forward. It has no effect on the system's clock.
    pub fn advance_seconds(&self, seconds: i64) {
        if let Source::Manual(micros) = &self.0 {
            micros.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
        }
    }
}
