//! Of those who need the same at a time, one goes for it.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;
use tonic::Status;

/// Who goes for what. Nobody waits for an answer that was asked for before the last news.
#[derive(Debug)]
pub(crate) struct Turns<K: Eq + Hash>(Arc<Mutex<Running<K>>>);

/// Each is there until its sender is dropped.
type Running<K> = HashMap<(K, u64), watch::Receiver<Refusal>>;

/// Why who had the turn came back without anything, if that is what all would be told.
type Refusal = Option<Status>;

/// Whose turn it is.
pub(crate) enum Turn<K: Eq + Hash, F> {
    /// One's own, until it is dropped.
    Own(OwnTurn<K>),
    /// Another one's, until this ends, perhaps with a refusal for all who waited.
    Another(F),
}

/// One's own turn.
pub(crate) struct OwnTurn<K: Eq + Hash> {
    turns: Turns<K>,
    key: (K, u64),
    end: watch::Sender<Refusal>,
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
    ) -> Turn<K, impl Future<Output = Refusal> + Send + use<K>> {
        let mut running = self.running();
        let key = (key, epoch);
        if let Some(end) = running.get(&key) {
            let mut end = end.clone();
            return Turn::Another(async move {
                let refusal = end.wait_for(Option::is_some).await;
                // Mostly the sender is dropped instead.
                refusal.ok()?.clone()
            });
        }
        let (sender, receiver) = watch::channel(None);
        running.insert(key.clone(), receiver);
        Turn::Own(OwnTurn {
            turns: Self(Arc::clone(&self.0)),
            key,
            end: sender,
        })
    }
}

impl<K: Eq + Hash> Turns<K> {
    fn running(&self) -> MutexGuard<'_, Running<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> OwnTurn<K> {
    /// Tells those who wait that they need not go as well.
    pub(crate) fn refuse_all(&self, refusal: &Status) {
        self.end.send_replace(Some(refusal.clone()));
    }
}

impl<K: Eq + Hash> Drop for OwnTurn<K> {
    fn drop(&mut self) {
        self.turns.running().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One's own turn, and what another one waits for.
    fn taken() -> (OwnTurn<u8>, impl Future<Output = Refusal>) {
        let turns = Turns::default();
        let Turn::Own(own) = turns.take(1, 0) else {
            panic!("nobody else goes");
        };
        let Turn::Another(end) = turns.take(1, 0) else {
            panic!("somebody goes");
        };
        (own, end)
    }

    #[tokio::test]
    async fn who_waited_is_told_a_refusal_that_is_for_all() {
        let (own, end) = taken();
        own.refuse_all(&Status::unavailable("core is away"));
        drop(own);
        let refusal = end.await.map(|refusal| refusal.message().to_owned());
        assert_eq!(refusal.as_deref(), Some("core is away"));
    }

    #[tokio::test]
    async fn who_waited_goes_as_well_if_nothing_was_told() {
        let (own, end) = taken();
        drop(own);
        assert!(end.await.is_none());
    }
}
