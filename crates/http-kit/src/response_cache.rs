//! One response cache in front of the surfaces of a process: `surface → hit | single flight → layers → routes`.
//!
//! An answer is found by surface, path and query, and passes none of the surface's layers. Which answers are stored, their own
//! `Cache-Control` says ([`policy`]). One is fresh for [`TIME_TO_LIVE`] after core was asked for it, and no longer than until a
//! change comes through this process ([`rpc_client::Changes`]). Then core is asked again, once for all who want the same
//! ([`front`]). Nothing is deleted because of a change: while core cannot be reached, an older answer is served, marked with its
//! age.

mod asked;
mod entry;
mod fill;
mod flight;
mod front;
mod policy;
mod settings;

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use moka::sync::Cache;
use rpc_client::Changes;
use server::metrics;

use self::{
    asked::{Key, RequestKey},
    entry::Entry,
    fill::Outcome,
    flight::Flights,
};

pub(super) use front::{Front, Lookup};
pub use settings::{CacheOptions, CacheSettings};

/// How long an answer is fresh after core was asked for it. Others join a flight for as long. So clients of other edges see a change
/// within half of the promised second; the other half is for slow machines.
const TIME_TO_LIVE: Duration = Duration::from_millis(500);

/// A response cache. Clones share it.
#[derive(Debug, Clone)]
pub struct ResponseCache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    max_stale: Duration,
    /// By the keyed hashes of their keys.
    entries: Cache<u64, Arc<Entry>>,
    hasher: RandomState,
    flights: Flights<(Key, u64), Outcome>,
    changes: Changes,
    hits: AtomicU64,
    misses: AtomicU64,
    stale: AtomicU64,
}

/// How often a cache was of use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Fresh answers.
    pub hits: u64,
    /// Answers that core was asked for, and that were stored.
    pub misses: u64,
    /// Older answers, since core could not be reached.
    pub stale: u64,
}

/// Where an answer is from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Fresh,
    Core,
    Stale,
}

impl ResponseCache {
    /// Returns an empty cache for a process through which these changes come.
    pub fn new(options: CacheOptions, changes: Changes) -> Self {
        let CacheOptions {
            max_bytes,
            max_stale,
        } = options;
        let weigh = |_: &u64, entry: &Arc<Entry>| u32::try_from(entry.weight()).unwrap_or(u32::MAX);
        let entries = Cache::builder().max_capacity(max_bytes).weigher(weigh);
        Self(Arc::new(Shared {
            max_stale,
            entries: entries.time_to_live(TIME_TO_LIVE + max_stale).build(),
            hasher: RandomState::new(),
            flights: Flights::default(),
            changes,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            stale: AtomicU64::new(0),
        }))
    }

    /// Returns how often it was of use so far.
    pub fn counts(&self) -> CacheCounts {
        let Shared {
            hits,
            misses,
            stale,
            ..
        } = &*self.0;
        CacheCounts {
            hits: hits.load(Relaxed),
            misses: misses.load(Relaxed),
            stale: stale.load(Relaxed),
        }
    }

    /// Returns the entry of a key, fresh or not.
    fn get(&self, key: RequestKey<'_>) -> Option<Arc<Entry>> {
        let entry = self.0.entries.get(&self.hash(key))?;
        (entry.basis.key.borrowed() == key).then_some(entry)
    }

    fn insert(&self, entry: Arc<Entry>) {
        let hash = self.hash(entry.basis.key.borrowed());
        self.0.entries.insert(hash, entry);
    }

    fn invalidate(&self, key: RequestKey<'_>) {
        self.0.entries.invalidate(&self.hash(key));
    }

    fn hash(&self, key: RequestKey<'_>) -> u64 {
        self.0.hasher.hash_one(key)
    }

    fn is_fresh(&self, entry: &Entry) -> bool {
        entry.age() < TIME_TO_LIVE && self.0.changes.is_current(&entry.basis.generation)
    }

    /// Whether an entry may be served while core cannot be reached.
    fn may_be_stale(&self, entry: &Entry) -> bool {
        entry.age() < self.0.max_stale
    }

    fn count(&self, source: Source) {
        let (counter, name) = match source {
            Source::Fresh => (&self.0.hits, "hit"),
            Source::Core => (&self.0.misses, "miss"),
            Source::Stale => (&self.0.stale, "stale"),
        };
        counter.fetch_add(1, Relaxed);
        metrics::measure(|all| all.cache_answers.add_one([name.into()]));
    }
}
