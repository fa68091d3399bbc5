//! Uses of keys, sessions and grants, collected in memory so that a request costs no write.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{
    ids::{GrantId, KeyId, SessionId},
    instant::Instant,
};

/// The latest use of each credential that is not stored yet; at most one entry for each.
#[derive(Debug, Clone)]
pub struct Uses<I>(Arc<Mutex<HashMap<I, Instant>>>);

/// Uses of keys.
pub type KeyUses = Uses<KeyId>;

/// Uses of sessions.
pub type SessionUses = Uses<SessionId>;

/// Uses of what people agreed to, by the access tokens that follow from it.
pub type GrantUses = Uses<GrantId>;

impl<I> Default for Uses<I> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<I: Hash + Eq> Uses<I> {
    /// Records a use.
    pub fn record(&self, id: I, at: Instant) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, at);
    }

    /// Records uses again that could not be stored, as far as there is no later one.
    pub fn put_back(&self, uses: Vec<(I, Instant)>) {
        let mut recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, at) in uses {
            recorded.entry(id).or_insert(at);
        }
    }

    /// Takes all recorded uses.
    pub fn take(&self) -> Vec<(I, Instant)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
            .into_iter()
            .collect()
    }
}
