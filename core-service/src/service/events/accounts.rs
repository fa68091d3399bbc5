//! Accounts without a quota, as they were when core read them last, for what checks in its statement whether they still are.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;

use crate::{
    domain::{account::Account, ids::AccountId},
    storage::Store,
};

/// How many accounts are remembered: those that create the most events.
const MOST: u64 = 10_000;

/// An account that creates nothing is forgotten.
const LONGEST_UNUSED: Duration = Duration::from_mins(10);

/// Accounts as they were. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct KnownAccounts(Option<Cache<AccountId, Arc<Account>>>);

impl KnownAccounts {
    /// None are remembered where a transaction takes no round trips: there is nothing to win.
    pub(super) fn of(store: &Store) -> Self {
        let accounts = Cache::builder().max_capacity(MOST);
        let accounts = accounts.time_to_idle(LONGEST_UNUSED);
        Self(store.is_on_server().then(|| accounts.build()))
    }

    pub(super) fn find(&self, account: AccountId) -> Option<Arc<Account>> {
        self.0.as_ref()?.get(&account)
    }

    /// Remembers it. Whatever becomes of the transaction in which it was read, it is only a guess.
    pub(super) fn note(&self, account: &Account) {
        if let Some(accounts) = &self.0 {
            accounts.insert(account.id, Arc::new(account.clone()));
        }
    }

    pub(super) fn forget(&self, account: AccountId) {
        if let Some(accounts) = &self.0 {
            accounts.invalidate(&account);
        }
    }
}
