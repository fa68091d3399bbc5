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

/// How many changes are visible, by shard, as of one moment. Each number belongs to a row that is locked until its change is committed, so a
/// reader that sees a number sees all changes up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueVersion(pub Vec<ShardVersion>);

/// How many changes a shard of the events had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardVersion {
    /// Its number.
    pub shard: i32,
    /// Changes of what the catalogue shows, but for seats.
    pub catalogue: i64,
    /// Changes of how many seats are left.
    pub seats: i64,
}

impl CatalogueVersion {
    /// All changes.
    pub fn total(&self) -> i64 {
        let seats = self.0.iter().map(|shard| shard.seats);
        self.catalogue() + seats.sum::<i64>()
    }

    /// Those of what the catalogue shows, but for seats.
    pub fn catalogue(&self) -> i64 {
        self.0.iter().map(|shard| shard.catalogue).sum()
    }

    /// What an earlier version had in those shards in which seats have changed since.
    pub fn changed_seats_since(&self, earlier: &Self) -> Vec<ShardVersion> {
        let pairs = earlier.0.iter().zip(&self.0);
        let changed = pairs.filter(|(before, after)| before.seats != after.seats);
        changed.map(|(before, _)| *before).collect()
    }

    /// Whether everything is visible here that was visible there.
    pub fn has_all_of(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len()
            && pairs.all(|(own, other)| {
                own.shard == other.shard
                    && own.catalogue >= other.catalogue
                    && own.seats >= other.seats
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_all_of_another_in_each_shard() {
        let version = |shards: &[(i64, i64)]| {
            let shards = (0..).zip(shards);
            let shards = shards.map(|(shard, &(catalogue, seats))| ShardVersion {
                shard,
                catalogue,
                seats,
            });
            CatalogueVersion(shards.collect())
        };
        let current = version(&[(3, 5), (2, 0)]);
        assert!(current.has_all_of(&current));
        assert!(version(&[(3, 6), (9, 0)]).has_all_of(&current));
        // The same sums.
        assert!(!version(&[(2, 5), (3, 0)]).has_all_of(&current));
        assert!(!version(&[(3, 4), (2, 1)]).has_all_of(&current));
        assert!(!version(&[(3, 5)]).has_all_of(&current));
    }
}
