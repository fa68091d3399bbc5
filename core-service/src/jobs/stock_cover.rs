//! Fetches stock photographs for covers. Until there is one, the cover is drawn.

use std::sync::atomic::{AtomicI64, Ordering};

use covers::stock::{Credit, Error, Stock, StockCover};
use domain::{
    audit::Actor,
    event::Event,
    fact::Fact,
    ids::EventId,
    image_credit::ImageCredit,
    instant::Instant,
    job::{ClaimedJob, JobKind},
};
use server::telemetry::chain;
use storage::StoredCover;

use super::{Attempt, AttemptError, Done, Handler};
use crate::service::{self, Commands, Context};

/// How long to wait for a provider that is busy and names no time: providers count per minute or per hour.
const PAUSE_SECONDS: u64 = 60;

/// The handler of `stock_cover` jobs.
pub struct StockCovers {
    commands: Commands,
    stock: Stock,
    /// Microseconds since the epoch until which the provider asked to wait.
    paused_until: AtomicI64,
}

impl StockCovers {
    /// A handler that fetches from `stock`.
    pub const fn new(commands: Commands, stock: Stock) -> Self {
        Self {
            commands,
            stock,
            paused_until: AtomicI64::new(i64::MIN),
        }
    }

    async fn fetch(&self, id: EventId) -> Result<Done, AttemptError> {
        let now = self.commands.clock().now();
        let event = self.commands.store().find_event(id).await?;
        let Some(words) = event.as_ref().and_then(|event| wanted(event, now)) else {
            return Ok(Done::Plainly);
        };
        if now.micros() < self.paused_until.load(Ordering::Relaxed) {
            return Err(AttemptError::Unreachable(
                "the provider asked to wait".to_owned(),
            ));
        }
        match self.stock.find(words).await {
            Ok(Some(cover)) => self.store(id, words, cover).await,
            Ok(None) => {
                tracing::info!(event_id = %id, provider = %self.stock.provider(), "found no stock photograph for an event");
                Ok(Done::Plainly)
            }
            Err(error) => Err(self.failure(&error)),
        }
    }

    /// Stores a cover, unless its event needs another one by now.
    async fn store(
        &self,
        id: EventId,
        words: &str,
        cover: StockCover,
    ) -> Result<Done, AttemptError> {
        let file = StoredCover::new(cover.jpeg);
        let credit = image_credit(cover.credit);
        let keep = async |context: &mut Context| {
            context.tx.lock_counters(id).await?;
            let now = context.renew_time();
            let Some(event) = context.tx.find_event(id).await? else {
                return Ok(true);
            };
            let Some(wanted) = wanted(&event, now) else {
                return Ok(true);
            };
            if wanted != words {
                return Ok(false);
            }
            context.tx.put_stock_cover(id, &file, &credit, now).await?;
            context.record(Fact::CoverStored { event: &event }).await?;
            Ok(true)
        };
        if self.commands.run(Actor::System, keep).await? {
            return Ok(Done::Plainly);
        }
        let text = "the event's image_query has changed";
        Err(AttemptError::Temporary(text.to_owned()))
    }

    fn failure(&self, error: &Error) -> AttemptError {
        let text = error.to_string();
        match error {
            Error::Busy { wait, .. } => {
                let seconds = wait.map_or(PAUSE_SECONDS, |wait| wait.as_secs());
                let until = i64::try_from(seconds).unwrap_or(i64::MAX);
                let until = self.commands.clock().now().plus_seconds(until);
                self.paused_until
                    .fetch_max(until.micros(), Ordering::Relaxed);
                AttemptError::Unreachable(text)
            }
            // All jobs fail for this reason until an operator corrects it.
            Error::Refused { .. } => AttemptError::Unreachable(text),
            Error::Settings(_) | Error::Rejected { .. } => AttemptError::Permanent(text),
            // The cause may be these words.
            Error::Failed { .. } => AttemptError::Temporary(text),
        }
    }
}

impl Handler for StockCovers {
    fn kinds(&self) -> &'static [JobKind] {
        &[JobKind::StockCover]
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.fetch(EventId::new(job.key.subject_id)))
    }
}

/// The words for which an event still needs a photograph.
fn wanted(event: &Event, now: Instant) -> Option<&str> {
    let wants = event.image_credit.is_none() && event.is_ahead(now);
    event.image_query.as_deref().filter(|_| wants)
}

impl From<service::Error> for AttemptError {
    fn from(error: service::Error) -> Self {
        match error {
            service::Error::Unavailable(source) | service::Error::Internal(source) => source.into(),
            refusal => Self::Temporary(refusal.to_string()),
        }
    }
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

impl From<storage::Error> for AttemptError {
    fn from(error: storage::Error) -> Self {
        Self::Temporary(chain(&error).to_string())
    }
}
