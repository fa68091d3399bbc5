//! The idempotency keys that are in use in this process. The database knows them too, but a call that waits there holds a
//! connection, and on SQLite the only writer.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{idempotency::KeyedCall, ids::AccountId};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::service::Error;

type Key = (AccountId, [u8; 32]);

/// The running calls with a key. Clones share it.
#[derive(Debug, Clone, Default)]
pub(in crate::service) struct UnderWay(Arc<Mutex<HashMap<Key, watch::Receiver<()>>>>);

/// A call that holds the key until this is dropped.
pub(super) struct Entered {
    all: UnderWay,
    key: Key,
    /// Dropping it wakes the waiting calls.
    _end: watch::Sender<()>,
}

/// An earlier call with the same key.
pub(super) struct Earlier(watch::Receiver<()>);

impl UnderWay {
    /// Claims the key of a call, unless an earlier call holds it.
    pub(super) fn enter(&self, call: &KeyedCall) -> Result<Entered, Earlier> {
        let key = (call.account, call.key_hash);
        match self.lock().entry(key) {
            Entry::Occupied(earlier) => Err(Earlier(earlier.get().clone())),
            Entry::Vacant(place) => {
                let (end, ended) = watch::channel(());
                place.insert(ended);
                Ok(Entered {
                    all: self.clone(),
                    key,
                    _end: end,
                })
            }
        }
    }

    /// A panic cannot leave the value in a bad state.
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, watch::Receiver<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.all.lock().remove(&self.key);
    }
}

impl Earlier {
    /// Waits until the earlier call has ended.
    pub(super) async fn ended(mut self, until: Instant) -> Result<(), Error> {
        // The sender sends nothing; dropping it ends the wait.
        let ended = timeout_at(until, self.0.changed()).await;
        match ended {
            Ok(_) => Ok(()),
            Err(_elapsed) => Err(Error::IdempotencyKeyInUse),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn call(key: &str) -> KeyedCall {
        let account = AccountId::new(uuid::Uuid::nil());
        KeyedCall::new(account, key, "/rpc", b"request")
    }

    #[tokio::test]
    async fn a_key_is_free_again_when_its_call_has_ended() {
        let under_way = UnderWay::default();
        let first = under_way.enter(&call("a")).ok().unwrap();
        assert!(under_way.enter(&call("b")).is_ok());
        let soon = Instant::now() + Duration::from_millis(20);
        let Err(earlier) = under_way.enter(&call("a")) else {
            panic!("the key is taken");
        };
        assert!(earlier.ended(soon).await.is_err());
        assert!(Instant::now() >= soon);

        let Err(earlier) = under_way.enter(&call("a")) else {
            panic!("the key is taken");
        };
        drop(first);
        let later = Instant::now() + Duration::from_mins(1);
        earlier.ended(later).await.unwrap();
        assert!(under_way.enter(&call("a")).is_ok());
        assert!(under_way.lock().is_empty());
    }
}
