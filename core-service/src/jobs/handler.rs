//! What knows how to do one kind of job.

use std::pin::Pin;

use crate::domain::job::ClaimedJob;

/// One try at a job, under way.
pub type Attempt<'a> = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 'a>>;

/// Does one kind of job. It may be dropped half-way, by its time limit or with the process, and then runs again.
pub trait Handler: Send + Sync {
    /// Which kind; a kind without a handler waits in its table.
    fn kind(&self) -> &'static str;

    /// Where the work goes. What goes to the same place shares its slots, and waits together when it does not work.
    fn destination(&self) -> &'static str {
        self.kind()
    }

    /// Tries once.
    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a>;
}

/// Why a try failed. The text is kept with the job, for administrators to read, and not logged unless that is said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It may work later.
    #[error("{0}")]
    Passing(String),
    /// It never will.
    #[error("{0}")]
    Lasting(String),
    /// The destination does not work, which says nothing of the job: the try is not counted, and all of the destination's
    /// jobs wait. The text is logged, so it must hold no secret and no address.
    #[error("{0}")]
    Unreachable(String),
}
