//! How many changes of the catalogue have been committed.

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
