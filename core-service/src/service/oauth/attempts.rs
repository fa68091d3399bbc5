//! How often the documents of clients are read. Anyone can name a document, so nobody may have many read, and no server is asked often.

use std::net::IpAddr;

use domain::{
    clock::Clock,
    ids::PersonId,
    instant::Instant,
    rate::{Limit, Period},
};
use moka::{policy::EvictionPolicy, sync::Cache};
use server::networks::subscriber;
use url::Url;

use super::Problem;
use crate::service::{
    Error,
    limits::{Limiter, exceeded},
};

/// How many documents are read in a minute for one address or person.
const READS_PER_READER: u32 = 10;

/// How often one document is read in a minute: its server may forbid that it is kept.
const READS_PER_DOCUMENT: u32 = 5;

/// How long a document is not asked for again after a failure.
const FAILURE_SECONDS: i64 = 60;

/// Maximum number of failures that are remembered. Beyond it, the least recently used are evicted.
const MAX_FAILURES: u64 = 1_000;

/// For whom a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reader {
    /// Someone who is not signed in, by the network of their address.
    Address(IpAddr),
    /// A person.
    Person(PersonId),
}

impl Reader {
    /// Someone at this address.
    pub(super) fn at(address: IpAddr) -> Self {
        Self::Address(subscriber(address))
    }
}

/// The reads of this core.
#[derive(Debug)]
pub(super) struct Attempts {
    readers: Option<Limiter<Reader>>,
    documents: Option<Limiter<Url>>,
    failures: Cache<Url, (Instant, Problem)>,
}

impl Attempts {
    pub(super) fn new(clock: &Clock) -> Self {
        let limit = |count| Limit::new(count, Period::Minute);
        let failures = Cache::builder().max_capacity(MAX_FAILURES);
        Self {
            readers: Limiter::new("document-readers", limit(READS_PER_READER), clock),
            documents: Limiter::new("documents", limit(READS_PER_DOCUMENT), clock),
            failures: failures.eviction_policy(EvictionPolicy::lru()).build(),
        }
    }

    /// Why the document could not be read, if that was a moment ago.
    pub(super) fn failed_lately(&self, url: &Url, now: Instant) -> Option<Problem> {
        let (at, problem) = self.failures.get(url)?;
        (at <= now && now < at.plus_seconds(FAILURE_SECONDS)).then_some(problem)
    }

    pub(super) fn note_failure(&self, url: &Url, problem: &Problem, now: Instant) {
        self.failures.insert(url.clone(), (now, problem.clone()));
    }

    /// Counts a read. The address of a reader is not always known.
    pub(super) fn count(&self, url: &Url, reader: Option<Reader>) -> Result<(), Error> {
        if let (Some(limiter), Some(reader)) = (&self.readers, reader) {
            limiter.count(&reader).map_err(exceeded)?;
        }
        if let Some(limiter) = &self.documents {
            limiter.count(url).map_err(exceeded)?;
        }
        Ok(())
    }
}
