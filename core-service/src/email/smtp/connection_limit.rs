//! The limit on concurrent connections. It is lower for a server that refuses one more while others work.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

/// Maximum number of connections: as many as the runner has slots for mails.
pub(super) const MAX_CONNECTIONS: usize = 16;

/// How long the lower limit lasts. After that the full limit is tried again, which costs a refusal for each connection too
/// many.
const WITHHELD_FOR: Duration = Duration::from_mins(1);

/// The limit on concurrent connections.
pub(super) struct SmtpConnectionLimit {
    permits: Arc<Semaphore>,
    withheld: Mutex<Withheld>,
}

/// Permits that are withheld.
#[derive(Default)]
struct Withheld {
    count: usize,
    since: Option<Instant>,
}

impl SmtpConnectionLimit {
    pub(super) fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            withheld: Mutex::default(),
        }
    }

    /// Waits for a permit, which is released when dropped.
    pub(super) async fn acquire(&self) -> OwnedSemaphorePermit {
        self.release_withheld();
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        permit.expect("the semaphore is never closed")
    }

    fn release_withheld(&self) {
        let mut withheld = self.withheld();
        let is_over = |since: Instant| since.elapsed() >= WITHHELD_FOR;
        if withheld.since.is_some_and(is_over) {
            self.permits.add_permits(withheld.count);
            *withheld = Withheld::default();
        }
    }

    /// Withholds a permit for a while; false if it was the only one in use, which is then released.
    pub(super) fn withhold(&self, permit: OwnedSemaphorePermit) -> bool {
        let mut withheld = self.withheld();
        let taken =
            MAX_CONNECTIONS.saturating_sub(self.permits.available_permits() + withheld.count);
        if taken <= 1 {
            return false;
        }
        withheld.count += 1;
        withheld.since = Some(Instant::now());
        permit.forget();
        true
    }

    fn withheld(&self) -> MutexGuard<'_, Withheld> {
        self.withheld.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
