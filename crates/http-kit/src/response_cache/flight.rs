//! Single flight: of those who ask for the same at a time, one asks, and all get the outcome.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::watch, time::Instant};

/// The flights under way, by what they ask for.
#[derive(Debug)]
pub(super) struct Flights<K, T>(Arc<Mutex<HashMap<K, Running<T>>>>);

#[derive(Debug)]
struct Running<T> {
    began: Instant,
    outcome: watch::Receiver<Option<T>>,
}

/// What someone who asks becomes.
pub(super) enum Role<K: Eq + Hash, T> {
    /// The one who asks.
    Leader(Flight<K, T>),
    /// One of those who wait.
    Follower(Waiting<T>),
}

/// A flight, for its leader. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Flight<K: Eq + Hash, T> {
    flights: Flights<K, T>,
    key: K,
    outcome: watch::Sender<Option<T>>,
}

/// A flight, for one who waits.
pub(super) struct Waiting<T>(watch::Receiver<Option<T>>);

impl<K, T> Default for Flights<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T> Flights<K, T> {
    fn running(&self) -> MutexGuard<'_, HashMap<K, Running<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone, T> Flights<K, T> {
    /// Joins the flight for this key if one began at most `max_age` ago, and begins one otherwise.
    pub(super) fn join(&self, key: K, max_age: Duration) -> Role<K, T> {
        let mut running = self.running();
        if let Some(flight) = running.get(&key)
            && flight.began.elapsed() < max_age
        {
            return Role::Follower(Waiting(flight.outcome.clone()));
        }
        let (sender, outcome) = watch::channel(None);
        let began = Instant::now();
        running.insert(key.clone(), Running { began, outcome });
        Role::Leader(Flight {
            flights: Self(Arc::clone(&self.0)),
            key,
            outcome: sender,
        })
    }
}

impl<K: Eq + Hash, T> Flight<K, T> {
    /// Gives the outcome to all who wait, and who join until the flight is dropped.
    pub(super) fn land(&self, outcome: T) {
        self.outcome.send_replace(Some(outcome));
    }

    /// Whether no later flight for the same key has begun.
    pub(super) fn is_latest(&self) -> bool {
        let running = self.flights.running();
        running.get(&self.key).is_some_and(|flight| self.is(flight))
    }

    fn is(&self, running: &Running<T>) -> bool {
        self.outcome.subscribe().same_channel(&running.outcome)
    }
}

impl<K: Eq + Hash, T> Drop for Flight<K, T> {
    fn drop(&mut self) {
        let mut running = self.flights.running();
        if running.get(&self.key).is_some_and(|flight| self.is(flight)) {
            running.remove(&self.key);
        }
    }
}

impl<T: Clone> Waiting<T> {
    /// Waits for the outcome; `None` if the flight ended without one.
    pub(super) async fn outcome(mut self) -> Option<T> {
        self.0.wait_for(Option::is_some).await.ok()?.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn lead(flights: &Flights<u8, u8>) -> Flight<u8, u8> {
        match flights.join(1, SECOND) {
            Role::Leader(flight) => flight,
            Role::Follower(_) => panic!("no flight is under way"),
        }
    }

    fn follow(flights: &Flights<u8, u8>) -> Waiting<u8> {
        match flights.join(1, SECOND) {
            Role::Follower(waiting) => waiting,
            Role::Leader(_) => panic!("a flight is under way"),
        }
    }

    #[tokio::test]
    async fn all_who_wait_get_the_outcome() {
        let flights = Flights::default();
        let flight = lead(&flights);
        let (early, other) = (follow(&flights), follow(&flights));
        flight.land(7);
        let late = follow(&flights);
        drop(flight);
        for waiting in [early, other, late] {
            assert_eq!(waiting.outcome().await, Some(7));
        }
        lead(&flights);
    }

    #[tokio::test]
    async fn a_flight_without_an_outcome_releases_those_who_wait() {
        let flights = Flights::default();
        let flight = lead(&flights);
        let waiting = follow(&flights);
        drop(flight);
        assert_eq!(waiting.outcome().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_joins_a_flight_that_began_too_long_ago() {
        let flights = Flights::default();
        let first = lead(&flights);
        assert!(first.is_latest());
        tokio::time::advance(SECOND).await;
        let second = lead(&flights);
        assert!(second.is_latest() && !first.is_latest());
        // The end of the first one does not end the second one.
        drop(first);
        let waiting = follow(&flights);
        second.land(2);
        assert_eq!(waiting.outcome().await, Some(2));
    }
}
