//! When keys were used, gathered so that a request costs no write.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::domain::{ids::KeyId, instant::Instant};

/// The latest use of each key since they were last taken to be written down; at most one entry for a key that exists.
#[derive(Debug, Clone, Default)]
pub struct KeyUses(Arc<Mutex<HashMap<KeyId, Instant>>>);

impl KeyUses {
    /// Notes that a key was used.
    pub fn record(&self, key: KeyId, at: Instant) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, at);
    }

    /// Takes out what was noted.
    pub fn take(&self) -> Vec<(KeyId, Instant)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
            .into_iter()
            .collect()
    }
}
