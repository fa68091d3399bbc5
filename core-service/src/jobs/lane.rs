//! The state of destinations in memory: the kinds of due jobs, and pauses. It is bounded, however many destinations have jobs.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{
    instant::Instant,
    job::{Destination, JobKind},
};
use tokio::sync::Notify;

use super::pause::Pause;

/// Maximum number of open lanes. With the slots of each it bounds the running tries. A further destination waits until a lane
/// closes.
const MAX_LANES: usize = 128;

/// Maximum number of remembered pauses. Beyond it, the one that ends first is forgotten: its destination is then tried with all
/// slots.
const MAX_PAUSES: usize = 1_024;

/// The due work for one destination, with slots of its own.
pub(super) struct Lane {
    pub(super) destination: Destination,
    /// The kinds with due jobs; the first is claimed next.
    due: Mutex<VecDeque<JobKind>>,
    offered: Notify,
}

impl Lane {
    pub(super) fn new(destination: Destination, due: Vec<JobKind>) -> Self {
        Self {
            destination,
            due: Mutex::new(due.into()),
            offered: Notify::new(),
        }
    }

    /// Adds a kind with due jobs.
    fn offer(&self, kind: JobKind) {
        let mut due = held(&self.due);
        if !due.contains(&kind) {
            due.push_back(kind);
        }
        self.offered.notify_one();
    }

    /// Waits until due jobs are offered.
    pub(super) async fn offered(&self) {
        self.offered.notified().await;
    }

    /// The kind whose jobs are claimed next. A kind with more jobs is put back at the end, so that a long queue of one kind
    /// does not delay the others.
    pub(super) fn next_kind(&self) -> Option<JobKind> {
        held(&self.due).pop_front()
    }

    /// Puts back a kind that has or may have more due jobs.
    pub(super) fn put_back(&self, kind: JobKind) {
        let mut due = held(&self.due);
        if !due.contains(&kind) {
            due.push_back(kind);
        }
    }

    fn is_idle(&self) -> bool {
        held(&self.due).is_empty()
    }
}

/// The open lanes, by destination.
#[derive(Default)]
pub(super) struct Lanes(Mutex<HashMap<Destination, Arc<Lane>>>);

impl Lanes {
    /// Offers due jobs of a kind to the lane of a destination. Returns the lane if this opened it, so that the caller starts
    /// its work.
    pub(super) fn offer(&self, destination: &Destination, kind: JobKind) -> Option<Arc<Lane>> {
        let mut lanes = held(&self.0);
        if let Some(lane) = lanes.get(destination) {
            lane.offer(kind);
            return None;
        }
        if lanes.len() >= MAX_LANES {
            return None;
        }
        let lane = Arc::new(Lane::new(destination.clone(), vec![kind]));
        lanes.insert(destination.clone(), Arc::clone(&lane));
        Some(lane)
    }

    /// Closes a lane that has no work left; false if work was offered meanwhile.
    pub(super) fn close(&self, lane: &Lane, is_paused: bool) -> bool {
        let mut lanes = held(&self.0);
        let closes = is_paused || lane.is_idle();
        if closes {
            lanes.remove(&lane.destination);
        }
        closes
    }
}

/// The work on an open lane. A lane whose work ends in a panic is closed, since its destination could never get another.
pub(super) struct Work {
    lanes: Arc<Lanes>,
    pub(super) lane: Arc<Lane>,
}

impl Work {
    pub(super) fn on(lane: Arc<Lane>, lanes: &Arc<Lanes>) -> Self {
        Self {
            lanes: Arc::clone(lanes),
            lane,
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut lanes = held(&self.lanes.0);
        let open = lanes.get(&self.lane.destination);
        if open.is_some_and(|open| Arc::ptr_eq(open, &self.lane)) {
            lanes.remove(&self.lane.destination);
        }
    }
}

/// The pauses, by destination.
#[derive(Default)]
pub(super) struct Pauses(Mutex<HashMap<Destination, Pause>>);

impl Pauses {
    /// The pause of a destination.
    pub(super) fn of(&self, destination: &Destination) -> Pause {
        held(&self.0).get(destination).cloned().unwrap_or_default()
    }

