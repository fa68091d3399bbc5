//! When a job that failed is tried again.

use uuid::Uuid;

/// Seconds to wait before each try. The first is at once; the last is nearly two days later, so that a mail server can be down
/// for a weekend. After it the job has failed.
const WAITS_SECONDS: [i64; 9] = [0, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400];

/// The jitter as a divisor of the wait: a fifth spreads jobs that failed at the same time.
const JITTER_DIVISOR: i64 = 5;

/// Seconds until the next try after this many tries, or `None` after the last one.
pub(super) fn wait_seconds(tries: i32, subject: Uuid) -> Option<i64> {
    let wait = *WAITS_SECONDS.get(usize::try_from(tries).ok()?)?;
    Some(spread(wait, subject))
}

/// A wait with jitter, which is taken from the subject's random id, so that jobs of the same time spread.
pub(super) fn spread(wait: i64, subject: Uuid) -> i64 {
    let [.., high, low] = *subject.as_bytes();
    let draw = i64::from(u16::from_be_bytes([high, low]));
    wait + wait * draw / i64::from(u16::MAX) / JITTER_DIVISOR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let waits: Vec<_> = (1..=9)
            .map(|tries| wait_seconds(tries, Uuid::nil()))
            .collect();
        let expected = [
            Some(30),
            Some(120),
            Some(600),
            Some(1_800),
            Some(7_200),
            Some(21_600),
            Some(43_200),
            Some(86_400),
            None,
        ];
        assert_eq!(waits, expected);
    }

    #[test]
    fn jitter_adds_at_most_a_fifth() {
        assert_eq!(wait_seconds(1, Uuid::max()), Some(36));
        assert_eq!(wait_seconds(8, Uuid::max()), Some(103_680));
        assert!(wait_seconds(1, Uuid::from_u128(0x7fff)) < Some(34));
    }
}
