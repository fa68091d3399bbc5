//! Credentials that this core has not seen to be valid. To look one up costs a query, and anyone can make them up.

use std::{net::IpAddr, num::NonZeroU32};

use domain::{
    clock::Clock,
    instant::Instant,
    rate::{Limit, Period},
};
use moka::{policy::EvictionPolicy, sync::Cache};
use server::networks::subscriber;

use super::{Hash, TRUST_SECONDS};
use crate::service::{Error, limits::Limiter};

/// How many that nobody has one client may try in a minute: enough for many people behind one address, of whom some mistype theirs.
const TRIES: u32 = 300;

/// Maximum number of refused credentials that are remembered, about 1 MB. Beyond it, the least recently used are evicted.
const REMEMBERED: u64 = 10_000;

/// What is known about them.
#[derive(Debug)]
pub(super) struct Unknown {
    /// When they were refused.
    refused: Cache<Hash, Instant>,
    tries: Option<Limiter<IpAddr>>,
}

impl Unknown {
    pub(super) fn new(clock: &Clock) -> Self {
        let cache = Cache::builder().max_capacity(REMEMBERED);
        Self {
            refused: cache.eviction_policy(EvictionPolicy::lru()).build(),
            tries: Limiter::new("unknown-keys", Limit::new(TRIES, Period::Minute), clock),
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

    /// Allows a client, whose address is not always known, one more look-up. Refuses one that tried too many.
    pub(super) fn allow(&self, client: Option<IpAddr>) -> Result<LookUp<'_>, Error> {
        let client = client.map(subscriber);
        let tries = self.tries.as_ref().zip(client);
        if let Some((limiter, client)) = tries {
            let checked = limiter.check(&client, NonZeroU32::MIN);
            checked.map_err(|wait| Error::TooManyUnknownKeys { wait })?;
        }
        Ok(LookUp { tries })
    }
}

/// A look-up. It counts for its client when it ends, also by a cancelled call: otherwise resets would make look-ups free.
#[derive(Debug)]
#[must_use]
pub(super) struct LookUp<'a> {
    tries: Option<(&'a Limiter<IpAddr>, IpAddr)>,
}

impl LookUp<'_> {
    /// Does not count it: the credential is valid, or the database is away, which says nothing about the credential.
    pub(super) fn forgive(mut self) {
        self.tries = None;
    }
}

impl Drop for LookUp<'_> {
    fn drop(&mut self) {
        if let Some((limiter, client)) = self.tries {
            // What exceeds the limit was under way with those before. The gate bounds how many are.
            let _ = limiter.count(&client);
        }
    }
}
