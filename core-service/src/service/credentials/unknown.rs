//! Credentials that this core has not seen to be valid. To look one up costs a query, and anybody can make them up.

use std::net::IpAddr;

use moka::{policy::EvictionPolicy, sync::Cache};
use process::networks::subscriber;

use super::{Hash, TRUST_SECONDS};
use crate::{
    domain::{
        clock::Clock,
        instant::Instant,
        rate::{Limit, Period},
    },
    service::{Error, limits::Limiter},
};

/// How many of them are looked up for one client in a minute: enough for the first calls of many people behind one address.
const LOOK_UPS: u32 = 300;

/// Maximum number of refused credentials that are remembered, about 1 MB. Beyond it, the least recently used are evicted.
const REMEMBERED: u64 = 10_000;

/// What is known about them.
#[derive(Debug)]
pub(super) struct Unknown {
    /// When they were refused.
    refused: Cache<Hash, Instant>,
    look_ups: Option<Limiter<IpAddr>>,
}

impl Unknown {
    pub(super) fn new(clock: &Clock) -> Self {
        let cache = Cache::builder().max_capacity(REMEMBERED);
        Self {
            refused: cache.eviction_policy(EvictionPolicy::lru()).build(),
            look_ups: Limiter::new("unknown-keys", Limit::new(LOOK_UPS, Period::Minute), clock),
        }
    }

    /// Whether a credential was refused a moment ago. A key that is made later has another hash.
    pub(super) fn was_refused(&self, hash: &Hash, now: Instant) -> bool {
        let refused = self.refused.get(hash);
        refused.is_some_and(|at| at <= now && now < at.plus_seconds(TRUST_SECONDS))
    }

    pub(super) fn refuse(&self, hash: Hash, now: Instant) {
        self.refused.insert(hash, now);
    }

    /// Counts a look-up for a client, whose address is not always known.
    pub(super) fn count(&self, client: Option<IpAddr>) -> Result<(), Error> {
        let (Some(limiter), Some(client)) = (&self.look_ups, client) else {
            return Ok(());
        };
        let counted = limiter.count(&subscriber(client));
        counted
            .map(|_allowance| ())
            .map_err(|wait| Error::TooManyUnknownKeys { wait })
    }
}
