//! The news of the catalogue, for edges that keep answers about it.
//!
//! The database counts the changes, so that every core learns of those that others and commands make. It is asked only while somebody
//! listens: at once after a change of this process, else as often as listeners want to hear something, and never more than five times a
//! second, however many changes and listeners there are.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, watch},
    time::{Instant, sleep_until},
};

use super::{Commands, Error};
use crate::{
    domain::{
        catalogue::{CatalogueState, CatalogueVersion},
        clock::Clock,
        instant,
    },
    storage::Store,
};

/// Changes are told together that come within this time, which is a fifth of a second.
const TOGETHER: Duration = Duration::from_millis(200);

/// Of more events than this, a change of seats is told as a change of everything.
const MOST_EVENTS: usize = 500;

/// Changes that are remembered for listeners that are slow; they miss a minute of them at most.
const MOST_CHANGES: usize = 300;

/// The news of the catalogue. Clones share them.
#[derive(Debug, Clone)]
pub struct CatalogueNews(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    /// Names this core.
    core: String,
    commands: Commands,
    known: Mutex<Known>,
    /// Whether this core stops.
    closed: watch::Sender<bool>,
}

/// What is known of the catalogue.
#[derive(Debug, Default)]
struct Known {
    version: Option<CatalogueVersion>,
    next_end: Option<instant::Instant>,
    asked_at: Option<Instant>,
    /// How many changes were seen.
    count: u64,
    /// The last ones.
    changes: VecDeque<Change>,
}

/// What has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Whether anything may have.
    pub everything: bool,
    /// The slugs of events of which another number of seats is left.
    pub seats_of: Vec<String>,
}

/// What a listener is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The core.
    pub core: String,
    /// How many changes there were.
    pub version: i64,
    /// What has changed since the listener was told something.
    pub change: Change,
    /// In how many microseconds an event ends.
    pub ends_in_micros: Option<i64>,
    /// How long ago that was read.
    pub age: Duration,
}

/// Somebody who listens.
#[derive(Debug)]
pub struct Listener {
    news: CatalogueNews,
    committed: watch::Receiver<()>,
    closed: watch::Receiver<bool>,
    /// How long it is told nothing.
    every: Duration,
    /// How many changes were told; `None` before the beginning.
    told: Option<u64>,
}

impl CatalogueNews {
    /// The news of the catalogue that these commands change.
    pub(super) fn new(commands: &Commands) -> Self {
        Self(Arc::new(Inner {
            store: commands.store().clone(),
            clock: commands.clock().clone(),
            core: commands.entropy().base62(CORE_NAME),
            commands: commands.clone(),
            known: Mutex::default(),
            closed: watch::Sender::new(false),
        }))
    }

    /// Listens from now on, and hears something at least so often.
    pub fn listen(&self, every: Duration) -> Listener {
        Listener {
            every,
            committed: self.0.commands.committed().subscribe(),
            closed: self.0.closed.subscribe(),
            news: self.clone(),
            told: None,
        }
    }

    /// Ends the news of all listeners, since this core stops.
    pub fn close(&self) {
        self.0.closed.send_replace(true);
    }

    /// What there is to tell somebody who was told of so many changes. Asks the database, unless that was done a moment ago.
    async fn tell(&self, told: Option<u64>) -> Result<(Told, u64), Error> {
        let Inner { store, clock, .. } = &*self.0;
        let mut known = self.0.known.lock().await;
        let is_new = |asked_at: Instant| asked_at.elapsed() < TOGETHER;
        if !known.asked_at.is_some_and(is_new) {
            let asked_at = Instant::now();
            known.ask(store, clock.now()).await?;
            known.asked_at = Some(asked_at);
        }
        let version = known.version.as_ref().map(CatalogueVersion::total);
        let left = |end: instant::Instant| end.micros() - clock.now().micros();
        let told = Told {
            core: self.0.core.clone(),
            version: version.unwrap_or_default(),
            change: told.map_or_else(Change::default, |told| known.since(told)),
            ends_in_micros: known.next_end.map(left),
            age: known.asked_at.map_or(Duration::MAX, |at| at.elapsed()),
        };
        Ok((told, known.count))
    }

    /// When the database may be asked again.
    async fn next_at(&self) -> Instant {
        let asked_at = self.0.known.lock().await.asked_at;
        asked_at.map_or_else(Instant::now, |asked_at| asked_at + TOGETHER)
    }
}

/// Letters of a core's name.
const CORE_NAME: usize = 16;

impl Known {
    async fn ask(&mut self, store: &Store, now: instant::Instant) -> Result<(), Error> {
        let CatalogueState { version, next_end } = store.catalogue_state(now).await?;
        let has_ended = self.next_end.is_some_and(|end| end <= now);
        let before = self.version.as_ref();
        let everything = before.is_none_or(|before| before.catalogue() != version.catalogue());
        let mut change = Change {
            everything: everything || has_ended,
            seats_of: Vec::new(),
        };
        if let (false, Some(before)) = (change.everything, before) {
            let shards = version.changed_seats_since(before);
            if !shards.is_empty() {
                let limit = i64::try_from(MOST_EVENTS + 1).unwrap_or(i64::MAX);
                let slugs = store.list_seat_changes(&shards, limit).await?;
                let is_much = slugs.len() > MOST_EVENTS;
                change = Change {
                    everything: is_much,
                    seats_of: if is_much { Vec::new() } else { slugs },
                };
            }
        }
        self.next_end = next_end;
        self.version = Some(version);
        if change != Change::default() {
            self.count += 1;
            self.changes.push_back(change);
            if self.changes.len() > MOST_CHANGES {
                self.changes.pop_front();
            }
        }
        Ok(())
    }

    /// What has changed since so many changes.
    fn since(&self, told: u64) -> Change {
        let missed = usize::try_from(self.count - told).unwrap_or(usize::MAX);
        let Some(first) = self.changes.len().checked_sub(missed) else {
            return Change {
                everything: true,
                seats_of: Vec::new(),
            };
        };
        let changes = self.changes.iter().skip(first);
        changes.fold(Change::default(), |mut all, change| {
            all.everything |= change.everything;
            all.seats_of.extend(change.seats_of.iter().cloned());
            all
        })
    }
}

impl Listener {
    /// The next news; `None` when this core stops. Without a database there are none, so that listeners notice.
    pub async fn next(&mut self) -> Option<Told> {
        loop {
            if self.told.is_some() && !self.wait().await {
                return None;
            }
            match self.news.tell(self.told).await {
                Ok((told, count)) => {
                    self.told = Some(count);
                    return Some(told);
                }
                Err(error) => {
                    tracing::debug!(%error, "cannot read the catalogue's version");
                    if !self.wait().await {
                        return None;
                    }
                }
            }
        }
    }

    /// Waits until there may be news; false if this core stops.
    async fn wait(&mut self) -> bool {
        let Self {
            news,
            committed,
            closed,
            every,
            ..
        } = self;
        let due = Instant::now() + *every;
        let change = async {
            // The sender lives as long as the news.
            let _changed = committed.changed().await;
            sleep_until(news.next_at().await).await;
        };
        tokio::select! {
            () = sleep_until(due) => true,
            () = change => true,
            _ = closed.wait_for(|closed| *closed) => false,
        }
    }
}
