//! How many changes of the catalogue have been committed, and when it changes by itself.

use crate::domain::instant::Instant;

/// Everything that decides what the catalogue shows, as of one moment. Two that are equal show the same: each change raises a number of the
/// version, and an event that ends between two moments is the next end of the first and not of the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueState {
    /// What was committed.
    pub version: CatalogueVersion,
    /// When the next event of the catalogue ends.
    pub next_end: Option<Instant>,
}

/// As of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueVersion {
    /// Changes of what it shows, but for seats.
    pub catalogue: i64,
    /// Changes of how many seats are left, by shard.
    pub seats: Vec<ShardVersion>,
}

/// How many changes of seats a shard of the events had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardVersion {
    /// Its number.
    pub shard: i32,
    /// Their number.
    pub version: i64,
}

impl CatalogueVersion {
    /// All changes.
    pub fn total(&self) -> i64 {
        let seats = self.seats.iter().map(|shard| shard.version);
        self.catalogue + seats.sum::<i64>()
    }

    /// What an earlier version had in those shards that have changed since.
    pub fn changed_since(&self, earlier: &Self) -> Vec<ShardVersion> {
        let pairs = earlier.seats.iter().zip(&self.seats);
        let changed = pairs.filter(|(before, after)| before != after);
        changed.map(|(before, _)| *before).collect()
    }
}
