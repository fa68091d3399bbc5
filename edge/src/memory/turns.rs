//! Of those who need the same at a time, one goes for it.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

/// Who goes for what. Nobody waits for an answer that was asked for before the last news.
#[derive(Debug)]
pub(crate) struct Turns<K: Eq + Hash>(Arc<Mutex<Running<K>>>);

/// Each is there until its sender is dropped.
type Running<K> = HashMap<(K, u64), watch::Receiver<()>>;

/// Whose turn it is.
pub(crate) enum Turn<K: Eq + Hash, F> {
    /// One's own, until it is dropped.
    Own(OwnTurn<K>),
    /// Another one's, until this ends.
    Another(F),
}

/// One's own turn.
pub(crate) struct OwnTurn<K: Eq + Hash> {
    turns: Turns<K>,
    key: (K, u64),
    _end: watch::Sender<()>,
}

impl<K: Eq + Hash> Default for Turns<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash + Clone> Turns<K> {
    /// Takes a turn in an epoch, unless another one has it.
    pub(crate) fn take(
        &self,
        key: K,
        epoch: u64,
    ) -> Turn<K, impl Future<Output = ()> + Send + use<K>> {
        let mut running = self.running();
        let key = (key, epoch);
        if let Some(end) = running.get(&key) {
            let mut end = end.clone();
            return Turn::Another(async move {
                // Nothing is sent: the sender is dropped.
                let _dropped = end.changed().await;
            });
        }
        let (sender, receiver) = watch::channel(());
        running.insert(key.clone(), receiver);
        Turn::Own(OwnTurn {
            turns: Self(Arc::clone(&self.0)),
            key,
            _end: sender,
        })
    }
}

impl<K: Eq + Hash> Turns<K> {
    fn running(&self) -> MutexGuard<'_, Running<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Drop for OwnTurn<K> {
    fn drop(&mut self) {
        self.turns.running().remove(&self.key);
    }
}
