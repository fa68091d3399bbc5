//! What there was, and what was seen.

use std::{
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use serde_json::Value;
use tokio::time::Instant;

/// What the catalogue shows of an event: nothing, or its title and how many seats are left.
pub(super) type Shown = Option<(String, i64)>;

/// One state of an event.
#[derive(Debug, Clone)]
pub(super) struct State {
    shown: Shown,
    /// When the change began that led to it, and when it had been answered.
    begun: Instant,
    done: Option<Instant>,
    /// The edge through which it came, on which it is seen at once.
    through: Option<usize>,
    /// Lists show it within the second, there too.
    is_late_in_lists: bool,
}

/// The states of an event, in the order in which its one writer made them.
#[derive(Debug)]
pub(super) struct History(Mutex<Vec<State>>);

/// What a reader saw of an event.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) event: usize,
    pub(super) edge: usize,
    pub(super) is_list: bool,
    pub(super) shown: Shown,
    pub(super) asked: Instant,
    pub(super) answered: Instant,
    /// How old the answer says that it is.
    pub(super) age: Duration,
}

/// What a list or a detail shows of an event.
pub(super) fn shown(event: &Value) -> (String, i64) {
    let title = event["title"].as_str().unwrap().to_owned();
    (title, event["seats_left"].as_i64().unwrap())
}

impl History {
    pub(super) fn of(shown: Shown) -> Self {
        let now = Instant::now();
        Self(Mutex::new(vec![State {
            shown,
            begun: now,
            done: Some(now),
            through: None,
            is_late_in_lists: false,
        }]))
    }

    /// Notes that a change to this begins; it has ended when [`History::done`] is called.
    pub(super) fn begin(&self, shown: Shown, through: Option<usize>) {
        self.push(shown, through, false);
    }

    /// The same of a change of seats.
    pub(super) fn begin_seats(&self, shown: Shown, through: Option<usize>) {
        self.push(shown, through, true);
    }

    fn push(&self, shown: Shown, through: Option<usize>, is_late_in_lists: bool) {
        self.states().push(State {
            shown,
            begun: Instant::now(),
            done: None,
            through,
            is_late_in_lists,
        });
    }

    pub(super) fn done(&self) {
        self.states().last_mut().unwrap().done = Some(Instant::now());
    }

    /// Whether what was seen was there, no longer ago than the bound. An edge shows its own changes at once, unless core was away in one of
    /// these times since.
    pub(super) fn allows(&self, seen: &Seen, bound: Duration, away: &[(Instant, Instant)]) -> bool {
        let states = self.states();
        let was_away_since = |state: &State| {
            let mut cuts = away.iter();
            cuts.any(|(begun, ended)| {
                let is_later = state.done.is_none_or(|done| done <= *ended);
                is_later && *begun <= seen.answered && seen.asked <= *ended + bound
            })
        };
        let is_over = |state: &State| {
            let is_old = !seen.age.is_zero() && was_away_since(state);
            let is_own = state.through == Some(seen.edge) && !is_old;
            let late = if is_own && !(seen.is_list && state.is_late_in_lists) {
                Duration::ZERO
            } else {
                bound + seen.age
            };
            state.done.is_some_and(|done| done + late < seen.asked)
        };
        // Every state before the last change that all must have seen.
        let first = states.iter().rposition(is_over).unwrap_or(0);
        let allowed = states.iter().skip(first);
        let mut allowed = allowed.filter(|state| state.begun <= seen.answered);
        allowed.any(|state| state.shown == seen.shown)
    }

    fn states(&self) -> MutexGuard<'_, Vec<State>> {
        self.0.lock().unwrap()
    }
}
