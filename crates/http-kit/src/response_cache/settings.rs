//! Settings of the response cache.

use std::time::Duration;

use rpc_client::Changes;

use super::ResponseCache;

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
