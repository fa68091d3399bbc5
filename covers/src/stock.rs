//! Stock covers: a photograph for an event's words, from the provider that the operator chose.
//!
//! Answers of a provider are not trusted: addresses are followed only to the provider's own hosts, answers have a limit of
//! size and time, a picture is what decodes as one, and credits are plain text. Reading order: [`Stock`] here, then `provider`
//! (which provider asks what where), its three dialects, `client` (bounded HTTP), `photo` (any picture to a cover).

mod client;
mod credit;
mod openverse;
mod pexels;
mod photo;
mod provider;
mod unsplash;

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

use self::{client::Client, photo::Unusable, provider::Candidate};
pub use self::{credit::Credit, provider::Provider};

/// How long one cover may take in all: a search and a few downloads from hosts that answer within seconds when they are well.
/// Shorter than a job's try, so that the job learns the reason.
const TIME_LIMIT: Duration = Duration::from_secs(45);

/// Pictures that are tried before the drawn cover stays: the first is nearly always good.
const CANDIDATES_TRIED: usize = 4;

/// A cover made from a stock photograph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StockCover {
    /// A JPEG of [`super::WIDTH`] × [`super::HEIGHT`] pixels.
    pub jpeg: Vec<u8>,
    /// Whose photograph it is, harmless wherever it is shown as text.
    pub credit: Credit,
}

/// Where covers come from.
#[derive(Debug, Clone)]
pub struct StockSettings {
    /// Whose pictures.
    pub provider: Provider,
    /// The key that the provider gave the operator.
    pub key: Option<SecretString>,
    /// Where the provider is asked instead of its own address: a proxy, or a test's server.
    pub url: Option<String>,
}

/// Why there is no stock cover.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings do not fit together; for the operator, before anything is served.
    #[error("{0}")]
    Settings(String),
    /// Too many questions; `wait` is what the provider asked for.
    #[error("{provider} asks to wait")]
    Busy {
        /// Who.
        provider: Provider,
        /// How long.
        wait: Option<Duration>,
    },
    /// The provider does not take the key, or the operator's allowance is used up.
    #[error("{provider} refused with {status}: check --covers-key and what it allows")]
    Refused {
        /// Who.
        provider: Provider,
        /// The HTTP status.
        status: u16,
    },
    /// The provider does not take the question: asking again would not help.
    #[error("{provider} does not accept the search, it answered {status}")]
    Rejected {
        /// Who.
        provider: Provider,
        /// The HTTP status.
        status: u16,
    },
    /// Out of reach, out of order or too slow; later it may work.
    #[error("{provider} did not answer: {problem}")]
    Failed {
        /// Who.
        provider: Provider,
        /// What happened, without an address.
        problem: String,
    },
}

/// Finds stock photographs and makes covers of them; clones share connections and limits.
#[derive(Debug, Clone)]
pub struct Stock {
    client: Client,
    /// Decoded pictures are large in memory, so one is decoded at a time.
    decoding: Arc<Semaphore>,
    time_limit: Duration,
}

impl Stock {
    /// Covers from one provider.
    pub fn new(settings: StockSettings) -> Result<Self, Error> {
        Ok(Self {
            client: Client::new(settings)?,
            decoding: Arc::new(Semaphore::new(1)),
            time_limit: TIME_LIMIT,
        })
    }

    /// The same with another limit of time for one cover.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// Whose pictures these are.
    pub fn provider(&self) -> Provider {
        self.client.provider()
    }

    /// A cover for these words; nothing when the provider has no picture for them that will do.
    pub async fn find(&self, words: &str) -> Result<Option<StockCover>, Error> {
        let provider = self.provider();
        match timeout(self.time_limit, self.search(words)).await {
            Ok(found) => found,
            Err(_) => Err(Error::Failed {
                provider,
                problem: format!("took longer than {} s", self.time_limit.as_secs_f32()),
            }),
        }
    }

    async fn search(&self, words: &str) -> Result<Option<StockCover>, Error> {
        let mut failure = None;
        let candidates = self.client.search(words).await?;
        for candidate in candidates.into_iter().take(CANDIDATES_TRIED) {
            match self.take(candidate).await {
                Ok(Some(cover)) => return Ok(Some(cover)),
                Ok(None) => {}
                Err(error @ (Error::Busy { .. } | Error::Refused { .. })) => return Err(error),
                // The next one may lie on a machine that is well.
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(None), Err)
    }

    /// Makes a cover of one picture; nothing when that picture will not do.
    async fn take(&self, candidate: Candidate) -> Result<Option<StockCover>, Error> {
        let Some(file) = self.client.picture(&candidate).await? else {
            return Ok(None);
        };
        let jpeg = match self.develop(file).await {
            Ok(jpeg) => jpeg,
            Err(reason) => {
                tracing::info!(provider = %self.provider(), %reason, "a stock picture will not do");
                return Ok(None);
            }
        };
        self.client.report_use(&candidate).await?;
        Ok(Some(StockCover {
            jpeg,
            credit: candidate.credit.cleaned(),
        }))
    }

    async fn develop(&self, file: Vec<u8>) -> Result<Vec<u8>, Unusable> {
        let permit = Arc::clone(&self.decoding).acquire_owned().await;
        // The permit goes along: work whose job was dropped still holds its memory until it is done.
        let work = spawn_blocking(move || {
            let _permit = permit;
            photo::cover(&file)
        });
        work.await.unwrap_or(Err(Unusable::Broken))
    }
}
