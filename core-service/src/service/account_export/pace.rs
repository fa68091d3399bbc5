//! How slowly an export may be read: whoever reads for longer keeps one of few places from others.

use domain::instant::Instant;

/// How long an export may take, whatever its size.
const BASE_TIME_MICROS: i64 = 120_000_000;

/// How many bytes a second are read at least after that, on a slow telephone line. Core writes them a hundred times faster.
const MIN_BYTES: i64 = 8_000;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// How an export goes on. Its time is that of its client: core makes pieces only as fast as they are read.
#[derive(Debug)]
pub(super) struct Pace {
    begun: Instant,
    bytes: i64,
}

impl Pace {
    /// Of an export that begins now.
    pub(super) const fn begin(now: Instant) -> Self {
        Self {
            begun: now,
            bytes: 0,
        }
    }

    /// So many bytes more are read.
    pub(super) fn read(&mut self, bytes: usize) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Whether it is fast enough to go on.
    pub(super) fn is_fast_enough(&self, now: Instant) -> bool {
        let taken = now.micros().saturating_sub(self.begun.micros());
        let reading = self.bytes.saturating_mul(MICROS_PER_SECOND) / MIN_BYTES;
        taken <= BASE_TIME_MICROS.saturating_add(reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_takes_two_minutes_or_goes_on_at_8_kb_a_second() {
        let begun = Instant::from_micros(0);
        let mut pace = Pace::begin(begun);
        assert!(pace.is_fast_enough(begun.plus_seconds(120)));
        assert!(!pace.is_fast_enough(begun.plus_seconds(121)));
        pace.read(16_000);
        assert!(pace.is_fast_enough(begun.plus_seconds(122)));
        assert!(!pace.is_fast_enough(begun.plus_seconds(123)));
        pace.read(80_000_000);
        assert!(pace.is_fast_enough(begun.plus_seconds(10_122)));
    }
}
