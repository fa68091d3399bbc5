//! Handlers of jobs.

use std::{pin::Pin, time::Duration};

use domain::{
    event::TimeAndPlace,
    ids::RegistrationId,
    instant::Instant,
    job::{ClaimedJob, InvalidPayload, JobKind},
};
use storage::{SuccessfulDelivery, Tx};
use uuid::Uuid;

use super::backoff;
use crate::email::Undelivered;

/// A running try of a job.
pub type Attempt<'a> = Pin<Box<dyn Future<Output = Result<Done, AttemptError>> + Send + 'a>>;

/// Does some kinds of jobs. A try may be dropped at any point, by its time limit or with the process, and then runs again.
pub trait Handler: Send + Sync {
    /// The kinds. Jobs of a kind without a handler wait.
    fn kinds(&self) -> &'static [JobKind];

    /// Runs one try.
    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a>;

    /// Seconds until the next try after this many, or `None` after the last one.
    fn wait_seconds(&self, tries: i32, subject: Uuid) -> Option<i64> {
        backoff::wait_seconds(tries, subject)
    }

    /// Records that a job failed for good; false if its lease was lost. The job stays for operators.
    fn give_up<'a>(
        &'a self,
        tx: &'a mut Tx,
        job: &'a ClaimedJob,
        now: Instant,
        error: &'a str,
    ) -> GivingUp<'a> {
        Box::pin(tx.fail_job(job, now, error))
    }
}

/// See [`Handler::give_up`].
pub type GivingUp<'a> = Pin<Box<dyn Future<Output = Result<bool, storage::Error>> + Send + 'a>>;

/// What is recorded about a try that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// The job is done.
    Plainly,
    /// A mail to a registrant was handed over.
    Sent(Box<Delivery>),
    /// A mail to a registrant is not sent, since its recipient gets no such mails.
    Withheld(Box<Delivery>),
    /// A webhook took a message.
    Posted(Box<SuccessfulDelivery>),
    /// The handler has recorded the outcome, in the transaction of its work.
    Recorded,
}

/// A mail to a registrant, as far as it is recorded what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The recipient's address.
    pub address: String,
    /// The hash of the token in its envelope.
    pub bounce_token: Option<[u8; 32]>,
    /// The new time and place that it tells a registrant.
    pub announced: Option<(RegistrationId, TimeAndPlace)>,
}

/// Why a try failed. The text is stored with the job for administrators, and logged only where this is stated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttemptError {
    /// A later try may succeed.
    #[error("{0}")]
    Temporary(String),
    /// No later try can succeed.
    #[error("{0}")]
    Permanent(String),
    /// It is too early. The try does not count, and the job waits for at least this time.
    #[error("{1}")]
    Early(Duration, String),
    /// The destination does not work. The try does not count, and all jobs of the destination wait. The text is logged, so it
    /// must contain no secret and no address.
    #[error("{0}")]
    Unreachable(String),
    /// The destination has too much to do or does not work, so that all its jobs wait, for as long as it asked to if it did. What becomes of
    /// this one is recorded already.
    #[error("{1}")]
    Slowed(Option<Duration>, String),
    /// It waits until someone releases it. The try does not count.
    #[error("it is held")]
    Held,
    /// It was held or removed meanwhile, and so is recorded already.
    #[error("it was withdrawn")]
    Withdrawn,
    /// A mail to a registrant was not handed over. If this was its last try, that is recorded.
    #[error("{1}")]
    Unsent(Box<Delivery>, Undelivered),
}

impl From<InvalidPayload> for AttemptError {
    /// Temporary: while replicas are updated, one of the newer version that wrote the payload will do the job.
    fn from(error: InvalidPayload) -> Self {
        Self::Temporary(error.to_string())
    }
}
