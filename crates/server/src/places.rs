//! A limit on calls at a time, which follows how long they take.
//!
//! Calls that a busy machine or a slow database cannot answer soon would make all others wait. Nobody knows the right limit
//! beforehand. So it shrinks when calls become slow while most places are taken, and grows again while they are fast. Calls beyond
//! it are refused at once, which costs little.
//!
//! Who only passes calls on does not judge by their time, of which its own delays are a part: it would call less when itself is busy.
//! Its limit shrinks when the other side refuses calls.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::metrics::{self, Metrics};

/// A call that takes longer is slow. Then 99 of 100 accepted calls take less than a second.
const SLOW: Duration = Duration::from_millis(300);

/// The largest reduction by one slow call, which may have reasons of its own.
const LARGEST_REDUCTION: f64 = 0.5;

/// How many places come back after as many fast calls as there are places.
const GROWTH: f64 = 4.0;

/// Places for calls of one kind.
#[derive(Debug)]
struct Places {
    least: f64,
    most: f64,
    /// A call that takes longer is slow; `None` if only refusals count.
    slow: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    taken: u32,
    limit: f64,
    reduced: Option<Instant>,
}

impl Places {
    fn new(least: u32, most: u32, slow: Option<Duration>) -> Arc<Self> {
        Arc::new(Self {
            least: least.into(),
            most: most.into(),
            slow,
            state: Mutex::new(State {
                taken: 0,
                limit: most.into(),
                reduced: None,
            }),
        })
    }

    fn is_full(&self) -> bool {
        let state = self.state();
        f64::from(state.taken) >= state.limit
    }

    fn look(&self, kind: Kind, metrics: &Metrics) {
        let State { taken, limit, .. } = *self.state();
        let labels = [kind.name().into()];
        metrics.places_taken.set(labels, taken.into());
        metrics.places.set(labels, limit.floor());
    }

    /// A place for a call, if one is free.
    fn take(self: &Arc<Self>) -> Option<Place> {
        let mut state = self.state();
        if f64::from(state.taken) >= state.limit {
            return None;
        }
        state.taken += 1;
        Some(Place {
            places: Arc::clone(self),
            since: Instant::now(),
            shed: false,
        })
    }

    fn leave(&self, place: &Place) {
        let now = Instant::now();
        let took = now.duration_since(place.since);
        let mut state = self.state();
        let most_are_taken = f64::from(state.taken) * 2.0 > state.limit;
        state.taken = state.taken.saturating_sub(1);
        if !most_are_taken {
            return;
        }
        let slow = self.slow.filter(|slow| took > *slow);
        if !place.shed && slow.is_none() {
            state.limit = (state.limit + GROWTH / state.limit).min(self.most);
        } else if state.reduced.is_none_or(|reduced| place.since >= reduced) {
            // Calls that began before a reduction say nothing about it.
            let share = slow.map_or(0.0, |slow| slow.div_duration_f64(took));
            let share = share.max(LARGEST_REDUCTION);
            state.limit = (state.limit * share).max(self.least);
            state.reduced = Some(now);
        }
    }

    /// A panic cannot leave the numbers in a bad state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a call may change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It changes nothing.
    Read,
    /// It may change something.
    Write,
}

impl Kind {
    /// The kind of an rpc, which changes nothing or may change something.
    pub const fn of(read_only: bool) -> Self {
        if read_only { Self::Read } else { Self::Write }
    }

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// Places for each kind of calls, so that too many of one kind do not keep out the other.
#[derive(Debug, Clone)]
pub struct Room {
    reads: Arc<Places>,
    writes: Arc<Places>,
}

impl Room {
    /// As many places as `most` for each kind, for calls that this process answers. There are never fewer than `least`.
    pub fn new(least: u32, most: u32) -> Self {
        Self {
            reads: Places::new(least, most, Some(SLOW)),
            writes: Places::new(least, most, Some(SLOW)),
        }
    }

    /// The same for calls that another process answers.
    pub fn of_another(least: u32, most: u32) -> Self {
        Self {
            reads: Places::new(least, most, None),
            writes: Places::new(least, most, None),
        }
    }

