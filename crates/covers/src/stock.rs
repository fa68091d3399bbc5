//! Stock covers: a photograph for an event's words, from the provider that the operator chose.
//!
//! Answers of a provider are not trusted: addresses are followed only to the provider's own hosts, answers have a limit of size
//! and time, a picture must decode as one, and credits are plain text. Reading order: [`Stock`] here, then `provider` (requests
//! and answers of each provider), `client` (bounded HTTP).

mod client;
mod credit;
mod openverse;
mod pexels;
mod provider;
mod unsplash;

use std::time::Duration;

use secrecy::SecretString;
use tokio::time::timeout;

use self::{client::Client, provider::Candidate};
pub use self::{credit::Credit, provider::Provider};
use crate::Developer;

/// How long one cover may take: a search and a few downloads. Shorter than a job's time limit, so that the job gets the cause.
const TIME_LIMIT: Duration = Duration::from_secs(45);

/// Maximum number of pictures to try; the first is nearly always good.
const CANDIDATES_TRIED: usize = 4;

/// A cover made from a stock photograph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StockCover {
    /// A JPEG of [`super::WIDTH`] × [`super::HEIGHT`] pixels.
    pub jpeg: Vec<u8>,
    /// Its credit, as safe plain text.
    pub credit: Credit,
}

/// Settings of the source of covers.
#[derive(Debug, Clone)]
pub struct StockSettings {
    /// The provider.
    pub provider: Provider,
    /// The operator's API key.
    pub key: Option<SecretString>,
    /// An address that replaces the provider's: a proxy, or a test's server.
    pub url: Option<String>,
}

/// Why a stock cover cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid settings, which are reported before the start.
    #[error("{0}")]
    Settings(String),
    /// Too many requests; the provider asks to wait.
    #[error("{provider} asks to wait")]
    Busy {
        /// The provider.
        provider: Provider,
        /// How long to wait.
        wait: Option<Duration>,
    },
    /// The provider refuses the key, or its quota is used up.
    #[error("{provider} refused with {status}: check --covers-key and what it allows")]
    Refused {
        /// The provider.
        provider: Provider,
        /// The HTTP status.
        status: u16,
    },
    /// The provider refuses the request; repeating it would not help.
    #[error("{provider} does not accept the search, it answered {status}")]
    Rejected {
        /// The provider.
        provider: Provider,
        /// The HTTP status.
        status: u16,
    },
    /// The provider is unreachable, failing or too slow; a later try may succeed.
    #[error("{provider} did not answer: {problem}")]
    Failed {
        /// The provider.
        provider: Provider,
        /// The cause, without an address.
        problem: String,
    },
}

/// Finds stock photographs and makes covers of them. Clones share connections and limits.
#[derive(Debug, Clone)]
pub struct Stock {
    client: Client,
    /// Decoded pictures are large in memory, so one is decoded at a time.
    developer: Developer,
    time_limit: Duration,
}

impl Stock {
    /// Covers from one provider.
    pub fn new(settings: StockSettings) -> Result<Self, Error> {
        Ok(Self {
            client: Client::new(settings)?,
            developer: Developer::new(1),
            time_limit: TIME_LIMIT,
        })
    }

    /// The same with another time limit for one cover.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// The provider.
    pub fn provider(&self) -> Provider {
        self.client.provider()
    }

    /// A cover for these words; `None` if the provider has no usable picture.
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
                // The next picture may be on another host.
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(None), Err)
    }

    /// Makes a cover of one picture; `None` if it is not usable.
    async fn take(&self, candidate: Candidate) -> Result<Option<StockCover>, Error> {
        let Some(file) = self.client.picture(&candidate).await? else {
            return Ok(None);
        };
        let jpeg = match self.developer.develop(file.into()).await {
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
}
