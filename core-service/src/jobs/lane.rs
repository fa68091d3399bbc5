//! The state of destinations in memory: the kinds of due jobs, and pauses. It is bounded, however many destinations have jobs.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::{
    instant::Instant,
    job::{Destination, JobKind},
};
use tokio::{
    sync::{Notify, Semaphore, SemaphorePermit},
    time::Instant as Moment,
};

use super::{
    limits::{LaneLimits, Limits},
    pause::Pause,
};

/// Maximum number of receivers of webhooks that are remembered since they wait for a lane. Further ones are found again later.
const MAX_WAITING: usize = 1_024;

/// Maximum number of remembered pauses. Beyond it, the one that ends first is forgotten: its destination is then tried with all
/// slots.
const MAX_PAUSES: usize = 1_024;

/// The due work for one destination, with slots of its own.
pub(super) struct Lane {
    pub(super) destination: Destination,
    pub(super) limits: LaneLimits,
    /// The kinds with due jobs; the first is claimed next.
    due: Mutex<VecDeque<JobKind>>,
    offered: Notify,
    /// Limits concurrent tries. Closed once no more begin.
    slots: Semaphore,
    has_begun: AtomicBool,
    opened: Moment,
}

impl Lane {
    pub(super) fn new(destination: Destination, due: Vec<JobKind>, limits: LaneLimits) -> Self {
        Self {
            slots: Semaphore::new(limits.slots),
            limits,
            destination,
            due: Mutex::new(due.into()),
            offered: Notify::new(),
            has_begun: AtomicBool::new(false),
            opened: Moment::now(),
        }
    }

