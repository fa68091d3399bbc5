//! Bounds of the runner.

use std::time::Duration;

use domain::job::Destination;

/// How long a lease lasts after the time limits of its tries: enough to record the outcomes on a slow database.
const LEASE_SLACK: Duration = Duration::from_secs(30);

/// The fraction of the claims that must be free before more jobs are claimed, as a divisor: several tries share a transaction,
/// and most slots stay busy.
const CLAIM_DIVISOR: usize = 4;

/// How many times as long as a transaction took a lane rests afterwards. Transactions become slow when the database or the machine is
/// busy. Then calls, for which someone waits, go before jobs, which may be done a little later.
const REST_FACTOR: u32 = 9;

/// Bounds of a runner.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Of one receiver of webhooks.
    pub webhook: LaneLimits,
    /// Of each other destination.
    pub other: LaneLimits,
    /// To how many receivers of webhooks messages are posted at a time.
    pub webhook_lanes: usize,
    /// The time slice of one of them: how long it begins tries while others wait for its lane.
    pub webhook_time_slice: Duration,
    /// How often to look for due jobs, and how long to wait after a failure of the database.
    pub poll_interval: Duration,
}

/// Bounds of the work for one destination.
#[derive(Debug, Clone, Copy)]
pub struct LaneLimits {
    /// Maximum number of concurrent tries.
    pub slots: usize,
    /// How many jobs are claimed for each slot, which does them one after another.
    pub rounds: usize,
    /// How long one try may take.
    pub timeout: Duration,
    /// How long the lane rests between two transactions at most.
    pub max_rest: Duration,
}

impl LaneLimits {
    /// Of the mail server, and of other destinations that the operator chose.
    pub const OTHER: Self = Self {
        // Mail servers commonly accept ten to twenty connections from one client.
        slots: 16,
        rounds: 1,
        // A mail server may take a minute to greet; nothing useful takes longer.
        timeout: Duration::from_mins(1),
        max_rest: Duration::from_secs(1),
    };

    /// Of a receiver of webhooks.
    pub const WEBHOOK: Self = Self {
        // It is often one small process.
        slots: 4,
        // It answers faster than the database commits, and would otherwise wait for the next claim most of the time.
        rounds: 4,
        // It has 15 s; the rest is for the database.
        timeout: Duration::from_secs(20),
        // It is a program, and its message is to leave soon even when the database is busy.
        max_rest: Duration::from_millis(80),
    };

    /// How many jobs are claimed at a time.
    pub(super) const fn claims(&self) -> usize {
        self.slots.saturating_mul(self.rounds)
    }

    /// How many claims must be free before more jobs are claimed, while tries run.
    pub(super) const fn enough_claims(&self) -> usize {
        self.claims().div_ceil(CLAIM_DIVISOR)
    }

    /// How long a claim lasts: until the last of the tries that are claimed together has ended.
    pub(super) fn lease(&self) -> Duration {
        let rounds = u32::try_from(self.rounds).unwrap_or(u32::MAX);
        self.timeout
            .saturating_mul(rounds)
            .saturating_add(LEASE_SLACK)
    }

    /// How long to rest after a transaction that took this long.
    pub(super) fn rest_after(&self, transaction: Duration) -> Duration {
        transaction.saturating_mul(REST_FACTOR).min(self.max_rest)
    }
}

impl Limits {
    /// Of the work for a destination.
    pub(super) fn of(&self, destination: &Destination) -> LaneLimits {
        if destination.is_webhook() {
            self.webhook
        } else {
            self.other
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            webhook: LaneLimits::WEBHOOK,
            other: LaneLimits::OTHER,
            webhook_lanes: 256,
            // With the time of a try, a lane is free again within 20 s.
            webhook_time_slice: Duration::from_secs(5),
            // Short enough to seem immediate, at the cost of a few index look-ups per second.
            poll_interval: Duration::from_secs(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_outlasts_all_tries_that_are_claimed_with_it() {
        assert_eq!(LaneLimits::OTHER.lease(), Duration::from_secs(60 + 30));
        assert_eq!(
            LaneLimits::WEBHOOK.lease(),
            Duration::from_secs(4 * 20 + 30)
        );
    }

    #[test]
    fn a_lane_rests_longer_the_slower_the_database_is() {
        let rest = |millis| LaneLimits::OTHER.rest_after(Duration::from_millis(millis));
        assert_eq!(rest(2), Duration::from_millis(18));
        assert_eq!(rest(500), Duration::from_secs(1));
        let webhook = LaneLimits::WEBHOOK.rest_after(Duration::from_millis(500));
        assert_eq!(webhook, Duration::from_millis(80));
    }
}
