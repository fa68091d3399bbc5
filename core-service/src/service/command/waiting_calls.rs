//! Calls that are open for seconds without work for this core: for a message of their account, or for what a receiver answers to a ping. There
//! are few, and they have no permit.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::ids::AccountId;
use tokio::sync::{Notify, futures::Notified};

use crate::service::Error;

/// How many calls of an account wait at a time: some programs, each with a call that its client has given up.
const MAX_OF_ACCOUNT: usize = 4;

/// How many calls wait at a time in all. An edge in another process has 200 calls that read under way: the larger part stays for those that do
/// not wait.
const MAX_WAITING: usize = 64;

/// After how long another try is worth it.
const RETRY_TIME: Duration = Duration::from_secs(5);

/// Why a call may not wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service) enum TooManyWaiting {
    /// The number of calls of its account that wait is at the limit.
    OfAccount,
    /// The number of all calls that wait is at the limit.
    InAll,
}

impl From<TooManyWaiting> for Error {
    fn from(error: TooManyWaiting) -> Self {
        let wait = RETRY_TIME;
        match error {
            TooManyWaiting::OfAccount => Self::TooManyWaits {
                limit: MAX_OF_ACCOUNT,
                wait,
            },
            TooManyWaiting::InAll => Self::RateLimited {
                wait,
                allowance: None,
            },
        }
    }
}

/// The calls that wait. Clones share them.
#[derive(Debug, Clone, Default)]
pub(in crate::service) struct WaitingCalls(Arc<Mutex<HashMap<AccountId, OfAccount>>>);

/// The calls of an account, of which there is at least one.
#[derive(Debug, Default)]
struct OfAccount {
    count: usize,
    recorded: Arc<Notify>,
}

impl WaitingCalls {
    /// Counts a call of an account until the guard that this returns is dropped.
    pub(in crate::service) fn join(
        &self,
        account: AccountId,
    ) -> Result<WaitingCall, TooManyWaiting> {
        let mut all = self.lock();
        let in_all: usize = all.values().map(|waiting| waiting.count).sum();
        if all
            .get(&account)
            .is_some_and(|waiting| waiting.count >= MAX_OF_ACCOUNT)
        {
            return Err(TooManyWaiting::OfAccount);
        }
        if in_all >= MAX_WAITING {
            return Err(TooManyWaiting::InAll);
        }
        let waiting = all.entry(account).or_default();
        waiting.count += 1;
        Ok(WaitingCall {
            account,
            recorded: Arc::clone(&waiting.recorded),
            all: self.clone(),
        })
    }

    /// Wakes the calls of accounts for which messages were recorded.
    pub(super) fn wake(&self, accounts: &[AccountId]) {
        let all = self.lock();
        for waiting in accounts.iter().filter_map(|account| all.get(account)) {
            waiting.recorded.notify_waiters();
        }
    }

    /// A panic cannot leave the numbers in a bad state.
    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, OfAccount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The guard of a call that waits: dropping it lets another call wait.
#[derive(Debug)]
pub(crate) struct WaitingCall {
    account: AccountId,
    recorded: Arc<Notify>,
    all: WaitingCalls,
}

impl WaitingCall {
    /// Completes once a message of the account is recorded after this was called. A caller that looks for messages only then misses none.
    pub(in crate::service) fn recorded(&self) -> Notified<'_> {
        self.recorded.notified()
    }
}

impl Drop for WaitingCall {
    fn drop(&mut self) {
        let mut all = self.all.lock();
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
    fn few_calls_wait_of_an_account_and_in_all_until_one_of_them_ends() {
        let calls = WaitingCalls::default();
        let join = |number| calls.join(account(number));
        let of_one: Vec<_> = (0..MAX_OF_ACCOUNT).map(|_| join(0).unwrap()).collect();
        assert_eq!(join(0).unwrap_err(), TooManyWaiting::OfAccount);
        let others = MAX_OF_ACCOUNT..MAX_WAITING;
        let others: Vec<_> = others.map(|number| join(number).unwrap()).collect();
        assert_eq!(join(MAX_WAITING).unwrap_err(), TooManyWaiting::InAll);
        assert_eq!(join(0).unwrap_err(), TooManyWaiting::OfAccount);
        drop(of_one);
        assert!(join(MAX_WAITING).is_ok());
        drop(others);
        assert!(calls.lock().is_empty());
    }
}
