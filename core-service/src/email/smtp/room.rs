//! How many connections there may be at a time. A server that refuses one more while others work gets fewer.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

/// Connections at most: as many as the runner has slots for mail.
pub(super) const MOST: usize = 16;

/// How long a server that wants fewer gets fewer. Then it is asked again, which costs it a refusal for each one too many.
const GIVEN_UP_FOR: Duration = Duration::from_mins(1);

/// Places for connections.
pub(super) struct Room {
    places: Arc<Semaphore>,
    given_up: Mutex<GivenUp>,
}

/// Places that nobody may take for now.
#[derive(Default)]
struct GivenUp {
    count: usize,
    since: Option<Instant>,
}

impl Room {
    pub(super) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(MOST)),
            given_up: Mutex::default(),
        }
    }

    /// Waits for a place, which is free again when dropped.
    pub(super) async fn enter(&self) -> OwnedSemaphorePermit {
        self.take_back();
        let place = Arc::clone(&self.places).acquire_owned().await;
        place.expect("nothing closes the semaphore")
    }

    fn take_back(&self) {
        let mut given_up = self.given_up();
        let is_over = |since: Instant| since.elapsed() >= GIVEN_UP_FOR;
        if given_up.since.is_some_and(is_over) {
            self.places.add_permits(given_up.count);
            *given_up = GivenUp::default();
        }
    }

    /// Gives a place up for now; false when it was the only one taken, which is then free.
    pub(super) fn give_up(&self, place: OwnedSemaphorePermit) -> bool {
        let mut given_up = self.given_up();
        let taken = MOST.saturating_sub(self.places.available_permits() + given_up.count);
        if taken <= 1 {
            return false;
        }
        given_up.count += 1;
        given_up.since = Some(Instant::now());
        place.forget();
        true
    }

    fn given_up(&self) -> MutexGuard<'_, GivenUp> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
