//! One response cache in front of the surfaces of a process: `surface → hit | single flight → layers → routes`.
//!
//! An answer is found by surface, path and query, and passes none of the surface's layers. Which answers are stored, their own
//! `Cache-Control` says ([`fill`]). One is fresh for [`TIME_TO_LIVE`] after core was asked for it, and no longer than until a
//! change comes through this process ([`rpc_client::Changes`]). Then core is asked again, once for all who want the same
//! ([`front`]). Nothing is deleted because of a change: while core cannot be reached, an older answer is served, marked with its
//! age.

mod asked;
mod entry;
mod fill;
mod flight;
mod front;

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

/// How long an answer is fresh after core was asked for it. Others join a flight for as long. So clients of other edges see a change
/// within half of the promised second; the other half is for slow machines.
const TIME_TO_LIVE: Duration = Duration::from_millis(500);

/// Settings of the response cache. Flatten them into an edge's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Cache")]
pub struct CacheSettings {
    /// Megabytes for public answers, which are cached for half a second; 0 caches none
    #[arg(long, env = "MUSTER_CACHE_MB", value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(0..=65_536))]
    pub cache_mb: u32,
    /// While core cannot be reached, public answers from the cache are served up to this age in seconds, even if they have changed since; 0
    /// serves none
    #[arg(long, env = "MUSTER_STALE_SECONDS", value_name = "SECONDS", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(0..=300))]
    pub stale_seconds: u32,
}

/// Options of a response cache.
#[derive(Debug, Clone, Copy)]
pub struct CacheOptions {
    /// How much it may take.
    pub max_bytes: u64,
    /// How old an answer may be while core cannot be reached.
    pub max_stale: Duration,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            max_stale: Duration::from_mins(5),
        }
    }
}

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

impl CacheSettings {
    /// Returns the cache that they describe, if any, for a process through which these changes come.
    pub fn cache(&self, changes: &Changes) -> Option<ResponseCache> {
        let options = CacheOptions {
            max_bytes: u64::from(self.cache_mb) << 20,
            max_stale: Duration::from_secs(self.stale_seconds.into()),
        };
        (options.max_bytes > 0).then(|| ResponseCache::new(options, changes.clone()))
    }
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
