//! What knows how to do some kinds of jobs.

use std::pin::Pin;

use crate::domain::job::{ClaimedJob, InvalidPayload, JobKind};

/// One try at a job, under way.
pub type Attempt<'a> = Pin<Box<dyn Future<Output = Result<(), AttemptError>> + Send + 'a>>;

/// Does some kinds of jobs. It may be dropped half-way, by its time limit or with the process, and then runs again.
pub trait Handler: Send + Sync {
    /// Which kinds; a kind without a handler waits in its table.
    fn kinds(&self) -> &'static [JobKind];

    /// Tries once.
    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a>;
}

/// Why a try did not do its job. The text is kept with the job, for administrators to read, and not logged unless that is said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttemptError {
    /// It may work later.
    #[error("{0}")]
    Temporary(String),
    /// It never will.
    #[error("{0}")]
    Permanent(String),
    /// The destination does not work, which says nothing of the job: the try is not counted, and all of the destination's
    /// jobs wait. The text is logged, so it must hold no secret and no address.
    #[error("{0}")]
    Unreachable(String),
}

impl From<InvalidPayload> for AttemptError {
    /// Temporary: while replicas are updated, one of the newer version that wrote the payload will do the job.
    fn from(error: InvalidPayload) -> Self {
        Self::Temporary(error.to_string())
    }
}
