//! Searches among an account's events, from memory where there are many.
//!
//! A database takes tens of milliseconds to look at the texts of 100,000 events, whatever index they are in. So core keeps those of accounts
//! with many events, and asks the database for what has changed since it looked last: a search finds what was committed before it came,
//! whichever core wrote it (docs/adr/0020-own-searches-in-memory.md). What is kept is read in the background; meanwhile, and in smaller
//! accounts, the database looks at each text.

mod texts;

use std::{sync::Arc, time::Duration};

use moka::{policy::EvictionPolicy, sync::Cache};
use tokio::{
    sync::{RwLock, Semaphore},
    time::Instant,
};

use self::texts::Texts;
use crate::{
    domain::{cursor::Place, event::MOST_CHANGES, ids::AccountId, instant::Instant as Moment},
    storage::{Error, MyEventsFilter, Store},
};

/// An account with fewer events is searched by the database, in a few milliseconds.
pub(super) const MANY: usize = 5_000;

/// Events that one statement reads.
const BATCH: usize = 5_000;

/// How many bytes are kept: those of about 400,000 events, of one account or of several. Those that were searched last stay.
const MOST_KEPT: u32 = 80 << 20;

/// What an account without texts takes.
const OVERHEAD: usize = 128;

/// After this, texts are read anew, in case an older core or somebody's hand has changed an event without a number; and an account that had
/// few events is looked at again.
const LONGEST: Duration = Duration::from_mins(5);

/// What nobody searches is forgotten. Deleted drafts are remembered for longer.
const LONGEST_UNUSED: Duration = Duration::from_mins(15);

/// Where a page of a search begins, and how much is wanted.
#[derive(Debug, Clone, Copy)]
pub struct SearchedPage {
    /// After this event, or at the first.
    pub after: Option<Place>,
    /// How many events at most.
    pub limit: usize,
    /// How many are counted at most.
    pub most: i64,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The events of the page.
    pub places: Vec<Place>,
    /// The number of all that match, up to the most that are counted.
    pub count: i64,
}

/// The texts of accounts with many events. Clones share them.
#[derive(Debug, Clone)]
pub struct OwnSearches {
    accounts: Cache<AccountId, Kept>,
    many: usize,
    /// One account is read at a time.
    reading: Arc<Semaphore>,
}

/// What is known of an account.
#[derive(Debug, Clone)]
struct Kept {
    since: Instant,
    /// `None` if it has few events, or too many.
    texts: Option<Arc<RwLock<Texts>>>,
    bytes: usize,
}

impl Default for OwnSearches {
    fn default() -> Self {
        Self::of_accounts_with(MANY)
    }
}

impl OwnSearches {
    /// Searches that keep the texts of accounts with at least so many events.
    pub fn of_accounts_with(many: usize) -> Self {
        let accounts = Cache::builder()
            .max_capacity(MOST_KEPT.into())
            .weigher(|_, kept: &Kept| u32::try_from(kept.bytes).unwrap_or(u32::MAX))
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(LONGEST_UNUSED)
            .build();
        Self {
            accounts,
            many,
            reading: Arc::new(Semaphore::new(1)),
        }
    }

    /// What a filter with a text finds; `None` if the account's texts are not kept.
    pub async fn find(
        &self,
        store: &Store,
        account: AccountId,
        filter: &MyEventsFilter,
        now: Moment,
        page: SearchedPage,
    ) -> Result<Option<Found>, Error> {
        let Some(kept) = self.accounts.get(&account) else {
            self.read_soon(store, account);
            return Ok(None);
        };
        if kept.since.elapsed() > LONGEST {
            self.read_soon(store, account);
        }
        let Some(texts) = kept.texts else {
            return Ok(None);
        };
        let mut texts = texts.write_owned().await;
        let changes = store.list_event_changes(account, texts.known()).await?;
        if changes.len() > MOST_CHANGES {
            drop(texts);
            self.accounts.invalidate(&account);
            self.read_soon(store, account);
            return Ok(None);
        }
        texts.apply(changes);
        let (texts, filter) = (texts.downgrade(), filter.clone());
        // It takes milliseconds, in which this thread would serve nobody else.
        let found = tokio::task::spawn_blocking(move || texts.find(&filter, now, page)).await;
        found
            .map(Some)
            .map_err(|error| Error::Internal(error.into()))
    }

    /// Reads the texts of an account in the background unless they are kept, so that its first search finds them.
    pub(super) fn prepare(&self, store: &Store, account: AccountId) {
        if !self.accounts.contains_key(&account) {
            self.read_soon(store, account);
        }
    }

    fn read_soon(&self, store: &Store, account: AccountId) {
        let Ok(turn) = Arc::clone(&self.reading).try_acquire_owned() else {
            return;
        };
        let (searches, store) = (self.clone(), store.clone());
        tokio::spawn(async move {
            if let Err(error) = searches.read(&store, account).await {
                // Searches go on in the database.
                tracing::warn!(%error, "cannot read the texts of an account's events");
            }
            drop(turn);
        });
    }

    /// Reads the texts of an account anew; false if it has few events, or more than are kept.
    pub async fn read(&self, store: &Store, account: AccountId) -> Result<bool, Error> {
        let texts = read_all(store, account).await?;
        let texts = texts.filter(|texts| texts.len() >= self.many);
        let bytes = texts.as_ref().map_or(0, Texts::bytes);
        let kept = Kept {
            since: Instant::now(),
            texts: texts.map(|texts| Arc::new(RwLock::new(texts))),
            bytes: bytes + OVERHEAD,
        };
        let is_kept = kept.texts.is_some();
        self.accounts.insert(account, kept);
        Ok(is_kept)
    }
}

/// `None` if that is too much, or if core has not folded all of it.
async fn read_all(store: &Store, account: AccountId) -> Result<Option<Texts>, Error> {
    // What changes while the rest is read has a larger number.
    let mut texts = Texts::as_of(store.list_latest_changes().await?);
    let (mut after, limit) = (None, i64::try_from(BATCH).unwrap_or(i64::MAX));
    loop {
        let batch = store.list_searched_events(account, after, limit).await?;
        let is_last = batch.len() < BATCH;
        after = batch.last().map(|event| event.place);
        if !batch.iter().all(|event| event.text.is_some()) {
            return Ok(None);
        }
        for event in batch {
            texts.put(event);
        }
        if texts.bytes() + OVERHEAD > MOST_KEPT as usize {
            return Ok(None);
        }
        if is_last {
            texts.compact();
            return Ok(Some(texts));
        }
    }
}