    /// The same room, which metrics show.
    #[must_use]
    pub fn measured(self) -> Self {
        for kind in [Kind::Read, Kind::Write] {
            let places = Arc::downgrade(self.places(kind));
            metrics::watch(move |all| {
                places
                    .upgrade()
                    .map(|places| places.look(kind, all))
                    .is_some()
            });
        }
        self
    }

    /// A place for a call of this kind, if one is free.
    pub fn take(&self, kind: Kind) -> Option<Place> {
        self.places(kind).take()
    }

    /// Whether all places for calls of this kind are taken.
    pub fn is_full(&self, kind: Kind) -> bool {
        self.places(kind).is_full()
    }

    const fn places(&self, kind: Kind) -> &Arc<Places> {
        match kind {
            Kind::Read => &self.reads,
            Kind::Write => &self.writes,
        }
    }
}

/// The place of a call, which is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    since: Instant,
    shed: bool,
}

impl Place {
    /// Records that the called side refused the call, since it has too many.
    pub const fn shed(&mut self) {
        self.shed = true;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.leave(self);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const FAST: Duration = Duration::from_millis(5);

    fn take_all(places: &Arc<Places>) -> Vec<Place> {
        std::iter::from_fn(|| places.take()).collect()
    }

    /// How many places of 100 are left after so many rounds in which all are taken for a while.
    async fn left_after(rounds: usize, took: Duration) -> usize {
        let places = Places::new(8, 100, Some(SLOW));
        for _ in 0..rounds {
            let taken = take_all(&places);
            advance(took).await;
            drop(taken);
        }
        take_all(&places).len()
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_as_many_places_as_said_while_calls_are_fast() {
        assert_eq!(left_after(10, FAST).await, 100);
        let places = Places::new(8, 100, Some(SLOW));
        let mut taken = take_all(&places);
        assert!(places.take().is_none());
        taken.pop();
        assert!(places.take().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn slow_calls_leave_as_many_places_as_are_fast_enough_and_never_too_few() {
        assert_eq!(left_after(1, SLOW).await, 100);
        assert_eq!(left_after(1, SLOW * 5 / 4).await, 80);
        assert_eq!(left_after(1, SLOW * 100).await, 50);
        assert_eq!(left_after(20, SLOW * 100).await, 8);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_slow_while_others_find_places_changes_nothing() {
        let places = Places::new(8, 100, Some(SLOW));
        for _ in 0..20 {
            let place = places.take();
            advance(SLOW * 2).await;
            drop(place);
        }
        assert_eq!(take_all(&places).len(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn places_come_back_within_seconds() {
        let places = Places::new(8, 100, Some(SLOW));
        for _ in 0..20 {
            let taken = take_all(&places);
            advance(SLOW * 100).await;
            drop(taken);
        }
        let start = Instant::now();
        loop {
            let taken = take_all(&places);
            if taken.len() == 100 {
                break;
            }
            advance(FAST).await;
        }
        assert!(
            start.elapsed() < Duration::from_secs(3),
            "{:?}",
            start.elapsed()
        );
    }

    #[test]
    fn too_many_writes_leave_the_places_of_reads_free() {
        let room = Room::new(1, 2);
        let writes: Vec<_> = std::iter::from_fn(|| room.take(Kind::Write)).collect();
        assert_eq!(writes.len(), 2);
        let reads: Vec<_> = std::iter::from_fn(|| room.take(Kind::Read)).collect();
        assert_eq!(reads.len(), 2);
        assert!(room.take(Kind::Write).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn slow_calls_to_another_process_leave_their_places() {
        let places = Places::new(8, 100, None);
        let taken = take_all(&places);
        advance(SLOW * 100).await;
        drop(taken);
        assert_eq!(take_all(&places).len(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_the_other_side_refuses_leave_fewer_places() {
        let places = Places::new(8, 100, None);
        let mut taken = take_all(&places);
        taken.iter_mut().for_each(Place::shed);
        advance(FAST).await;
        drop(taken);
        assert_eq!(take_all(&places).len(), 50);
    }
}
