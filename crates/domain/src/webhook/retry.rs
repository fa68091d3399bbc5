//! When a delivery that failed is tried again, and when a webhook is given up.

use uuid::Uuid;

use super::{DisabledReason, Webhook};
use crate::instant::Instant;

/// Seconds after each attempt until the next one: the first is at once, the last three days later. Receivers can be down for a weekend.
const WAITS_SECONDS: [i64; 9] = [5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400];

/// How many attempts a delivery has.
pub const MAX_ATTEMPTS: i32 = 10;

/// The longest wait in seconds that a receiver can ask for by `Retry-After`: as long as the longest wait without it. A receiver that asks for a
/// year would get no message before it is deleted.
pub const MAX_RETRY_AFTER_SECONDS: u32 = 24 * 60 * 60;

/// After how many seconds of failures the owners are mailed.
pub const WARNED_AFTER_SECONDS: i64 = 24 * 60 * 60;

/// After how many seconds of failures a webhook is disabled.
pub const DISABLED_AFTER_SECONDS: i64 = 5 * 24 * 60 * 60;

/// The status by which a receiver says that it wants no more (RFC 9110, section 15.5.11).
const GONE: i32 = 410;

/// The jitter as a divisor of the wait.
const JITTER_DIVISOR: i64 = 5;

/// Seconds until the next attempt after so many, or `None` after the last one. The jitter is of the message's random id, so that those of
/// one time spread.
pub fn wait_seconds(attempts: i32, message: Uuid) -> Option<i64> {
    let index = usize::try_from(attempts).ok()?.checked_sub(1)?;
    let wait = *WAITS_SECONDS.get(index)?;
    let [.., high, low] = *message.as_bytes();
    let draw = i64::from(u16::from_be_bytes([high, low]));
    Some(wait + wait * draw / i64::from(u16::MAX) / JITTER_DIVISOR)
}

/// A webhook after an attempt that failed, with this status if there was an answer.
#[must_use]
pub fn after_failure(webhook: &Webhook, status: Option<i32>, now: Instant) -> Webhook {
    let since = webhook.failing_since.unwrap_or(now);
    let failing = Webhook {
        failing_since: Some(since),
        ..webhook.clone()
    };
    if status == Some(GONE) {
        return failing.disabled(DisabledReason::Gone, now);
    }
    still_failing(failing, now)
}

/// A webhook that is active and of which every attempt until now has failed. The last attempts of a message are a day apart, so it is also
/// decided without one.
#[must_use]
pub fn still_failing(failing: Webhook, now: Instant) -> Webhook {
    let Some(since) = failing.failing_since else {
        return failing;
    };
    if now >= since.plus_seconds(DISABLED_AFTER_SECONDS) {
        return failing.disabled(DisabledReason::Failing, now);
    }
    if failing.warned_at.is_none() && now >= since.plus_seconds(WARNED_AFTER_SECONDS) {
        return Webhook {
            warned_at: Some(now),
            ..failing
        };
    }
    failing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_ten_attempts_over_three_days() {
        let waits: Vec<_> = (1..MAX_ATTEMPTS)
            .map(|attempts| wait_seconds(attempts, Uuid::nil()))
            .collect();
        assert_eq!(waits, WAITS_SECONDS.map(Some));
        assert_eq!(wait_seconds(MAX_ATTEMPTS, Uuid::nil()), None);
        assert_eq!(wait_seconds(0, Uuid::nil()), None);
        assert_eq!(wait_seconds(1, Uuid::max()), Some(6));
    }
}
