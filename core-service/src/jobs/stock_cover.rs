//! Fetches stock pictures for covers. Until one is there, and when there is none, the drawn cover stands.

use std::sync::atomic::{AtomicI64, Ordering};

use covers::stock::{Credit, Error, Stock, StockCover};

use super::{Attempt, Failure, Handler};
use crate::{
    domain::{
        clock::Clock,
        event::Event,
        ids::EventId,
        image_credit::ImageCredit,
        instant::Instant,
        job::{ClaimedJob, STOCK_COVER},
    },
    storage::{self, Store, StoredCover},
};

/// How long a provider is left alone that is busy and does not say for how long: they count by the minute or by the hour.
const PAUSE_SECONDS: u64 = 60;

/// The handler of `stock_cover` jobs.
pub struct StockCovers {
    store: Store,
    clock: Clock,
    stock: Stock,
    /// Microseconds since the epoch before which the provider asked not to be asked.
    paused_until: AtomicI64,
}

impl StockCovers {
    /// A handler that fetches from `stock`.
    pub const fn new(store: Store, clock: Clock, stock: Stock) -> Self {
        Self {
            store,
            clock,
            stock,
            paused_until: AtomicI64::new(i64::MIN),
        }
    }

    async fn fetch(&self, id: EventId) -> Result<(), Failure> {
        let event = self.store.find_event(id).await?;
        let Some(words) = event.and_then(|event| wanted(event, self.clock.now())) else {
            return Ok(());
        };
        if self.clock.now().micros() < self.paused_until.load(Ordering::Relaxed) {
            return Err(Failure::Unreachable(
                "the provider asked to wait".to_owned(),
            ));
        }
        match self.stock.find(&words).await {
            Ok(Some(cover)) => self.keep(id, &words, cover).await,
            Ok(None) => {
                tracing::info!(event_id = %id, provider = %self.stock.provider(), "there is no stock picture for an event");
                Ok(())
            }
            Err(error) => Err(self.failure(&error)),
        }
    }

    /// Stores a cover, unless its event wants another by now.
    async fn keep(&self, id: EventId, words: &str, cover: StockCover) -> Result<(), Failure> {
        let now = self.clock.now();
        let file = StoredCover::new(cover.jpeg);
        let mut tx = self.store.begin().await?;
        tx.lock_counters(id).await?;
        let event = tx.find_event(id).await?;
        match event.and_then(|event| wanted(event, now)) {
            None => return Ok(()),
            Some(wanted) if wanted != words => {
                return Err(Failure::Passing(
                    "the event's image_query changed meanwhile".to_owned(),
                ));
            }
            Some(_) => {}
        }
        let credit = image_credit(cover.credit);
        tx.put_stock_cover(id, &file, &credit, now).await?;
        Ok(tx.commit().await?)
    }

    fn failure(&self, error: &Error) -> Failure {
        let text = error.to_string();
        match error {
            Error::Busy { wait, .. } => {
                let seconds = wait.map_or(PAUSE_SECONDS, |wait| wait.as_secs());
                let until = i64::try_from(seconds).unwrap_or(i64::MAX);
                let until = self.clock.now().plus_seconds(until);
                self.paused_until
                    .fetch_max(until.micros(), Ordering::Relaxed);
                Failure::Unreachable(text)
            }
            // No other job would fare better, and all of them will once it is mended.
            Error::Refused { .. } => Failure::Unreachable(text),
            Error::Settings(_) | Error::Rejected { .. } => Failure::Lasting(text),
            // It may be these words alone that the provider cannot cope with.
            Error::Failed { .. } => Failure::Passing(text),
        }
    }
}

impl Handler for StockCovers {
    fn kind(&self) -> &'static str {
        STOCK_COVER
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.fetch(EventId::new(job.key.subject_id)))
    }
}

/// The words for which an event still wants a picture.
fn wanted(event: Event, now: Instant) -> Option<String> {
    let wants = event.image_credit.is_none() && event.is_active(now);
    event.image_query.filter(|_| wants)
}

fn image_credit(credit: Credit) -> ImageCredit {
    let Credit {
        title,
        author,
        author_url,
        source,
        source_url,
        license,
        license_url,
    } = credit;
    ImageCredit {
        title,
        author,
        author_url,
        source,
        source_url,
        license,
        license_url,
    }
}

impl From<storage::Error> for Failure {
    fn from(error: storage::Error) -> Self {
        Self::Passing(error.to_string())
    }
}
