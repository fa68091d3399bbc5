//! The pause of a destination that does not work: first nothing is sent there, then one job at a time, to see whether it works
//! again.

use std::time::Duration;

use domain::instant::Instant;
use uuid::Uuid;

use super::backoff;

/// Seconds of the first pause: enough for a server to restart.
const INITIAL_SECONDS: i64 = 5;

/// Seconds of the longest pause: how long mails may still wait after a long outage.
const MAX_SECONDS: i64 = 300;

/// Seconds of the longest pause that a destination can ask for.
const MAX_ASKED_SECONDS: i64 = 3_600;

/// The pause of a destination.
#[derive(Debug, Clone, Default)]
pub(super) enum Pause {
    /// The destination works.
    #[default]
    None,
    /// It did not work. Nothing is sent until then; after that, one job at a time.
    Until { at: Instant, seconds: i64 },
}

impl Pause {
    /// How many more jobs may be started, with `free` slots and `running` tries.
    pub(super) fn admits(&self, now: Instant, free: usize, running: usize) -> usize {
        match self {
            Self::None => free,
            Self::Until { at, .. } if now < *at => 0,
            Self::Until { .. } => usize::from(running == 0).min(free),
        }
    }

    /// The destination worked in a try that started then. Returns true if that ends a pause. A try that was running when the
    /// pause began does not end it: a server that refuses every second connection must not be overloaded.
    pub(super) fn end(&mut self, started: Instant) -> bool {
        let ends = matches!(self, Self::Until { at, .. } if started >= *at);
        if ends {
            *self = Self::None;
        }
        ends
    }

    /// The destination did not work in a try that started then. Begins a pause, or a longer one after an earlier one. Returns
    /// its seconds, or `None` for a try that was running when the pause began.
    pub(super) fn begin(
        &mut self,
        now: Instant,
        started: Instant,
        subject: Uuid,
        asked: Option<Duration>,
    ) -> Option<i64> {
        let seconds = match self {
            Self::None => INITIAL_SECONDS,
            Self::Until { at, .. } if started < *at => return None,
            Self::Until { seconds, .. } => seconds.saturating_mul(2).min(MAX_SECONDS),
        };
        let asked = asked.map_or(0, |wait| i64::try_from(wait.as_secs()).unwrap_or(i64::MAX));
        let wait = seconds.max(asked.min(MAX_ASKED_SECONDS));
        let at = now.plus_seconds(backoff::spread(wait, subject));
        *self = Self::Until { at, seconds };
        Some(seconds)
    }

    /// When the pause ends; `None` without a pause.
    pub(super) const fn until(&self) -> Option<Instant> {
        match self {
            Self::None => None,
            Self::Until { at, .. } => Some(*at),
        }
    }

    /// When a job that met the pause may be tried again: after those that have waited longer.
    pub(super) const fn due_at(&self, now: Instant) -> Instant {
        match self {
            Self::None => now.plus_seconds(INITIAL_SECONDS),
            Self::Until { at, .. } => *at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Instant = Instant::from_micros(0);

    #[test]
    fn a_pause_grows_while_it_is_in_vain_and_not_beyond_five_minutes() {
        let (mut pause, mut now) = (Pause::default(), START);
        let mut waits = Vec::new();
        for _ in 0..8 {
            let started = now;
            waits.push(pause.begin(now, started, Uuid::nil(), None).unwrap());
            assert_eq!(pause.begin(now, started, Uuid::nil(), None), None);
            assert!(!pause.end(started));
            assert_eq!(pause.admits(now, 16, 0), 0);
            now = pause.due_at(now);
        }
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300]);
        assert!(pause.end(now));
        assert!(!pause.end(now));
        assert_eq!(pause.begin(now, now, Uuid::nil(), None), Some(5));
    }

    #[test]
    fn after_a_pause_one_job_goes_ahead() {
        let mut pause = Pause::default();
        assert_eq!(pause.admits(START, 16, 0), 16);
        pause.begin(START, START, Uuid::max(), None);
        assert_eq!(pause.due_at(START), START.plus_seconds(6));
        let now = START.plus_seconds(6);
        assert_eq!(pause.admits(now, 16, 0), 1);
        assert_eq!(pause.admits(now, 15, 1), 0);
        pause.end(now);
        assert_eq!(pause.admits(now, 15, 1), 15);
    }
}
