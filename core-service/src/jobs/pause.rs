//! The pause for a destination that does not work: nothing is sent there, and then one job alone, to see whether it does again.

use uuid::Uuid;

use super::backoff;
use crate::domain::instant::Instant;

/// Seconds of the first pause: a server that restarts is back by then.
const FIRST_SECONDS: i64 = 5;

/// Seconds of the longest: how long mail may at most go on waiting after a long outage has ended.
const LONGEST_SECONDS: i64 = 300;

/// What is known of a destination.
#[derive(Debug, Clone, Default)]
pub(super) enum Pause {
    /// It works, as far as is known.
    #[default]
    None,
    /// It did not, and is left alone until then; afterwards one job at a time is tried.
    Until { at: Instant, seconds: i64 },
}

impl Pause {
    /// How many more jobs may be started, of `free` slots, while `running` are under way.
    pub(super) fn admits(&self, now: Instant, free: usize, running: usize) -> usize {
        match self {
            Self::None => free,
            Self::Until { at, .. } if now < *at => 0,
            Self::Until { .. } => usize::from(running == 0).min(free),
        }
    }

    /// The destination did its part in a try that was started then; true when that ends a pause. What was under way when the
    /// pause began ends nothing: a server that refuses every second connection is not to be hammered.
    pub(super) fn end(&mut self, started: Instant) -> bool {
        let ends = matches!(self, Self::Until { at, .. } if started >= *at);
        if ends {
            *self = Self::None;
        }
        ends
    }

    /// The destination did not work for a try that was started then: begins a pause, or after one that was in vain a longer
    /// one. Answers its seconds; nothing for what was under way when the pause began.
    pub(super) fn begin(&mut self, now: Instant, started: Instant, subject: Uuid) -> Option<i64> {
        let seconds = match self {
            Self::None => FIRST_SECONDS,
            Self::Until { at, .. } if started < *at => return None,
            Self::Until { seconds, .. } => seconds.saturating_mul(2).min(LONGEST_SECONDS),
        };
        let at = now.plus_seconds(backoff::spread(seconds, subject));
        *self = Self::Until { at, seconds };
        Some(seconds)
    }

    /// Until when the destination is left alone, unless it works.
    pub(super) const fn until(&self) -> Option<Instant> {
        match self {
            Self::None => None,
            Self::Until { at, .. } => Some(*at),
        }
    }

    /// When a job that met the pause may be tried: after those that have waited for longer.
    pub(super) const fn due_at(&self, now: Instant) -> Instant {
        match self {
            Self::None => now.plus_seconds(FIRST_SECONDS),
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
            waits.push(pause.begin(now, started, Uuid::nil()).unwrap());
            assert_eq!(pause.begin(now, started, Uuid::nil()), None);
            assert!(!pause.end(started));
            assert_eq!(pause.admits(now, 16, 0), 0);
            now = pause.due_at(now);
        }
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300]);
        assert!(pause.end(now));
        assert!(!pause.end(now));
        assert_eq!(pause.begin(now, now, Uuid::nil()), Some(5));
    }

    #[test]
    fn after_a_pause_one_job_goes_ahead() {
        let mut pause = Pause::default();
        assert_eq!(pause.admits(START, 16, 0), 16);
        pause.begin(START, START, Uuid::max());
        assert_eq!(pause.due_at(START), START.plus_seconds(6));
        let now = START.plus_seconds(6);
        assert_eq!(pause.admits(now, 16, 0), 1);
        assert_eq!(pause.admits(now, 15, 1), 0);
        pause.end(now);
        assert_eq!(pause.admits(now, 15, 1), 15);
    }
}