    /// Waits for a slot, in which one try may run; `None` if no more tries begin.
    pub(super) async fn slot(&self) -> Option<SemaphorePermit<'_>> {
        self.slots.acquire().await.ok()
    }

    /// Notes that a try begins.
    pub(super) fn note_begun(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    /// Lets no more tries begin. Those that wait for a slot get none.
    pub(super) fn begin_no_more(&self) {
        self.slots.close();
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

    fn first_kind(&self) -> Option<JobKind> {
        held(&self.due).front().copied()
    }

    /// Puts back a kind that has or may have more due jobs.
    pub(super) fn put_back(&self, kind: JobKind) {
        let mut due = held(&self.due);
        if !due.contains(&kind) {
            due.push_back(kind);
        }
    }
}

/// The open lanes, and the receivers of webhooks that wait for one. Other destinations are few, and always get theirs: strangers cannot keep
/// mails waiting.
pub(super) struct Lanes {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: HashMap<Destination, Arc<Lane>>,
    /// Those that were offered due jobs without a lane, the first ones first.
    waiting: VecDeque<(Destination, JobKind)>,
}

impl State {
    fn open(&mut self, destination: Destination, kind: JobKind, limits: Limits) -> Arc<Lane> {
        let limits = limits.of(&destination);
        let lane = Arc::new(Lane::new(destination.clone(), vec![kind], limits));
        self.open.insert(destination, Arc::clone(&lane));
        lane
    }

    fn wait(&mut self, destination: &Destination, kind: JobKind) {
        let waits = self.waiting.iter().any(|(waits, _)| waits == destination);
        if !waits && self.waiting.len() < MAX_WAITING {
            self.waiting.push_back((destination.clone(), kind));
        }
    }

    fn count_of_webhooks(&self) -> usize {
        let open = self.open.keys();
        open.filter(|open| open.is_webhook()).count()
    }
}

/// What became of a lane that was to be closed.
pub(super) enum Closing {
    /// It has work, so it stays open.
    Stays,
    /// It is closed. The one that waited longest has its lane now, if one waited.
    Closed(Option<Arc<Lane>>),
}

impl Lanes {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: Mutex::default(),
        }
    }

    /// Offers due jobs of a kind to the lane of a destination. Returns the lane if this opened it, so that the caller starts
    /// its work. Without one, the destination waits for the next lane that closes.
    pub(super) fn offer(&self, destination: &Destination, kind: JobKind) -> Option<Arc<Lane>> {
        let mut state = held(&self.state);
        if let Some(lane) = state.open.get(destination) {
            lane.offer(kind);
            return None;
        }
        if destination.is_webhook() {
            if state.count_of_webhooks() >= self.limits.webhook_lanes {
                state.wait(destination, kind);
                return None;
            }
            state.waiting.retain(|(waits, _)| waits != destination);
        }
        Some(state.open(destination.clone(), kind, self.limits))
    }

    /// Whether the time slice of a lane, in which at least one try has begun, is over while others wait for one: it then finishes its tries
    /// and begins no more. Otherwise, slow receivers with many messages would keep all lanes.
    pub(super) fn is_over(&self, lane: &Lane) -> bool {
        lane.destination.is_webhook()
            && lane.has_begun.load(Ordering::Relaxed)
            && lane.opened.elapsed() >= self.limits.webhook_time_slice
            && !held(&self.state).waiting.is_empty()
    }

    /// Closes a lane that has no work left, whose destination is paused, or whose time slice is over. In the last case its destination waits
    /// for the next one if it has work.
    pub(super) fn close(&self, lane: &Lane, is_paused: bool, is_over: bool) -> Closing {
        let mut state = held(&self.state);
        if let Some(kind) = lane.first_kind()
            && !is_paused
        {
            if !is_over {
                return Closing::Stays;
            }
            state.wait(&lane.destination, kind);
        }
        state.open.remove(&lane.destination);
        if !lane.destination.is_webhook() {
            return Closing::Closed(None);
        }
        let next = state.waiting.pop_front();
        Closing::Closed(next.map(|(destination, kind)| state.open(destination, kind, self.limits)))
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
        let mut state = held(&self.lanes.state);
        let open = state.open.get(&self.lane.destination);
        if open.is_some_and(|open| Arc::ptr_eq(open, &self.lane)) {
            state.open.remove(&self.lane.destination);
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
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;

    const NOW: Instant = Instant::from_micros(0);

    fn destination(number: usize) -> Destination {
        Destination::new(format!("webhook:{number}"))
    }

    /// Lanes for two receivers of webhooks, whose time slices are over at once.
    fn two_lanes() -> Lanes {
        Lanes::new(Limits {
            webhook_lanes: 2,
            webhook_time_slice: Duration::ZERO,
            ..Limits::default()
        })
    }

    /// Closes a lane without work, or whose time slice is over; returns the destination that has its lane now.
    fn closed(lanes: &Lanes, lane: &Lane, is_over: bool) -> Option<Arc<Lane>> {
        match lanes.close(lane, false, is_over) {
            Closing::Stays => panic!("it stays open"),
            Closing::Closed(next) => next,
        }
    }

    #[test]
    fn a_bounded_number_of_lanes_is_open_and_those_that_wait_get_them_in_order() {
        let lanes = two_lanes();
        let open = |number| lanes.offer(&destination(number), JobKind::StockCover);
        let first = open(0).unwrap();
        let second = open(1).unwrap();
        for number in [3, 2, 3] {
            assert!(open(number).is_none());
        }
        assert!(lanes.offer(&Destination::MAIL, JobKind::CodeMail).is_some());
        assert!(matches!(lanes.close(&first, false, false), Closing::Stays));
        assert_eq!(first.next_kind(), Some(JobKind::StockCover));
        let next = closed(&lanes, &first, false).unwrap();
        assert_eq!(next.destination, destination(3));

        // One with work whose time slice is over waits behind the others, but each begins a try.
        assert!(!lanes.is_over(&second));
        second.note_begun();
        assert!(lanes.is_over(&second));
        let next = closed(&lanes, &second, true).unwrap();
        assert_eq!(next.destination, destination(2));
        assert_eq!(next.next_kind(), Some(JobKind::StockCover));
        let next = closed(&lanes, &next, false).unwrap();
        assert_eq!(next.destination, destination(1));
        assert_eq!(next.next_kind(), Some(JobKind::StockCover));
        assert!(!lanes.is_over(&next));
        assert!(closed(&lanes, &next, false).is_none());
        assert!(open(4).is_some());
    }

    #[test]
    fn a_lane_whose_work_panics_is_closed_but_not_the_next_one_of_its_destination() {
        let lanes = Arc::new(two_lanes());
        let open = || lanes.offer(&destination(1), JobKind::StockCover);
        let first = Work::on(open().unwrap(), &lanes);
        let panics = std::thread::spawn(move || {
            let _works = first;
            std::panic::panic_any("a defect");
        });
        panics.join().unwrap_err();
        let second = Work::on(open().unwrap(), &lanes);
        assert_eq!(second.lane.next_kind(), Some(JobKind::StockCover));
        assert!(closed(&lanes, &second.lane, false).is_none());
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
                pause.begin(now, now, Uuid::nil(), None)
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
        pauses.change(&mail, |pause| pause.begin(NOW, NOW, Uuid::nil(), None));
        let until = pauses.of(&mail).until().unwrap();
        assert!(pauses.change(&mail, |pause| pause.end(until)));
        assert!(held(&pauses.0).is_empty());
    }
}