    /// Changes the pause of a destination; returns the result of `change`.
    pub(super) fn change<T>(
        &self,
        destination: &Destination,
        change: impl FnOnce(&mut Pause) -> T,
    ) -> T {
        let mut pauses = held(&self.0);
        let mut pause = pauses.remove(destination).unwrap_or_default();
        let answer = change(&mut pause);
        if let Some(until) = pause.until() {
            if pauses.len() >= MAX_PAUSES {
                evict_first(&mut pauses, until);
            }
            pauses.insert(destination.clone(), pause);
        }
        answer
    }
}

/// Removes the pause that ends first, unless the new one ends earlier.
fn evict_first(pauses: &mut HashMap<Destination, Pause>, until: Instant) {
    let end = |pause: &Pause| pause.until().unwrap_or(until);
    let first = pauses.iter().min_by_key(|(_, pause)| end(pause));
    if let Some(destination) = first.map(|(destination, _)| destination.clone()) {
        pauses.remove(&destination);
    }
}

/// A panic cannot leave the value in a bad state.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOW: Instant = Instant::from_micros(0);

    fn destination(number: usize) -> Destination {
        Destination::new(format!("hook-{number}"))
    }

    #[test]
    fn a_bounded_number_of_lanes_is_open_and_a_closed_one_makes_room() {
        let lanes = Lanes::default();
        let open = |number| lanes.offer(&destination(number), JobKind::StockCover);
        let opened: Vec<_> = (0..MAX_LANES).filter_map(open).collect();
        assert_eq!(opened.len(), MAX_LANES);
        assert!(open(MAX_LANES).is_none());
        assert!(!lanes.close(&opened[0], false));
        assert_eq!(opened[0].next_kind(), Some(JobKind::StockCover));
        assert!(lanes.close(&opened[0], false));
        assert!(open(MAX_LANES).is_some());
    }

    #[test]
    fn a_lane_whose_work_panics_is_closed_but_not_the_next_one_of_its_destination() {
        let lanes = Arc::<Lanes>::default();
        let open = || lanes.offer(&destination(1), JobKind::StockCover);
        let first = Work::on(open().unwrap(), &lanes);
        let panics = std::thread::spawn(move || {
            let _works = first;
            std::panic::panic_any("a defect");
        });
        panics.join().unwrap_err();
        let second = Work::on(open().unwrap(), &lanes);
        assert_eq!(second.lane.next_kind(), Some(JobKind::StockCover));
        assert!(lanes.close(&second.lane, false));
        let third = open();
        assert!(third.is_some());
        drop(second);
        assert!(open().is_none());
    }

    #[test]
    fn a_bounded_number_of_pauses_is_remembered_the_latest_ones() {
        let pauses = Pauses::default();
        for number in 0..=MAX_PAUSES {
            let now = NOW.plus_seconds(i64::try_from(number).unwrap());
            pauses.change(&destination(number), |pause| {
                pause.begin(now, now, Uuid::nil())
            });
        }
        assert_eq!(pauses.of(&destination(0)).until(), None);
        assert!(pauses.of(&destination(1)).until().is_some());
        assert!(pauses.of(&destination(MAX_PAUSES)).until().is_some());
        assert_eq!(held(&pauses.0).len(), MAX_PAUSES);
    }

    #[test]
    fn a_destination_that_works_again_is_forgotten() {
        let pauses = Pauses::default();
        let mail = Destination::MAIL;
        pauses.change(&mail, |pause| pause.begin(NOW, NOW, Uuid::nil()));
        let until = pauses.of(&mail).until().unwrap();
        assert!(pauses.change(&mail, |pause| pause.end(until)));
        assert!(held(&pauses.0).is_empty());
    }
}
