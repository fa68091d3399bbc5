//! The counters of a rate limit, which can also be looked at without counting; governor itself only counts.

use std::{convert::Infallible, hash::Hash};

use governor::{
    nanos::Nanos,
    state::{
        StateStore,
        keyed::{HashMapStateStore, ShrinkableKeyedStateStore},
    },
};

/// A key, and what is done with its counter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Access<K> {
    /// It is changed, if the limit allows it.
    Count(K),
    /// It stays as it is.
    Look(K),
}

/// The counters of a limit.
#[derive(Debug)]
pub(super) struct Counters<K: Hash + Eq + Clone>(HashMapStateStore<K>);

impl<K: Hash + Eq + Clone> Default for Counters<K> {
    fn default() -> Self {
        Self(HashMapStateStore::default())
    }
}

impl<K: Hash + Eq + Clone> StateStore for Counters<K> {
    type Key = Access<K>;

    fn measure_and_replace<T, F, E>(&self, key: &Access<K>, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        match key {
            Access::Count(key) => self.0.measure_and_replace(key, decide),
            Access::Look(key) => {
                // What fails is not stored.
                let look = |before| -> Result<(Infallible, Nanos), Result<T, E>> {
                    Err(decide(before).map(|(answer, _)| answer))
                };
                let Err(answer) = self.0.measure_and_replace(key, look);
                answer
            }
        }
    }
}

impl<K: Hash + Eq + Clone> ShrinkableKeyedStateStore<Access<K>> for Counters<K> {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.retain_recent(drop_below);
    }

    fn shrink_to_fit(&self) {
        self.0.shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
