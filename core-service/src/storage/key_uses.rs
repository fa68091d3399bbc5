//! Uses of keys, collected in memory so that a request costs no write.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::domain::{ids::KeyId, instant::Instant};

/// The latest use of each key that is not stored yet; at most one entry for each key.
#[derive(Debug, Clone, Default)]
pub struct KeyUses(Arc<Mutex<HashMap<KeyId, Instant>>>);

impl KeyUses {
    /// Records the use of a key.
    pub fn record(&self, key: KeyId, at: Instant) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, at);
    }

    /// Takes all recorded uses.
    pub fn take(&self) -> Vec<(KeyId, Instant)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
            .into_iter()
            .collect()
    }
}
