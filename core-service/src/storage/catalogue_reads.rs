//! Reads of the public catalogue for one call: on a replica that has all that had been committed when the call began, else on the primary.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use process::metrics;
use tokio::{sync::Mutex, time::timeout};

use super::{CatalogueMatches, Error, Store, postgres};
use crate::domain::{
    catalogue::{CatalogueFilter, CatalogueVersion},
    cursor::Place,
    event::Event,
    instant::Instant,
    registration::Counters,
};

/// How long a statement may take on a replica.
const LONGEST_STATEMENT: Duration = Duration::from_millis(500);

/// The state of the primary at a moment after it was asked for: who ask at the same time share a read that began afterwards.
#[derive(Debug, Default)]
pub(super) struct Current {
    /// How many reads have begun.
    begun: AtomicU64,
    /// The number and the outcome of the last one.
    last: Mutex<Option<(u64, Result<CatalogueVersion, String>)>>,
}

impl Current {
    async fn version(&self, store: &Store) -> Result<CatalogueVersion, Error> {
        let before = self.begun.load(Ordering::SeqCst);
        let mut last = self.last.lock().await;
        let outcome = match &*last {
            Some((number, outcome)) if *number > before => outcome.clone(),
            _ => {
                let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
                let outcome = store.catalogue_shards().await;
                let outcome = outcome.map_err(|error| error.to_string());
                *last = Some((number, outcome.clone()));
                outcome
            }
        };
        outcome.map_err(Error::Unavailable)
    }
}

/// The reads of one call.
#[derive(Debug)]
pub struct CatalogueReads<'a> {
    store: &'a Store,
    /// A connection to the replica.
    replica: Option<postgres::Lease>,
    /// Whether a statement has begun there and not ended.
    is_busy: bool,
}

impl Store {
    /// Reads for a call that sees all that was committed when it began: everything of this version of the primary, if it is known,
    /// or of the one that is read for it.
    pub async fn catalogue_reads(
        &self,
        known: Option<&CatalogueVersion>,
    ) -> Result<CatalogueReads<'_>, Error> {
        let mut reads = CatalogueReads {
            store: self,
            replica: None,
            is_busy: false,
        };
        let Some((standby, current)) = self.standby() else {
            return Ok(reads);
        };
        if !standby.is_worth_a_try() {
            return Ok(reads);
        }
        let read = async {
            match known {
                Some(_) => Ok(None),
                None => current.version(self).await.map(Some),
            }
        };
        let began = metrics::now();
        let (read, found) = tokio::join!(read, standby.look());
        let read = read?;
        let outcome = match (known.or(read.as_ref()), found) {
            (Some(wanted), Some((lease, version))) => {
                reads.replica = Some(lease);
                if version.has_all_of(wanted) {
                    standby.is_well();
                    "current"
                } else {
                    standby.is_behind();
                    reads.give_back();
                    "behind"
                }
            }
            _ => "away",
        };
        metrics::since(began, |all, seconds| {
            all.replica_looks.observe([outcome.into()], seconds);
        });
        Ok(reads)
    }
}

impl CatalogueReads<'_> {
    /// Whether a replica answers.
    pub const fn is_on_replica(&self) -> bool {
        self.replica.is_some()
    }

    fn give_back(&mut self) {
        if let Some(mut lease) = self.replica.take()
            && !self.is_busy
        {
            lease.put_back();
        }
    }

    /// Goes on with the primary.
    fn leave(&mut self, why: &str) {
        // Dropping it closes the connection.
        self.replica = None;
        if let Some((standby, _)) = self.store.standby() {
            standby.is_away::<()>(why);
        }
    }
}

impl Drop for CatalogueReads<'_> {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Gives `CatalogueReads` a method for each statement.
macro_rules! catalogue_reads {
    ($($(#[$doc:meta])* $queries:ident::$name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl CatalogueReads<'_> {$(
            $(#[$doc])*
            pub async fn $name(&mut self, $($argument: $type),*) -> Result<$answer, Error> {
                if let Some(lease) = &mut self.replica {
                    self.is_busy = true;
                    let answer = postgres::$queries::$name(lease, $($argument),*);
                    let answer = timeout(LONGEST_STATEMENT, answer).await;
                    match answer {
                        Ok(Ok(answer)) => {
                            self.is_busy = false;
                            return Ok(answer);
                        }
                        Ok(Err(error)) => self.leave(&error.to_string()),
                        Err(_elapsed) => self.leave("a statement took too long"),
                    }
                }
                self.store.$name($($argument),*).await
            }
        )*}
    };
}

catalogue_reads! {
    /// See [`Store::count_live_events`].
    catalogue::count_live_events(now: Instant) -> i64;
    /// See [`Store::list_live_events`].
    catalogue::list_live_events(now: Instant, after: Option<Place>, limit: i64, offset: i64) -> Vec<(Event, Counters)>;
    /// See [`Store::find_event_and_counters`].
    catalogue::find_event_and_counters(slug: &str) -> Option<(Event, Counters)>;
    /// See [`Store::search_catalogue`].
    search::search_catalogue(filter: &CatalogueFilter, now: Instant, limit: i64, offset: i64) -> CatalogueMatches;
    /// See [`Store::has_events_to_index`].
    search::has_events_to_index() -> bool;
}
