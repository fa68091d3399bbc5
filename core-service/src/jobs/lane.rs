//! What goes to one destination: the kinds of jobs, and whether it works.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use super::{Handler, pause::Pause};

/// The handlers of one destination, which share slots and pauses.
pub(super) struct Lane {
    pub(super) destination: &'static str,
    handlers: Vec<Arc<dyn Handler>>,
    pause: Mutex<Pause>,
    /// Counts the claims, so that each begins with another kind.
    claims: AtomicUsize,
}

impl Lane {
    /// One lane per destination, in the order in which they are first named.
    pub(super) fn of(handlers: Vec<Arc<dyn Handler>>) -> Vec<Arc<Self>> {
        let mut lanes: Vec<Self> = Vec::new();
        for handler in handlers {
            let destination = handler.destination();
            match lanes
                .iter_mut()
                .find(|lane| lane.destination == destination)
            {
                Some(lane) => lane.handlers.push(handler),
                None => lanes.push(Self {
                    destination,
                    handlers: vec![handler],
                    pause: Mutex::default(),
                    claims: AtomicUsize::new(0),
                }),
            }
        }
        lanes.into_iter().map(Arc::new).collect()
    }

    /// The handlers in the order in which their jobs are claimed now: each time another comes first, so that a long queue of
    /// one kind does not hold up the others.
    pub(super) fn handlers(&self) -> impl Iterator<Item = &Arc<dyn Handler>> {
        let first = self.claims.fetch_add(1, Ordering::Relaxed);
        let count = self.handlers.len();
        let from = first.checked_rem(count).unwrap_or(0);
        self.handlers.iter().cycle().skip(from).take(count)
    }

    /// Held for single look-ups only; whole at any time.
    pub(super) fn pause(&self) -> MutexGuard<'_, Pause> {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
