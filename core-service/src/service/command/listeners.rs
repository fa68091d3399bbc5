//! Calls that wait for messages of their account. Each of them is open for seconds, so there are few.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::ids::AccountId;
use tokio::sync::{Notify, futures::Notified};

/// How many calls of an account wait at a time: some programs, each with a call that its client has given up.
const MAX_OF_ACCOUNT: usize = 4;

/// How many calls wait at a time in all. An edge in another process has 200 calls that read under way: most stay for those that do not
/// wait.
const MAX_LISTENERS: usize = 64;

/// Why a call may not wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service) enum TooMany {
    /// As many of its account wait as may.
    OfAccount(usize),
    /// As many of all accounts wait as may.
    InAll,
}

/// The calls that wait. Clones share them.
#[derive(Debug, Clone, Default)]
pub(in crate::service) struct Listeners(Arc<Mutex<HashMap<AccountId, Waiting>>>);

/// Those of an account, of which there is at least one.
#[derive(Debug, Default)]
struct Waiting {
    count: usize,
    recorded: Arc<Notify>,
}

impl Listeners {
    /// Adds a call of an account, which waits until what this returns is dropped.
    pub(in crate::service) fn join(&self, account: AccountId) -> Result<Listener, TooMany> {
        let mut all = self.lock();
        let in_all: usize = all.values().map(|waiting| waiting.count).sum();
        if all
            .get(&account)
            .is_some_and(|waiting| waiting.count >= MAX_OF_ACCOUNT)
        {
            return Err(TooMany::OfAccount(MAX_OF_ACCOUNT));
        }
        if in_all >= MAX_LISTENERS {
            return Err(TooMany::InAll);
        }
        let waiting = all.entry(account).or_default();
        waiting.count += 1;
        Ok(Listener {
            account,
            recorded: Arc::clone(&waiting.recorded),
            listeners: self.clone(),
        })
    }

    /// Wakes the calls of these accounts, which look for messages again.
    pub(super) fn wake(&self, accounts: &[AccountId]) {
        let all = self.lock();
        for waiting in accounts.iter().filter_map(|account| all.get(account)) {
            waiting.recorded.notify_waiters();
        }
    }

    /// A panic cannot leave the numbers in a bad state.
    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that waits.
#[derive(Debug)]
pub(in crate::service) struct Listener {
    account: AccountId,
    recorded: Arc<Notify>,
    listeners: Listeners,
}

impl Listener {
    /// Waits for what is recorded after this was called: whoever calls it before looking misses nothing.
    pub(in crate::service) fn recorded(&self) -> Notified<'_> {
        self.recorded.notified()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut all = self.listeners.lock();
        if let Some(waiting) = all.get_mut(&self.account) {
            waiting.count = waiting.count.saturating_sub(1);
            if waiting.count == 0 {
                all.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn account(number: usize) -> AccountId {
        AccountId::new(Uuid::from_u128(number.try_into().unwrap()))
    }

    #[test]
    fn few_calls_wait_of_an_account_and_in_all_and_one_that_ends_makes_room() {
        let listeners = Listeners::default();
        let join = |number| listeners.join(account(number));
        let of_one: Vec<_> = (0..MAX_OF_ACCOUNT).map(|_| join(0).unwrap()).collect();
        let refused = TooMany::OfAccount(MAX_OF_ACCOUNT);
        assert_eq!(join(0).unwrap_err(), refused);
        let others = MAX_OF_ACCOUNT..MAX_LISTENERS;
        let others: Vec<_> = others.map(|number| join(number).unwrap()).collect();
        assert_eq!(join(MAX_LISTENERS).unwrap_err(), TooMany::InAll);
        assert_eq!(join(0).unwrap_err(), refused);
        drop(of_one);
        assert!(join(MAX_LISTENERS).is_ok());
        drop(others);
        assert!(listeners.lock().is_empty());
    }
}
